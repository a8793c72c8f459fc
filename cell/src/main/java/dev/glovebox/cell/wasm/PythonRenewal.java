package dev.glovebox.cell.wasm;

import dev.glovebox.cell.GuestStreams;
import dev.glovebox.core.ExecutionError;
import dev.glovebox.core.MimeBundle;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Puts a new image in the place of Python's image now and then: one with a hash seed that nobody has seen. The first
/// time at once, because the image that we ship has a seed that everybody can know. The pool's thread calls;
/// [#used()] is for any.
final class PythonRenewal {
    /// How long a seed serves; one that served nobody stays.
    static final Duration AGE_MAX = Duration.ofMinutes(1);

    /// Uses what breaks if a dictionary and a seed do not fit together, and tells what it finds.
    private static final byte[] CHECK = """
            import asyncio, dataclasses, json, re, sys
            names = list(sys.modules)
            assert all(name in sys.modules for name in names)
            assert {"".join(name) for name in names} == set(names)
            assert json.loads(json.dumps({"a": [1, None]})) == {"a": [1, None]}
            assert re.fullmatch(r"(\\w+)-\\d", "ab-1")[1] == "ab"
            print(hash("Glovebox"), *sorted(names))
            """.getBytes(StandardCharsets.UTF_8);

    private final PythonMaker maker;
    private final StartMemory start;
    private final long ageMaxNanos;
    private @Nullable Findings findings;
    private long madeAtNanos;
    private volatile boolean used = true;

    /// @param hash what one word's hash is
    /// @param modules what is imported
    private record Findings(String hash, String modules) {}

    PythonRenewal(PythonMaker maker, StartMemory start, Duration ageMax) {
        this.maker = maker;
        this.start = start;
        ageMaxNanos = ageMax.toNanos();
        madeAtNanos = System.nanoTime() - ageMaxNanos;
    }

    /// A sandbox got an instance of the image.
    void used() {
        if (!used) {
            used = true;
        }
    }

    /// Makes a new image, if it is time; true if it was.
    ///
    /// @throws IllegalStateException if that does not work; the image before is in use as if nothing had happened
    boolean renew() {
        long now = System.nanoTime();
        if (!used || now - madeAtNanos < ageMaxNanos) {
            return false;
        }
        // First, so that a failure is not repeated at once.
        madeAtNanos = now;
        Findings before = findings == null ? check(maker.park().image()) : findings;
        WasmImage image = maker.start(start);
        try {
            Findings after = check(image);
            if (after.hash.equals(before.hash) || !after.modules.equals(before.modules)) {
                throw new IllegalStateException("Python starts in another way than it should");
            }
            maker.learn(image);
            findings = after;
        } catch (RuntimeException e) {
            image.close();
            throw e;
        }
        used = false;
        maker.park().use(image);
        return true;
    }

    private Findings check(WasmImage image) {
        Heard heard = new Heard();
        maker.run(image, CHECK, heard);
        String[] words = heard.text.toString(StandardCharsets.UTF_8).split(" ", 2);
        return new Findings(words[0], words[1]);
    }

    /// Keeps what is written to standard output.
    private static final class Heard implements GuestStreams {
        private final ByteArrayOutputStream text = new ByteArrayOutputStream();

        @Override
        public int read(byte[] target, int offset, int length) {
            return -1;
        }

        @Override
        public void stdout(byte[] bytes, int offset, int length) {
            text.write(bytes, offset, length);
        }

        @Override
        public void stderr(byte[] bytes, int offset, int length) {}

        @Override
        public void result(MimeBundle bundle) {}

        @Override
        public void error(ExecutionError error) {}
    }
}
