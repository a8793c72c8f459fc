package dev.glovebox.cell.wasi;

import org.jspecify.annotations.Nullable;

/// The streams of a guest: descriptors 0, 1 and 2, and, if there is one, 4 for results that are not output.
public record WasiStreams(
        GuestInput input,
        GuestOutput output,
        GuestOutput error,
        @Nullable GuestOutput result) {}
