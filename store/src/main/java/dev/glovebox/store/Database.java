package dev.glovebox.store;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import org.sqlite.SQLiteConfig;

/// The small layer between SQL and the driver: one connection writes, under a lock and in transactions; a few
/// others read beside it. All that is particular to SQLite is here. Thread-safe.
final class Database implements AutoCloseable {
    /// Readers beyond this wait: more would not be faster on the processors that a server has.
    private static final int READERS_MAX = 4;

    /// Another process (a backup, the `sqlite3` tool) holds the file for moments only.
    private static final int BUSY_MILLIS_MAX = 5_000;

    /// Primary result codes of SQLite for which somebody has to make room, or wait.
    private static final int BUSY = 5;

    private static final int READ_ONLY = 8;
    private static final int IO_ERROR = 10;
    private static final int FULL = 13;
    private static final int PRIMARY_CODE = 0xff;

    /// Something to be done with a connection.
    @FunctionalInterface
    interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    private final Path file;
    private final ReentrantLock writing = new ReentrantLock();
    private final Connection writer;
    private final Semaphore readersFree = new Semaphore(READERS_MAX);
    private final Deque<Connection> readers = new ArrayDeque<>();
    private boolean closed;

    /// Opens the database in a file that nobody but its owner can read; SQLite gives its other files the same
    /// rights.
    Database(Path file) {
        this.file = file;
        try {
            PrivateFiles.createIfAbsent(file);
            this.writer = connect();
        } catch (IOException | SQLException failure) {
            throw new GloveboxException(
                    ErrorCode.INTERNAL, "the database " + file + " cannot be opened: " + failure.getMessage(), failure);
        }
    }

    private Connection connect() throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        // FULL: a commit is on the disk when it returns, also after a loss of power; NORMAL would promise that only
        // for a crash of the process.
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        config.enforceForeignKeys(true);
        config.setBusyTimeout(BUSY_MILLIS_MAX);
        return config.createConnection("jdbc:sqlite:" + file.toAbsolutePath());
    }

    /// One transaction: all of it is on the disk when this returns, or nothing.
    <T> T write(Work<T> work) {
        writing.lock();
        try {
            checkOpen();
            return inTransaction(work);
        } catch (SQLException failure) {
            throw translate(failure);
        } finally {
            writing.unlock();
        }
    }

    /// Begins and ends by statements, because the driver's own transactions begin the next one behind each
    /// commit, and would hold the file against other processes for ever.
    private <T> T inTransaction(Work<T> work) throws SQLException {
        execute("begin immediate");
        try {
            T answer = work.on(writer);
            execute("commit");
            return answer;
        } catch (SQLException | RuntimeException | Error failure) {
            try {
                execute("rollback");
            } catch (SQLException already) {
                // SQLite rolls back by itself after some failures, a full disk among them.
                failure.addSuppressed(already);
            }
            throw failure;
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = writer.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    private void checkOpen() {
        synchronized (readers) {
            if (closed) {
                throw new GloveboxException(ErrorCode.OVERLOADED, "the database is closed: this server is stopping");
            }
        }
    }

    /// Reads what has been committed.
    <T> T read(Work<T> work) {
        readersFree.acquireUninterruptibly();
        try {
            Connection reader = borrow();
            try {
                return work.on(reader);
            } finally {
                giveBack(reader);
            }
        } catch (SQLException failure) {
            throw translate(failure);
        } finally {
            readersFree.release();
        }
    }

    private Connection borrow() throws SQLException {
        checkOpen();
        synchronized (readers) {
            if (!readers.isEmpty()) {
                return readers.removeLast();
            }
        }
        return connect();
    }

    private void giveBack(Connection reader) throws SQLException {
        synchronized (readers) {
            if (!closed) {
                readers.addLast(reader);
                return;
            }
        }
        reader.close();
    }

    private RuntimeException translate(SQLException failure) {
        return switch (failure.getErrorCode() & PRIMARY_CODE) {
            case BUSY, READ_ONLY, IO_ERROR, FULL ->
                new GloveboxException(
                        ErrorCode.OVERLOADED,
                        "the database " + file + " cannot be used now: " + failure.getMessage(),
                        failure);
            default -> new IllegalStateException("the database refused a statement of ours", failure);
        };
    }

    /// Waits for the transaction under way. Idempotent.
    @Override
    public void close() {
        writing.lock();
        try {
            synchronized (readers) {
                closed = true;
                for (Connection reader : readers) {
                    reader.close();
                }
                readers.clear();
            }
            writer.close();
        } catch (SQLException failure) {
            throw translate(failure);
        } finally {
            writing.unlock();
        }
    }
}
