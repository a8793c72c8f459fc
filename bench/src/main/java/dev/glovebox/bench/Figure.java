package dev.glovebox.bench;

import java.util.Locale;

/// One number with its unit, and in `detail` what belongs to it, for people.
record Figure(double value, String unit, String detail) {

    static Figure millis(double value, String detail) {
        return new Figure(value, "ms", detail);
    }

    static Figure median(Samples samples) {
        return millis(samples.median(), samples.tail());
    }

    /// Three digits that mean something, and no more.
    static String number(double value) {
        if (Double.isNaN(value)) {
            return "-";
        }
        double size = Math.abs(value);
        String format = size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : size >= 0.1 || size == 0 ? "%.2f" : "%.3f";
        return String.format(Locale.ROOT, format, value);
    }

    String text() {
        return Double.isNaN(value) ? "-" : number(value) + (unit.isEmpty() ? "" : " " + unit);
    }
}
