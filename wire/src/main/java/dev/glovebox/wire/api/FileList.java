package dev.glovebox.wire.api;

import java.util.List;

/// Entries below a directory, in the order of their paths.
public record FileList(List<FileResponse> items) {}
