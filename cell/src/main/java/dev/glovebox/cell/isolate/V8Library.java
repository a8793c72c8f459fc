package dev.glovebox.cell.isolate;

import com.caoccao.javet.enums.JSRuntimeType;
import com.caoccao.javet.interop.V8Host;
import com.caoccao.javet.interop.loader.IJavetLibLoadingListener;
import com.caoccao.javet.interop.loader.JavetLibLoader;
import com.caoccao.javet.interop.options.V8RuntimeOptions;
import java.io.File;
import java.nio.file.Path;
import java.util.List;

/// V8's native library in this process: loaded once, with flags that hold for every isolate. Thread-safe.
public final class V8Library {
    /// Each flag is there because a guest showed the need for it (IsolateAttackIT).
    private static final List<String> FLAGS = List.of(
            // Buffers and WebAssembly memories count against an isolate's limit as the heap does, and crossing it calls
            // the near-heap-limit callback. Without these three a guest takes any amount of memory in buffers.
            "--external-memory-accounted-in-global-limit",
            "--enforce-global-heap-limit",
            "--maximum-global-heap-limit-factor=1",
            // With it, V8 14.7 drops the interruption check from `while (true) new Array(1000).fill(0)` for good.
            "--no-turboshaft-loop-unrolling",
            // Nobody installs it per context then, so there is none: memory that is shared is not counted.
            "--enable-sharedarraybuffer-per-context",
            // The young generation comes on top of the limit: three times this.
            "--max-semi-space-size=8",
            "--wasm-max-committed-code-mb=256",
            // Each collection that we ask for would throw the quickly compiled code of all modules away; it is made
            // anew, and the old one is never freed, for V8 waits until every isolate has said that it does not run
            // it, and one that is parked says nothing. A busy cell grew by 1 MiB a second and ended at the bound above.
            "--no-flush-liftoff-code",
            // Our own, made in this process.
            "--no-verify-snapshot-checksum");

    private static boolean loaded;

    private V8Library() {}

    /// Loads the library from a directory that holds the unpacked file. Later calls do nothing.
    public static synchronized void load(Path directory) {
        if (loaded) {
            return;
        }
        JavetLibLoader.setLibLoadingListener(new IJavetLibLoadingListener() {
            @Override
            public File getLibPath(JSRuntimeType type) {
                return directory.toFile();
            }

            @Override
            public boolean isDeploy(JSRuntimeType type) {
                return false;
            }
        });
        V8RuntimeOptions.V8_FLAGS.setCustomFlags(String.join(" ", FLAGS));
        if (!V8Host.getV8Instance().isLibraryLoaded()) {
            throw new IllegalStateException("V8's library is not in " + directory);
        }
        loaded = true;
    }
}
