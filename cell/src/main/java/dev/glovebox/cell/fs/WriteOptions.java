package dev.glovebox.cell.fs;

/// How the host writes a file.
///
/// @param mode permission bits, or [#MODE_KEEP]
/// @param parents whether missing directories above the file are made
public record WriteOptions(int mode, boolean parents) {
    /// Leaves the mode of a file that is there as it is; a new file gets 0644.
    public static final int MODE_KEEP = -1;

    public static final WriteOptions DEFAULT = new WriteOptions(MODE_KEEP, true);
}
