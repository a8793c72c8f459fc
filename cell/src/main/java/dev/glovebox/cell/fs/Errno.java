package dev.glovebox.cell.fs;

/// Why a call failed: the `errno` of WASI preview 1, with the numbers of its definition, which are what a guest
/// sees. The words are for people.
public enum Errno {
    SUCCESS(0, "no error"),
    TOOBIG(1, "argument list too long"),
    ACCES(2, "permission denied"),
    ADDRINUSE(3, "address in use"),
    ADDRNOTAVAIL(4, "address not available"),
    AFNOSUPPORT(5, "address family not supported"),
    AGAIN(6, "resource unavailable, try again"),
    ALREADY(7, "connection already in progress"),
    BADF(8, "bad file descriptor"),
    BADMSG(9, "bad message"),
    BUSY(10, "resource busy"),
    CANCELED(11, "operation cancelled"),
    CHILD(12, "no child processes"),
    CONNABORTED(13, "connection aborted"),
    CONNREFUSED(14, "connection refused"),
    CONNRESET(15, "connection reset"),
    DEADLK(16, "resource deadlock would occur"),
    DESTADDRREQ(17, "destination address required"),
    DOM(18, "argument out of domain"),
    DQUOT(19, "quota exceeded"),
    EXIST(20, "file exists"),
    FAULT(21, "bad address"),
    FBIG(22, "file too large"),
    HOSTUNREACH(23, "host is unreachable"),
    IDRM(24, "identifier removed"),
    ILSEQ(25, "illegal byte sequence"),
    INPROGRESS(26, "operation in progress"),
    INTR(27, "interrupted"),
    INVAL(28, "invalid argument"),
    IO(29, "input or output error"),
    ISCONN(30, "socket is connected"),
    ISDIR(31, "is a directory"),
    LOOP(32, "too many levels of symbolic links"),
    MFILE(33, "too many open files"),
    MLINK(34, "too many links"),
    MSGSIZE(35, "message too large"),
    MULTIHOP(36, "multihop attempted"),
    NAMETOOLONG(37, "file name too long"),
    NETDOWN(38, "network is down"),
    NETRESET(39, "connection aborted by network"),
    NETUNREACH(40, "network unreachable"),
    NFILE(41, "too many files open in system"),
    NOBUFS(42, "no buffer space available"),
    NODEV(43, "no such device"),
    NOENT(44, "no such file or directory"),
    NOEXEC(45, "executable file format error"),
    NOLCK(46, "no locks available"),
    NOLINK(47, "link has been severed"),
    NOMEM(48, "not enough memory"),
    NOMSG(49, "no message of the desired type"),
    NOPROTOOPT(50, "protocol not available"),
    NOSPC(51, "no space left"),
    NOSYS(52, "function not supported"),
    NOTCONN(53, "socket is not connected"),
    NOTDIR(54, "not a directory"),
    NOTEMPTY(55, "directory not empty"),
    NOTRECOVERABLE(56, "state not recoverable"),
    NOTSOCK(57, "not a socket"),
    NOTSUP(58, "not supported"),
    NOTTY(59, "not a terminal"),
    NXIO(60, "no such device or address"),
    OVERFLOW(61, "value too large"),
    OWNERDEAD(62, "previous owner died"),
    PERM(63, "operation not permitted"),
    PIPE(64, "broken pipe"),
    PROTO(65, "protocol error"),
    PROTONOSUPPORT(66, "protocol not supported"),
    PROTOTYPE(67, "protocol wrong type for socket"),
    RANGE(68, "result too large"),
    ROFS(69, "read-only file system"),
    SPIPE(70, "invalid seek"),
    SRCH(71, "no such process"),
    STALE(72, "stale file handle"),
    TIMEDOUT(73, "timed out"),
    TXTBSY(74, "text file busy"),
    XDEV(75, "cross-device link"),
    /// Only WASI has this one: the descriptor, or its directory, does not give the right to do that.
    NOTCAPABLE(76, "capabilities insufficient");

    private final int code;
    private final String words;

    Errno(int code, String words) {
        this.code = code;
        this.words = words;
    }

    /// The number that travels to the guest.
    public int code() {
        return code;
    }

    public String words() {
        return words;
    }
}
