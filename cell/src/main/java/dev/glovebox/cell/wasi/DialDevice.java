package dev.glovebox.cell.wasi;

import dev.glovebox.cell.fs.Errno;
import dev.glovebox.cell.fs.FsError;
import dev.glovebox.cell.net.Connection;
import dev.glovebox.cell.net.ConnectionFailed;
import dev.glovebox.cell.net.GuestNetwork;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The network as files, because WASI preview 1 has no function that connects: who opens `/dev/tcp/HOST/PORT` has a
/// connection, as in bash, and under `/dev/tls` one with TLS. A third part is how long connecting, and each read, may
/// take, in milliseconds. After an error `readlink` of `/dev/net/why` says in words what it was. The guest's thread
/// only, but for [#interrupt()] and [#close()].
public final class DialDevice {
    private static final Pattern PATH = Pattern.compile("/*dev/(tcp|tls)/([^/]+)/([0-9]{1,5})(?:/([0-9]{1,9}))?");
    private static final Pattern WHY = Pattern.compile("/*dev/net/why");
    private static final String TLS = "tls";

    private final GuestNetwork network;
    private final Consumer<Runnable> waiting;
    private volatile @Nullable Connection current;
    private volatile boolean closed;
    private String why = "";

    /// @param waiting runs an action in which the guest's thread waits
    public DialDevice(GuestNetwork network, Consumer<Runnable> waiting) {
        this.network = network;
        this.waiting = waiting;
    }

    /// Lets a guest that waits go on with EINTR; without one it does nothing. Any thread.
    public void interrupt() {
        Connection at = current;
        if (at != null) {
            at.interrupt();
        }
    }

    /// Ends whatever the guest waits for, now and later. Any thread.
    public void close() {
        closed = true;
        Connection at = current;
        if (at != null) {
            at.close();
        }
    }

    static boolean isHere(String path) {
        return PATH.matcher(path).matches();
    }

    static boolean isWhy(String path) {
        return WHY.matcher(path).matches();
    }

    String why() {
        return why;
    }

    /// @param path one that [#isHere]
    Descriptor open(String path) {
        Matcher matcher = PATH.matcher(path);
        if (!matcher.matches()) {
            throw new FsError(Errno.NOENT);
        }
        int port = Integer.parseInt(matcher.group(3));
        int millis = matcher.group(4) == null ? 0 : Integer.parseInt(matcher.group(4));
        Connection connection = open(matcher.group(1).equals(TLS), matcher.group(2), port);
        try {
            during(connection, () -> {
                connection.await(millis);
                return 0;
            });
        } catch (FsError refused) {
            connection.close();
            throw refused;
        }
        return new Descriptor.Connected(
                (bytes, offset, length) -> during(connection, () -> connection.read(bytes, offset, length, millis)),
                (bytes, offset, length) -> during(connection, () -> {
                    connection.write(bytes, offset, length);
                    return length;
                }),
                connection::close);
    }

    private Connection open(boolean isTls, String host, int port) {
        try {
            return isTls ? network.connectSecurely(host, port) : network.connect(host, port);
        } catch (IOException failure) {
            throw error(failure);
        }
    }

    private interface Action {
        int run() throws IOException;
    }

    private int during(Connection connection, Action action) {
        current = connection;
        try {
            if (closed) {
                throw new FsError(Errno.IO);
            }
            int[] result = {0};
            IOException[] thrown = {null};
            waiting.accept(() -> {
                try {
                    result[0] = action.run();
                } catch (IOException failure) {
                    thrown[0] = failure;
                }
            });
            if (thrown[0] != null) {
                throw error(thrown[0]);
            }
            return result[0];
        } finally {
            current = null;
        }
    }

    private FsError error(IOException failure) {
        if (failure instanceof SocketTimeoutException) {
            why = "timed out";
            return new FsError(Errno.TIMEDOUT);
        }
        if (failure instanceof InterruptedIOException) {
            return new FsError(Errno.INTR);
        }
        if (failure instanceof ConnectionFailed refused) {
            why = refused.sentence();
            return new FsError(refused.isRefused() ? Errno.ACCES : Errno.CONNREFUSED);
        }
        why = String.valueOf(failure.getMessage());
        return new FsError(Errno.CONNRESET);
    }
}
