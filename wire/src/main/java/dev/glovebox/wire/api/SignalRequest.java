package dev.glovebox.wire.api;

/// A signal as Linux numbers them: 2 interrupts, 15 and 9 end.
public record SignalRequest(int signal) {}
