package dev.glovebox.server;

import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;

/// Where the server listens for clients with keys.
record ListenAddress(InetAddress host, int port) {

    /// From `HOST:PORT`, `[V6]:PORT` or `PORT` on the loopback interface.
    static ListenAddress of(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "127.0.0.1" : text.substring(0, colon).replaceAll("^\\[|]$", "");
        try {
            int port = Integer.parseInt(text.substring(colon + 1));
            if (port >= 0 && port <= 65535 && !host.isEmpty()) {
                return new ListenAddress(InetAddress.getByName(host), port);
            }
        } catch (NumberFormatException | UnknownHostException e) {
            // Said below.
        }
        throw new IllegalArgumentException(
                "an address to listen on is HOST:PORT, such as 127.0.0.1:7070, not '" + text + "'");
    }

    InetSocketAddress toSocketAddress() {
        return new InetSocketAddress(host, port);
    }

    /// Says where the server listens now.
    void announce(int actualPort, Path socket, PrintStream out) {
        String name = host.getHostAddress().contains(":") ? "[" + host.getHostAddress() + "]" : host.getHostAddress();
        out.println("Glovebox listens on http://" + name + ":" + actualPort + " and on " + socket);
        if (!host.isLoopbackAddress()) {
            out.println("Warning: this address is not the loopback interface and nothing is encrypted: keys and code"
                    + " can be read on the way. Put a proxy that speaks TLS in front, or listen on 127.0.0.1.");
        }
        out.flush();
    }
}
