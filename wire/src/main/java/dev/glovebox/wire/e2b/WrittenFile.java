package dev.glovebox.wire.e2b;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A file that a request has written.
///
/// @param type always `file`
public record WrittenFile(
        String path, String name, String type, @Nullable Map<String, String> metadata) {}
