package dev.glovebox.cell.isolate;

import com.caoccao.javet.exceptions.JavetException;
import com.caoccao.javet.interop.V8Guard;
import com.caoccao.javet.interop.V8Host;
import com.caoccao.javet.interop.V8Runtime;
import com.caoccao.javet.interop.callback.IJavetDirectCallable;
import com.caoccao.javet.interop.callback.JavetCallbackContext;
import com.caoccao.javet.interop.callback.JavetCallbackType;
import com.caoccao.javet.values.V8Value;
import com.caoccao.javet.values.reference.V8ValueArrayBuffer;
import com.caoccao.javet.values.reference.V8ValueFunction;
import com.caoccao.javet.values.reference.V8ValueGlobalObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Takes the types out of TypeScript, with swc (docs/adr/0004-typescript-stripping.md). It has an isolate of its own,
/// where no guest code ever runs, made when the first source comes and shared by all sandboxes of the process. What one
/// source can take of it is bounded in time and memory; an isolate that ran into a bound is replaced. Thread-safe.
public final class TypeScript implements AutoCloseable {
    /// A source as large as a program may be takes a second.
    private static final long STRIP_MILLIS_MAX = 5_000;
    /// How long a sandbox waits for its turn: two sources of others.
    private static final long WAIT_MILLIS_MAX = 2 * STRIP_MILLIS_MAX;

    private static final long MEMORY_BYTES_MAX = 512L * 1024 * 1024;
    /// WebAssembly's memory never shrinks: after one large source the isolate is made anew.
    private static final long MEMORY_BYTES_KEPT = 96L * 1024 * 1024;

    private static final String[] WRAPPER = {"exports", "require", "module"};

    private record Isolate(V8Runtime runtime, MemoryGuard memory, V8ValueFunction strip) {}

    private final Path directory;
    private final ReentrantLock lock = new ReentrantLock(true);
    private @Nullable Isolate isolate;

    /// @param directory where `typescript.js` and `typescript.wasm` are
    public TypeScript(Path directory) {
        this.directory = directory;
    }

    /// Makes the isolate, if there is none yet, so that the first source does not have to wait for it.
    public void warm() {
        strip("let ready: boolean = true;", "ready.ts");
    }

    /// The source without its types: at the same places if it only had types, else rewritten.
    String strip(String source, String place) {
        try {
            if (!lock.tryLock(WAIT_MILLIS_MAX, TimeUnit.MILLISECONDS)) {
                throw new Modules.Refused("Error", "TypeScript is busy with other sandboxes; try again", "", "");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Modules.Refused("Error", "interrupted while waiting for TypeScript", "", "");
        }
        try {
            return answer(stripLocked(source), place);
        } finally {
            lock.unlock();
        }
    }

    private String stripLocked(String source) {
        try {
            Isolate current = isolate;
            if (current == null) {
                current = open();
                isolate = current;
            }
            String reply;
            try (V8Guard _ = current.runtime.getGuard(STRIP_MILLIS_MAX)) {
                reply = current.strip.callString(null, source);
            }
            current.memory.look();
            if (reply == null || reply.startsWith("?") || current.memory.usedBytes() > MEMORY_BYTES_KEPT) {
                discard();
            }
            return reply == null ? "?" : reply;
        } catch (JavetException e) {
            discard();
            return "?";
        }
    }

    private static String answer(String reply, String place) {
        if (reply.startsWith("=")) {
            return reply.substring(1);
        }
        if (!reply.startsWith("!")) {
            throw new Modules.Refused(
                    "SyntaxError", "the source is too large or too deeply nested to take its types out", "", "");
        }
        String[] parts = reply.substring(1).split("\0", -1);
        String frame = place + ":" + parts[1] + "\n" + parts[3] + "\n" + " ".repeat(Integer.parseInt(parts[2])) + "^";
        throw new Modules.Refused("SyntaxError", parts[0], "", frame);
    }

    private Isolate open() throws JavetException {
        V8Runtime runtime = V8Host.getV8Instance().createV8Runtime(Prelude.options());
        runtime.setLogger(Quiet.INSTANCE);
        // What the prelude asks there is how much memory there may be.
        JavetCallbackContext onlyMemory = new JavetCallbackContext(
                "host", JavetCallbackType.DirectCallNoThisAndResult, (IJavetDirectCallable.NoThisAndResult<
                                RuntimeException>)
                        _ -> runtime.createV8ValueDouble((double) MEMORY_BYTES_MAX));
        ByteBuffer module = module();
        try (V8ValueGlobalObject global = runtime.getGlobalObject();
                V8ValueFunction start = global.get("__start");
                V8ValueFunction host = runtime.createV8ValueFunction(onlyMemory);
                V8ValueArrayBuffer transfer = runtime.createV8ValueArrayBuffer(ByteBuffer.allocateDirect(1));
                V8Value _ = start.call(null, host, transfer);
                V8ValueFunction glue = runtime.getExecutor(Files.readString(directory.resolve("typescript.js")))
                        .setResourceName("glovebox:typescript")
                        .compileV8ValueFunction(WRAPPER);
                V8ValueFunction make = runtime.getExecutor(Prelude.resource("strip.js"))
                        .setResourceName("glovebox:strip")
                        .execute();
                V8ValueArrayBuffer bytes = runtime.createV8ValueArrayBuffer(module)) {
            V8ValueFunction strip = make.call(null, glue, bytes);
            MemoryGuard memory = new MemoryGuard(runtime, new Control(runtime), MEMORY_BYTES_MAX);
            memory.install();
            return new Isolate(runtime, memory, strip);
        } catch (IOException e) {
            runtime.close();
            throw new IllegalStateException("the TypeScript stripper is not in " + directory, e);
        }
    }

    private ByteBuffer module() {
        try {
            byte[] bytes = Files.readAllBytes(directory.resolve("typescript.wasm"));
            return ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
        } catch (IOException e) {
            throw new IllegalStateException("the TypeScript stripper is not in " + directory, e);
        }
    }

    private void discard() {
        Isolate old = isolate;
        isolate = null;
        if (old != null) {
            try {
                old.strip.close();
                old.memory.close();
            } catch (JavetException e) {
                throw new IllegalStateException("V8 does not close an isolate", e);
            }
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            discard();
        } finally {
            lock.unlock();
        }
    }
}
