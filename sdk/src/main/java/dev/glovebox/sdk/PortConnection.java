package dev.glovebox.sdk;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/// A TCP connection to a port inside a sandbox, as [Sandbox#connect] opens it. One thread may read while another
/// writes; any may close, and then neither waits longer.
public final class PortConnection implements AutoCloseable {
    private final HttpConnection connection;

    PortConnection(HttpConnection connection) {
        this.connection = connection;
    }

    /// What the program inside sends; at its end when that program has closed its sending half.
    public InputStream input() {
        return connection.input();
    }

    /// What the program inside receives. Not buffered.
    public OutputStream output() {
        return connection.output();
    }

    /// Closes our sending half; what the program inside still sends can be read.
    public void shutdownOutput() throws IOException {
        connection.shutdownOutput();
    }

    /// Closes both halves.
    @Override
    public void close() {
        connection.close();
    }
}
