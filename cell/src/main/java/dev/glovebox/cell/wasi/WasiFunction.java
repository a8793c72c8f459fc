package dev.glovebox.cell.wasi;

import dev.glovebox.cell.fs.Errno;
import dev.glovebox.cell.fs.FsError;
import dev.glovebox.cell.wasi.PathCalls.GuestString;
import dev.glovebox.cell.wasi.PathCalls.OpenFlags;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Every function of `wasi_snapshot_preview1`, with its WebAssembly type, so that an engine can be given them all
/// in one loop. A parameter `i` is an `i32`; `I` is an `i64`, which arrives as two ints, the low half first: so
/// no 64-bit number has to pass through JavaScript, which has none that is fast.
public enum WasiFunction {
    ARGS_GET("ii", (w, a) -> w.process().argsGet(a[0], a[1])),
    ARGS_SIZES_GET("ii", (w, a) -> w.process().argsSizesGet(a[0], a[1])),
    ENVIRON_GET("ii", (w, a) -> w.process().environGet(a[0], a[1])),
    ENVIRON_SIZES_GET("ii", (w, a) -> w.process().environSizesGet(a[0], a[1])),
    CLOCK_RES_GET("ii", (w, a) -> w.clocks().clockResGet(a[0], a[1])),
    CLOCK_TIME_GET("iIi", (w, a) -> w.clocks().clockTimeGet(a[0], a[3])),
    FD_ADVISE("iIIi", (w, a) -> w.fds().fdAdvise(a[0], wide(a, 1), wide(a, 3), a[5])),
    FD_ALLOCATE("iII", (w, a) -> w.transfers().fdAllocate(a[0], wide(a, 1), wide(a, 3))),
    FD_CLOSE("i", (w, a) -> w.fds().fdClose(a[0])),
    FD_DATASYNC("i", (w, a) -> w.fds().fdSync(a[0], Rights.FD_DATASYNC)),
    FD_FDSTAT_GET("ii", (w, a) -> w.fds().fdFdstatGet(a[0], a[1])),
    FD_FDSTAT_SET_FLAGS("ii", (w, a) -> w.fds().fdFdstatSetFlags(a[0], a[1])),
    FD_FDSTAT_SET_RIGHTS("iII", (w, a) -> w.fds().fdFdstatSetRights(a[0], wide(a, 1), wide(a, 3))),
    FD_FILESTAT_GET("ii", (w, a) -> w.fds().fdFilestatGet(a[0], a[1])),
    FD_FILESTAT_SET_SIZE("iI", (w, a) -> w.transfers().fdFilestatSetSize(a[0], wide(a, 1))),
    FD_FILESTAT_SET_TIMES("iIIi", (w, a) -> w.fds().fdFilestatSetTimes(a[0], wide(a, 1), wide(a, 3), a[5])),
    FD_PREAD("iiiIi", (w, a) -> w.transfers().fdPread(a[0], a[1], a[2], wide(a, 3), a[5])),
    FD_PRESTAT_DIR_NAME("iii", (w, a) -> w.fds().fdPrestatDirName(a[0], a[1], a[2])),
    FD_PRESTAT_GET("ii", (w, a) -> w.fds().fdPrestatGet(a[0], a[1])),
    FD_PWRITE("iiiIi", (w, a) -> w.transfers().fdPwrite(a[0], a[1], a[2], wide(a, 3), a[5])),
    FD_READ("iiii", (w, a) -> w.transfers().fdRead(a[0], a[1], a[2], a[3])),
    FD_READDIR("iiiIi", (w, a) -> w.fds().fdReaddir(a[0], a[1], a[2], wide(a, 3), a[5])),
    FD_RENUMBER("ii", (w, a) -> w.fds().fdRenumber(a[0], a[1])),
    FD_SEEK("iIii", (w, a) -> w.transfers().fdSeek(a[0], wide(a, 1), a[3], a[4])),
    FD_SYNC("i", (w, a) -> w.fds().fdSync(a[0], Rights.FD_SYNC)),
    FD_TELL("ii", (w, a) -> w.transfers().fdTell(a[0], a[1])),
    FD_WRITE("iiii", (w, a) -> w.transfers().fdWrite(a[0], a[1], a[2], a[3])),
    PATH_CREATE_DIRECTORY("iii", (w, a) -> w.paths().pathCreateDirectory(a[0], string(a, 1))),
    PATH_FILESTAT_GET("iiiii", (w, a) -> w.paths().pathFilestatGet(a[0], a[1], string(a, 2), a[4])),
    PATH_FILESTAT_SET_TIMES(
            "iiiiIIi",
            (w, a) -> w.paths()
                    .pathFilestatSetTimes(a[0], a[1], string(a, 2), Filestat.times(wide(a, 4), wide(a, 6), a[8]))),
    PATH_LINK("iiiiiii", (w, a) -> w.paths().pathLink(a[0], a[1], string(a, 2), a[4], string(a, 5))),
    PATH_OPEN(
            "iiiiiIIii",
            (w, a) -> w.paths()
                    .pathOpen(a[0], a[1], string(a, 2), new OpenFlags(a[4], wide(a, 5), wide(a, 7), a[9]), a[10])),
    PATH_READLINK("iiiiii", (w, a) -> w.paths().pathReadlink(a[0], string(a, 1), string(a, 3), a[5])),
    PATH_REMOVE_DIRECTORY("iii", (w, a) -> w.paths().pathRemoveDirectory(a[0], string(a, 1))),
    PATH_RENAME("iiiiii", (w, a) -> w.paths().pathRename(a[0], string(a, 1), a[3], string(a, 4))),
    PATH_SYMLINK("iiiii", (w, a) -> w.paths().pathSymlink(string(a, 0), a[2], string(a, 3))),
    PATH_UNLINK_FILE("iii", (w, a) -> w.paths().pathUnlinkFile(a[0], string(a, 1))),
    POLL_ONEOFF("iiii", (w, a) -> w.poll().pollOneoff(a[0], a[1], a[2], a[3])),
    PROC_EXIT("i", (_, a) -> {
        throw new ProcExit(a[0]);
    }),
    /// There are no signals here; wasi-libc emulates them inside the guest.
    PROC_RAISE("i", (_, _) -> {
        throw new FsError(Errno.NOTSUP);
    }),
    RANDOM_GET("ii", (w, a) -> w.process().randomGet(a[0], a[1])),
    /// Success: the guest has one thread, and what shares the processor with it is the host's business.
    SCHED_YIELD("", (_, _) -> {}),
    SOCK_ACCEPT("iii", (w, a) -> w.sockets().refuse(a[0])),
    SOCK_RECV("iiiiii", (w, a) -> w.sockets().refuse(a[0])),
    SOCK_SEND("iiiii", (w, a) -> w.sockets().refuse(a[0])),
    SOCK_SHUTDOWN("ii", (w, a) -> w.sockets().refuse(a[0]));

    /// The module that a guest imports these functions from.
    public static final String MODULE = "wasi_snapshot_preview1";

    private static final Map<String, WasiFunction> BY_NAME = Arrays.stream(values())
            .collect(Collectors.toUnmodifiableMap(WasiFunction::importName, Function.identity()));

    /// A body takes the ints and either returns, which is success, or throws what [#invoke] makes a number of.
    @FunctionalInterface
    private interface Body {
        void call(Wasi wasi, int[] arguments);
    }

    private final String importName = name().toLowerCase(Locale.ROOT);
    private final String parameters;
    private final int argumentCount;

    @SuppressWarnings("ImmutableEnumChecker") // the bodies above capture nothing
    private final Body body;

    WasiFunction(String parameters, Body body) {
        this.parameters = parameters;
        this.body = body;
        argumentCount = parameters.length()
                + (int) parameters.chars().filter(type -> type == 'I').count();
    }

    /// Finds a function by the name that guests import it by.
    public static Optional<WasiFunction> ofImportName(String name) {
        return Optional.ofNullable(BY_NAME.get(name));
    }

    /// The name in the module [#MODULE].
    public String importName() {
        return importName;
    }

    /// The types of the parameters: `i` for `i32`, `I` for `i64`.
    public String parameters() {
        return parameters;
    }

    /// Whether the function has an `i32` result, the errno. Only `proc_exit` has none.
    public boolean hasResult() {
        return this != PROC_EXIT;
    }

    /// How many ints [#invoke] takes: one for each `i`, two for each `I`.
    public int argumentCount() {
        return argumentCount;
    }

    /// Calls the function for the guest that `wasi` belongs to. Returns the errno, 0 for success.
    ///
    /// @throws ProcExit if the guest exits
    /// @throws GuestInterrupted if the thread is interrupted while the guest waits
    public int invoke(Wasi wasi, int[] arguments) {
        if (arguments.length != argumentCount) {
            throw new IllegalArgumentException(
                    importName + " takes " + argumentCount + " ints, not " + arguments.length);
        }
        try {
            body.call(wasi, arguments);
            return 0;
        } catch (FsError error) {
            return error.errno().code();
        }
    }

    private static long wide(int[] arguments, int low) {
        return (arguments[low] & 0xffff_ffffL) | ((long) arguments[low + 1] << 32);
    }

    private static GuestString string(int[] arguments, int pointer) {
        return new GuestString(arguments[pointer], arguments[pointer + 1]);
    }
}
