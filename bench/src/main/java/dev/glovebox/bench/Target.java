package dev.glovebox.bench;

/// What the issue of a section asks of a figure.
///
/// @param ofRatio whether the bound is on the ratio to the bare figure instead of on the figure
record Target(double bound, boolean atMost, boolean ofRatio) {

    static Target atMost(double bound) {
        return new Target(bound, true, false);
    }

    static Target atLeast(double bound) {
        return new Target(bound, false, false);
    }

    static Target ratioAtLeast(double bound) {
        return new Target(bound, false, true);
    }

    static Target ratioAtMost(double bound) {
        return new Target(bound, true, true);
    }

    boolean isMetBy(double value) {
        return atMost ? value <= bound : value >= bound;
    }

    String text(String unit) {
        String relation = atMost ? "<= " : ">= ";
        return relation + Figure.number(bound) + (ofRatio ? " x" : unit.isEmpty() ? "" : " " + unit);
    }
}
