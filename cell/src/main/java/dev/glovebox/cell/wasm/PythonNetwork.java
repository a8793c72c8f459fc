package dev.glovebox.cell.wasm;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/// The Python that makes Python's own modules use the network of the sandbox.
final class PythonNetwork {
    static final String CODE = read();

    private PythonNetwork() {}

    private static String read() {
        try (InputStream in = PythonNetwork.class.getResourceAsStream("network.py")) {
            if (in == null) {
                throw new IllegalStateException("network.py is not in the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("network.py cannot be read", e);
        }
    }
}
