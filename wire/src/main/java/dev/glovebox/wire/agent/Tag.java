package dev.glovebox.wire.agent;

/// The tags of fields (see [Fields]). The number is what travels; none is ever reused for another meaning. A field that
/// may repeat is a list.
public enum Tag {
    /// u32: protocol version.
    VERSION(1),
    /// bytes: proves which sandbox or cell a connection is.
    TOKEN(2),
    /// text: name of the agent, for example `cell`.
    AGENT(3),
    /// text, repeated: what the agent can do.
    CAPABILITY(4),

    /// u32: a [Status]; 0 is success.
    STATUS(10),
    /// text: what went wrong, in words.
    MESSAGE(11),

    /// text, repeated: program and arguments.
    ARGUMENT(20),
    /// text, repeated: `NAME=value`.
    ENVIRONMENT(21),
    /// text: working directory.
    DIRECTORY(22),
    /// text: user name.
    USER(23),
    /// u32: terminal columns; present if a terminal is wanted.
    COLUMNS(24),
    /// u32: terminal rows.
    ROWS(25),
    /// text: language of `CODE`.
    LANGUAGE(26),
    /// bytes: program text (UTF-8) or WebAssembly module. Longer than a frame: repeated, to be joined.
    CODE(27),
    /// u32: signal number.
    SIGNAL(28),
    /// u32: 1 to interrupt the execution on this channel (KeyboardInterrupt).
    INTERRUPT(29),
    /// u32: 1 if the process reads a standard input that the host sends on stream 0.
    STDIN_OPEN(30),
    /// text: name of the program, for tracebacks.
    FILE_NAME(31),

    /// u64: limits, milliseconds or bytes.
    WALL_MILLIS(40),
    CPU_MILLIS(41),
    MEMORY_BYTES(42),
    OUTPUT_BYTES(43),
    DISK_BYTES(44),
    FILE_COUNT(45),

    /// u32: an outcome (see docs), with the fields that it needs.
    OUTCOME(50),
    EXIT_CODE(51),
    RULE(52),
    REASON(53),
    /// u64: microseconds and bytes used.
    USED_WALL_MICROS(54),
    USED_CPU_MICROS(55),
    USED_MEMORY_BYTES(56),
    USED_OUTPUT_BYTES(57),

    PATH(60),
    TARGET_PATH(61),
    /// u32: 1 file, 2 directory, 3 symbolic link, 4 other.
    FILE_TYPE(62),
    FILE_SIZE(63),
    FILE_MODE(64),
    /// u64: microseconds since 1970.
    FILE_MODIFIED(65),
    LINK_TARGET(66),
    /// u32: 1 to make parents, to remove or list recursively.
    RECURSIVE(67),
    OFFSET(68),
    LENGTH(69),
    /// u32: levels below a directory to list.
    DEPTH(70),
    /// u32: port to connect to.
    PORT(71),

    /// text: a code interpreter context.
    CONTEXT(80),
    /// u32: 1 if the bundle is the value of the last expression.
    MAIN_RESULT(81),
    /// text, repeated, each followed by its MIME_CONTENT.
    MIME_TYPE(82),
    MIME_CONTENT(83),
    ERROR_NAME(84),
    ERROR_VALUE(85),
    ERROR_TRACEBACK(86),

    /// text: the template that a sandbox starts from.
    TEMPLATE(90),
    /// text: a tier's word.
    TIER(91),
    /// text: the sandbox's id, for logs and for `hostname`.
    SANDBOX(92),
    /// bytes: fresh randomness from the host.
    ENTROPY(93),
    /// u64: microseconds since 1970, the host's clock.
    CLOCK_MICROS(94),
    /// u32: 1 if a warm instance was handed out.
    POOLED(95),
    /// u64: microseconds that a phase took.
    PHASE_MICROS(96),
    /// u32: 1 if further fields of this OPEN follow as records.
    MORE(97),
    /// u32: 1 if the context of this execution is gone.
    CONTEXT_LOST(98),
    /// u32: 1 in the record that says that the guest's clock started.
    STARTED(99),
    /// u64: names a process within its sandbox.
    PROCESS_ID(100),
    /// u64: microseconds that a request waited for a place on a processor.
    QUEUED_MICROS(101),
    /// u32: sandboxes in a cell.
    SANDBOXES(102),
    /// u32: guests that run now.
    RUNNING(103),
    /// u32: guests that wait for a place on a processor.
    QUEUED(104),
    /// text, repeated: warm interpreters, for example `python=4`.
    WARM(105),
    USED_DISK_BYTES(106),
    USED_FILES(107),

    /// text: names of a file's owner and group, or their numbers if they have no names.
    FILE_OWNER(108),
    FILE_GROUP(109),
    /// u32: 1 if extended attributes are wanted.
    XATTRS(110),
    /// text, repeated, each followed by its XATTR_VALUE.
    XATTR_NAME(111),
    /// bytes, repeated.
    XATTR_VALUE(112),
    /// u32: 1 create, 2 write, 3 remove, 4 rename, 5 change of mode or owner, 6 overflow: events were lost.
    WATCH_EVENT(113),
    /// u64: the most memory that a sandbox held so far.
    PEAK_MEMORY_BYTES(114),
    /// u64: names a connection that a sandbox asks for.
    CONNECTION(115),
    /// text: the name or the address of whom it wants to connect to.
    HOST(116),
    /// bytes, repeated: certificates of authorities that vouch for hosts, as PEM.
    TRUST(117),
    /// u32: 1 if the content is wanted in memory that both ends share.
    SHARED(118);

    private static final Tag[] BY_CODE = new Tag[119];

    static {
        for (Tag tag : values()) {
            BY_CODE[tag.code] = tag;
        }
    }

    private final int code;

    Tag(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /// The tag with this number, or null if this version knows none: unknown fields are passed over.
    static @org.jspecify.annotations.Nullable Tag ofCode(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
