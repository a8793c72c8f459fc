package dev.glovebox.backends;

/// What a cell says on its standard error, handed on to the server's log: bounded, and without control characters.
final class CellLog {
    private static final System.Logger LOG = System.getLogger(Cell.class.getName());

    private CellLog() {}

    static void says(long pid, String line) {
        LOG.log(System.Logger.Level.WARNING, "cell {0} says: {1}", Long.toString(pid), Outcomes.printable(line));
    }

    static void isEnded(long pid, String why) {
        LOG.log(System.Logger.Level.WARNING, "cell {0} is ended: {1}", Long.toString(pid), why);
    }
}
