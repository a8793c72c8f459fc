package dev.glovebox.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/// A service on loopback: says each byte back, and after a line `bytes N` sends so many. Closed with everything that is
/// connected to it.
final class LoopbackService implements AutoCloseable {
    private static final int PIECE_BYTES = 256 * 1024;
    private static final int BACKLOG = 2048;
    private static final int WORD_BYTES = 64;

    private final ServerSocket socket;

    LoopbackService() {
        try {
            socket = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new BenchException("a service on loopback cannot be opened: " + e.getMessage(), e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return socket.getLocalPort();
    }

    private void accept() {
        while (!socket.isClosed()) {
            try {
                Socket accepted = socket.accept();
                // A thread of the system: the bare figure must not have to share with others.
                Thread.ofPlatform().daemon().start(() -> serve(accepted));
            } catch (IOException _) {
                return;
            }
        }
    }

    private static void serve(Socket accepted) {
        try (accepted) {
            accepted.setTcpNoDelay(true);
            InputStream in = accepted.getInputStream();
            OutputStream out = accepted.getOutputStream();
            byte[] word = new byte[WORD_BYTES];
            for (int count = in.read(word); count > 0; count = in.read(word)) {
                String text = new String(word, 0, count, StandardCharsets.US_ASCII);
                if (text.startsWith("bytes ")) {
                    send(out, Long.parseLong(text.substring("bytes ".length()).strip()));
                } else {
                    out.write(word, 0, count);
                }
            }
        } catch (IOException _) {
            // The client has gone.
        }
    }

    private static void send(OutputStream out, long bytes) throws IOException {
        byte[] piece = new byte[PIECE_BYTES];
        for (long left = bytes; left > 0; left -= piece.length) {
            out.write(piece, 0, (int) Math.min(piece.length, left));
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new BenchException("a service on loopback cannot be closed", e);
        }
    }
}
