package dev.glovebox.bench;

import java.util.List;

/// A straight line through points, by least squares.
final class Fit {
    private Fit() {}

    /// By how much `y` rises for each unit of `x`; 0 for fewer than two points.
    static double slope(List<Double> x, List<Double> y) {
        double meanX = x.stream().mapToDouble(Double::doubleValue).average().orElse(0);
        double meanY = y.stream().mapToDouble(Double::doubleValue).average().orElse(0);
        double up = 0;
        double along = 0;
        for (int i = 0; i < x.size(); i++) {
            up += (x.get(i) - meanX) * (y.get(i) - meanY);
            along += (x.get(i) - meanX) * (x.get(i) - meanX);
        }
        return along == 0 ? 0 : up / along;
    }
}
