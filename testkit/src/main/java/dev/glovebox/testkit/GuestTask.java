package dev.glovebox.testkit;

/// What the suites have guests do, in whatever language a tier runs. [GuestPrograms] says how.
public enum GuestTask {
    /// Prints `hello, wörld` and a newline.
    HELLO,
    /// Prints `out` to standard output and `err` to standard error, each with a newline.
    BOTH_STREAMS,
    EXIT_7,
    /// Raises an error with the text `bad value` and does not handle it.
    RAISE,
    /// Prints its arguments as a JSON array, its own name not among them.
    ARGUMENTS,
    /// Prints its environment as a JSON object.
    ENVIRONMENT,
    /// Prints its working directory and a newline.
    DIRECTORY,
    /// Copies standard input to standard output.
    CAT,
    /// Reads a line, prints `got ` and the line, and reads the next, until the end.
    ANSWER_LINES,
    /// Prints `ready` and a newline, and then waits for an hour.
    READY_AND_WAIT,
    /// Prints `ready` and a newline, and then computes for ever.
    READY_AND_SPIN,
    /// Computes for ever.
    SPIN,
    /// As SPIN, and goes on when it is interrupted, as far as the language lets it.
    SPIN_STUBBORNLY,
    /// Takes memory for ever.
    HOG,
    /// Prints for ever.
    FLOOD,
    /// Prints 1 MiB of `x`.
    PRINT_MEBIBYTE,
    /// Prints the 256 bytes from 0 to 255.
    PRINT_ALL_BYTES,
    /// Calls itself without end.
    RECURSE,
    /// Writes `from inside` to `/home/user/out.txt`.
    WRITE_FILE,
    /// Prints what is in `/home/user/in.txt`.
    READ_FILE,
    /// Writes files until it cannot, and then prints `full` and a newline.
    FILL_DISK,
    /// Makes a symbolic link `/home/user/link` to `in.txt`.
    MAKE_LINK,
    /// Changes what it can reach of its interpreter's global state, and prints `done` and a newline.
    POISON,
    /// Prints `clean` and a newline if nobody has done POISON to the interpreter that it runs in.
    CHECK_POISON,
    /// Connects to a server in the Internet and prints `connected` and a newline if it can; fails otherwise.
    CONNECT,
    /// Imports a package with native code, as numpy; fails if there is none.
    IMPORT_NATIVE,

    /// Prints `ready` and a newline, and serves the ports of [GuestPorts], for ever.
    SERVE_PORTS,

    // ---- in a context

    /// Sets `x` to 41.
    SET_X,
    /// Has the value `x + 1` as its last expression.
    X_PLUS_1,
    /// Defines a name and has no value.
    NO_VALUE
}
