package dev.glovebox.cell.net;

import java.io.IOException;

/// One connection of a guest. One thread reads and another writes at a time; the other methods are for any thread.
public interface Connection extends AutoCloseable {
    /// Waits until it stands.
    ///
    /// @param millis how long; 0 is for ever
    /// @throws ConnectionFailed if it is refused
    /// @throws java.net.SocketTimeoutException if it takes longer
    /// @throws java.io.InterruptedIOException after [#interrupt()]; it may be waited for again
    void await(int millis) throws IOException;

    /// At least one byte, or -1 at the end; throws as [#await].
    int read(byte[] target, int offset, int length, int millis) throws IOException;

    /// Writes all, and waits where the peer does not read. An interrupt ends the connection then.
    void write(byte[] bytes, int offset, int length) throws IOException;

    /// Closes the sending half.
    void end() throws IOException;

    /// Lets whoever waits go.
    void interrupt();

    /// Idempotent.
    @Override
    void close();
}
