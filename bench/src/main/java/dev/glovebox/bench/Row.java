package dev.glovebox.bench;

import org.jspecify.annotations.Nullable;

/// One line of the table: a figure of the product beside the same thing done with nothing around it.
record Row(
        String section,
        String what,
        Figure figure,
        @Nullable Figure bare,
        @Nullable Target target) {

    double ratio() {
        return bare == null || bare.value() == 0 ? Double.NaN : figure.value() / bare.value();
    }

    /// `ok`, `MISSED`, `-` where nothing was asked, or `?` where nothing was measured.
    String verdict() {
        if (target == null) {
            return "-";
        }
        double value = target.ofRatio() ? ratio() : figure.value();
        if (Double.isNaN(value)) {
            return "?";
        }
        return target.isMetBy(value) ? "ok" : "MISSED";
    }
}
