package dev.glovebox.wire.e2b;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A file in a sandbox: `filesystem.EntryInfo`. Names, paths and metadata are guest content.
///
/// @param type `FILE_TYPE_FILE`, `FILE_TYPE_DIRECTORY`, `FILE_TYPE_UNSPECIFIED`; of a symbolic link, that of what it
///     points to
/// @param size in bytes, as a decimal number
/// @param mode permission bits
/// @param permissions as `ls -l` shows them
/// @param modifiedTime RFC 3339
/// @param symlinkTarget what a symbolic link leads to
public record FileInfo(
        String name,
        String type,
        String path,
        String size,
        int mode,
        String permissions,
        String owner,
        String group,
        String modifiedTime,
        @Nullable String symlinkTarget,
        @Nullable Map<String, String> metadata) {}
