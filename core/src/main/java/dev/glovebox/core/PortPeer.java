package dev.glovebox.core;

/// Who speaks with a port inside a sandbox: the outer end of one connection. What it sends is read from it, what the
/// guest sends is written to it, and each half ends for itself.
///
/// One thread reads, another does the rest, any thread may close. Reading and writing may block; a peer that has gone
/// throws [Gone] from either.
public interface PortPeer extends ByteSource, ByteSink, AutoCloseable {
    /// The connection stands: called once, before everything else. Until then the peer is left as it was.
    void connected();

    /// A part of what the peer sends; -1 when it has closed its sending half.
    @Override
    int read(byte[] target);

    @Override
    void write(byte[] bytes);

    /// The guest has closed its sending half; what it sent is written.
    void end();

    /// All is over; if [#end] has not been called, because the guest or its sandbox broke the connection off. Whoever
    /// reads or writes waits no longer. Idempotent.
    @Override
    void close();

    /// The peer went away without a word; that ends the connection and is no failure of the sandbox.
    final class Gone extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public Gone(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
