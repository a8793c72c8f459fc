package dev.glovebox.bench;

/// A part of the benchmark that can be asked for by name.
interface Section {
    String name();

    /// What it measures, in a few words.
    String title();

    /// Whether it is measured when no section is named.
    default boolean isPartOfAll() {
        return true;
    }

    void measure(Lab lab, Sheet sheet) throws InterruptedException;
}
