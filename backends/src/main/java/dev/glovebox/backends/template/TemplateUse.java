package dev.glovebox.backends.template;

/// Tells whether sandboxes or snapshots stand on an image: then it stays.
@FunctionalInterface
public interface TemplateUse {
    /// Whether anything stands on the image with this digest.
    boolean inUse(String digest);
}
