package dev.glovebox.cell.isolate;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// What JavaScript can ask of the host. The prelude gets the places in [#ALL] as `OP.NAME`.
enum HostCall {
    STDOUT,
    STDERR,
    RESULT,
    ERROR,
    EXIT,
    NOW,
    TIME_ORIGIN,
    RANDOM,
    MEMORY_LIMIT,
    MEMORY_USED,
    COLLECT,
    CPU_MICROS,
    CHANGE_DIRECTORY,
    FILE_OPEN,
    FILE_CLOSE,
    FILE_READ,
    FILE_WRITE,
    FILE_RESIZE,
    FILE_STAT,
    FILE_LIST,
    FILE_MAKE_DIRECTORY,
    FILE_REMOVE,
    FILE_RENAME,
    FILE_LINK,
    FILE_READ_LINK,
    FILE_REAL_PATH,
    FILE_TIMES,
    RESOLVE,
    COMPILE_SCRIPT,
    MODULE_EVALUATE,
    MODULE_NAMESPACE,
    SOURCE_LINE,
    PROMISE_STATE,
    PROMISE_RESULT,
    FETCH_IS_OPEN,
    FETCH_BEGIN,
    FETCH_WRITE,
    FETCH_HEAD,
    FETCH_READ,
    FETCH_TAKE,
    FETCH_CLOSE,
    FETCH_CLEAR,
    FETCH_EVENT;

    static final List<HostCall> ALL = List.of(values());

    /// The table that the prelude reads.
    static String table() {
        return IntStream.range(0, ALL.size())
                .mapToObj(number -> ALL.get(number).name() + ":" + number)
                .collect(Collectors.joining(",", "const OP={__proto__:null,", "};"));
    }
}
