package dev.glovebox.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// What all sections measure with: the built product, one server that they share, and how thorough to be. Belongs to
/// one thread.
final class Lab implements AutoCloseable {
    private static final int QUICK_DIVISOR = 6;

    private final Distribution distribution;
    private final boolean quick;
    private final Random random;
    private @Nullable Product product;

    Lab(Distribution distribution, boolean quick, long seed) {
        this.distribution = distribution;
        this.quick = quick;
        this.random = new Random(seed);
    }

    Distribution distribution() {
        return distribution;
    }

    boolean isQuick() {
        return quick;
    }

    /// How often to measure something.
    int times(int thorough) {
        return quick ? Math.max(3, thorough / QUICK_DIVISOR) : thorough;
    }

    WasmMaker modules() {
        return new WasmMaker(random);
    }

    /// The server that sections share, started at the first call.
    Product product() {
        Product current = product;
        if (current == null) {
            current = Product.start(distribution, Product.Setting.DEFAULT);
            product = current;
        }
        return current;
    }

    /// The server again, in the state of one that has just been started.
    Product freshProduct() {
        endProduct();
        return product();
    }

    /// What the shared server said last; nothing if there is none.
    List<String> lastWords() {
        return product == null ? List.of() : product.lastWords();
    }

    private void endProduct() {
        Product current = product;
        product = null;
        if (current != null) {
            current.close();
        }
    }

    /// A file of the guests, as V8 takes it.
    ByteBuffer guest(String file) {
        Path path = distribution.guest(file);
        try {
            byte[] bytes = Files.readAllBytes(path);
            return direct(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    @Override
    public void close() {
        endProduct();
    }
}
