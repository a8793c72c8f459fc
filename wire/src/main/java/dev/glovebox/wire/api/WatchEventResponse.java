package dev.glovebox.wire.api;

import org.jspecify.annotations.Nullable;

/// Something that happened in a directory that is watched. The paths are guest content: escape before showing.
///
/// @param kind `create`, `write`, `remove`, `rename`, `attributes`, or `overflow`: events are missing
/// @param target where it is now, after a rename
public record WatchEventResponse(
        String kind,
        String path,
        boolean directory,
        @Nullable String target) {}
