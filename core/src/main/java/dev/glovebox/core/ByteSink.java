package dev.glovebox.core;

/// Takes bytes in order. Not thread-safe. May block.
@FunctionalInterface
public interface ByteSink {
    void write(byte[] bytes);
}
