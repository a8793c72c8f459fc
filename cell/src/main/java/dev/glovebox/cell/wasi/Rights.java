package dev.glovebox.cell.wasi;

/// The `rights` of WASI preview 1: what a descriptor may be used for. wasi-libc relies on them for `O_RDONLY` and
/// `O_WRONLY`, and to tell a terminal from a file.
final class Rights {
    private Rights() {}

    static final long FD_DATASYNC = 1 << 0;
    static final long FD_READ = 1 << 1;
    static final long FD_SEEK = 1 << 2;
    static final long FD_FDSTAT_SET_FLAGS = 1 << 3;
    static final long FD_SYNC = 1 << 4;
    static final long FD_TELL = 1 << 5;
    static final long FD_WRITE = 1 << 6;
    static final long FD_ADVISE = 1 << 7;
    static final long FD_ALLOCATE = 1 << 8;
    static final long PATH_CREATE_DIRECTORY = 1 << 9;
    static final long PATH_CREATE_FILE = 1 << 10;
    static final long PATH_LINK_SOURCE = 1 << 11;
    static final long PATH_LINK_TARGET = 1 << 12;
    static final long PATH_OPEN = 1 << 13;
    static final long FD_READDIR = 1 << 14;
    static final long PATH_READLINK = 1 << 15;
    static final long PATH_RENAME_SOURCE = 1 << 16;
    static final long PATH_RENAME_TARGET = 1 << 17;
    static final long PATH_FILESTAT_GET = 1 << 18;
    static final long PATH_FILESTAT_SET_SIZE = 1 << 19;
    static final long PATH_FILESTAT_SET_TIMES = 1 << 20;
    static final long FD_FILESTAT_GET = 1 << 21;
    static final long FD_FILESTAT_SET_SIZE = 1 << 22;
    static final long FD_FILESTAT_SET_TIMES = 1 << 23;
    static final long PATH_SYMLINK = 1 << 24;
    static final long PATH_REMOVE_DIRECTORY = 1 << 25;
    static final long PATH_UNLINK_FILE = 1 << 26;
    static final long POLL_FD_READWRITE = 1 << 27;
    static final long SOCK_SHUTDOWN = 1 << 28;
    static final long SOCK_ACCEPT = 1 << 29;

    /// Every right that the specification defines.
    static final long ALL = (1L << 30) - 1;

    private static final long ANY_FILE = FD_FDSTAT_SET_FLAGS
            | FD_SYNC
            | FD_DATASYNC
            | FD_ADVISE
            | FD_FILESTAT_GET
            | FD_FILESTAT_SET_TIMES
            | POLL_FD_READWRITE;

    /// What applies to a regular file or device.
    static final long FILE = ANY_FILE | FD_READ | FD_SEEK | FD_TELL | FD_WRITE | FD_ALLOCATE | FD_FILESTAT_SET_SIZE;

    /// What applies to a directory.
    static final long DIRECTORY = ANY_FILE
            | FD_READDIR
            | PATH_CREATE_DIRECTORY
            | PATH_CREATE_FILE
            | PATH_LINK_SOURCE
            | PATH_LINK_TARGET
            | PATH_OPEN
            | PATH_READLINK
            | PATH_RENAME_SOURCE
            | PATH_RENAME_TARGET
            | PATH_FILESTAT_GET
            | PATH_FILESTAT_SET_SIZE
            | PATH_FILESTAT_SET_TIMES
            | PATH_SYMLINK
            | PATH_REMOVE_DIRECTORY
            | PATH_UNLINK_FILE;

    /// A stream. Without the rights to seek and tell, or wasi-libc takes it for a file.
    static final long INPUT = FD_READ | FD_FDSTAT_SET_FLAGS | FD_FILESTAT_GET | POLL_FD_READWRITE;

    static final long OUTPUT = FD_WRITE | FD_FDSTAT_SET_FLAGS | FD_FILESTAT_GET | POLL_FD_READWRITE;
}
