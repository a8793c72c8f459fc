package dev.glovebox.backends.template;

import java.time.Duration;

/// Hears what a build does.
public interface BuildProgress {
    /// A step begins.
    void begins(String step);

    /// The step that began last has ended well.
    void ends(String step, Duration took);

    /// Something worth knowing that is no failure.
    void remark(String sentence);
}
