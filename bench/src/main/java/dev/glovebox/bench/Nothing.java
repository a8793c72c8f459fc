package dev.glovebox.bench;

/// A program that does nothing: what a JVM costs by itself.
final class Nothing {
    private Nothing() {}

    public static void main(String[] arguments) {}
}
