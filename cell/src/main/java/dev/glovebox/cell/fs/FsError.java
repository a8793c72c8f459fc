package dev.glovebox.cell.fs;

/// A file operation that did not happen, as a value that travels up the stack: to the guest it is a number, to a
/// caller of the host a number and words. The words never hold a name or a byte that the guest chose. It has no
/// stack trace, because a guest may cause millions of them and none is a fault of ours.
public final class FsError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Errno errno;

    public FsError(Errno errno) {
        this(errno, errno.words());
    }

    public FsError(Errno errno, String words) {
        super(words, null, false, false);
        this.errno = errno;
    }

    public Errno errno() {
        return errno;
    }
}
