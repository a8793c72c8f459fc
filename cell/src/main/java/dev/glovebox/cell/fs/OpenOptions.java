package dev.glovebox.cell.fs;

/// How to open a file, as POSIX' `O_CREAT`, `O_EXCL`, `O_TRUNC`, `O_DIRECTORY` and `O_WRONLY` or `O_RDWR`.
public record OpenOptions(boolean create, boolean exclusive, boolean truncate, boolean directory, boolean write) {
    public static final OpenOptions READ = new OpenOptions(false, false, false, false, false);
}
