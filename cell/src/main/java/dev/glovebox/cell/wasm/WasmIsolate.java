package dev.glovebox.cell.wasm;

import com.caoccao.javet.exceptions.JavetException;
import com.caoccao.javet.exceptions.JavetTerminatedException;
import com.caoccao.javet.interop.V8Host;
import com.caoccao.javet.interop.V8Runtime;
import com.caoccao.javet.interop.callback.IJavetDirectCallable;
import com.caoccao.javet.interop.callback.JavetCallbackContext;
import com.caoccao.javet.interop.callback.JavetCallbackType;
import com.caoccao.javet.values.reference.V8ValueArrayBuffer;
import com.caoccao.javet.values.reference.V8ValueFunction;
import com.caoccao.javet.values.reference.V8ValueObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One V8 isolate with our glue in it, one compiled module, and at most one instance at a time. Calls come from
/// one thread at a time; [#terminate()] from any. An isolate whose instance was terminated, trapped or ran out
/// of stack is [#isReusable() not reusable]; after a clean end the next instance gets a new memory in it.
final class WasmIsolate implements AutoCloseable {
    /// How a call into the guest ended.
    enum End {
        RETURNED,
        /// A host function had it unwound.
        UNWOUND,
        STACK_OVERFLOW,
        TRAPPED,
        NOT_EXPORTED,
        TERMINATED
    }

    /// A function that the guest calls. It may block; what it throws unwinds the guest.
    interface HostFunctions {
        int call(int function, Exchange arguments);

        /// Shows the guest's memory, at first and whenever it has grown.
        void memoryIs(ByteBuffer memory);
    }

    private static final HostFunctions NOBODY = new HostFunctions() {
        @Override
        public int call(int function, Exchange arguments) {
            throw new GuestUnwound();
        }

        @Override
        public void memoryIs(ByteBuffer memory) {}
    };

    private static final long HEAP_TO_END_IN = 64L * 1024 * 1024;
    private static final String GLUE = glue();
    private static final List<End> ENDS = List.of(End.values());

    private final V8Runtime runtime;
    private final Exchange exchange = new Exchange();
    private final V8ValueObject glue;
    private final Object terminationLock = new Object();
    private HostFunctions functions = NOBODY;
    private @Nullable V8ValueArrayBuffer buffer;
    private volatile @Nullable LinearMemory memory;
    private @Nullable Throwable hostFailure;
    private int uses;
    private boolean inGuest;
    private boolean terminated;
    private volatile boolean spoilt;
    private boolean closed;

    WasmIsolate() {
        try {
            runtime = V8Host.getV8Instance().createV8Runtime();
            runtime.setLogger(SilentLogger.INSTANCE);
            runtime.setNearHeapLimitCallback(this::nearHeapLimit);
            JavetCallbackContext callback = new JavetCallbackContext(
                    "host",
                    JavetCallbackType.DirectCallNoThisAndNoResult,
                    (IJavetDirectCallable.NoThisAndNoResult<RuntimeException>) _ -> callHost());
            try (V8ValueFunction make = runtime.getExecutor(GLUE).execute();
                    V8ValueFunction host = runtime.createV8ValueFunction(callback);
                    V8ValueArrayBuffer shared = runtime.createV8ValueArrayBuffer(exchange.buffer())) {
                glue = make.call(null, host, shared);
            }
        } catch (JavetException e) {
            throw new IllegalStateException("V8 gives no isolate", e);
        }
    }

    /// V8 would abort the whole cell. What a guest of this tier can make V8 allocate is small; so this is the
    /// last resort.
    private long nearHeapLimit(long current, long initial) {
        spoilt = true;
        runtime.terminateExecution();
        return current + HEAP_TO_END_IN;
    }

    private static String glue() {
        try (InputStream in = WasmIsolate.class.getResourceAsStream("glue.js")) {
            if (in == null) {
                throw new IllegalStateException("glue.js is not in the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("glue.js cannot be read", e);
        }
    }

    /// Compiles a module, cheaply if another isolate of this process holds the same one.
    ///
    /// @param module a direct buffer
    /// @return false if the bytes are no module that V8 takes
    boolean compile(ByteBuffer module) {
        try (V8ValueArrayBuffer bytes = runtime.createV8ValueArrayBuffer(module)) {
            glue.invokeVoid("compile", bytes);
            return true;
        } catch (JavetException e) {
            return false;
        }
    }

    /// Which functions guests can call: `module.name`, numbered in order.
    void offer(List<String> names) {
        try {
            glue.invokeVoid("offer", String.join("\n", names));
        } catch (JavetException e) {
            throw new IllegalStateException("the glue does not work", e);
        }
    }

    /// Gives the next instance a memory of our own making.
    ///
    /// @return null if there is no address space or memory for it
    @Nullable
    LinearMemory newMemory(int initialPages, int maximumPages) {
        uses++;
        try {
            buffer = glue.invoke("memory", initialPages, maximumPages);
            memory = LinearMemory.of(buffer.getByteBuffer());
            return memory;
        } catch (JavetException e) {
            spoilt = true;
            return null;
        }
    }

    /// Makes an instance that imports the memory of [#newMemory].
    End instantiate(HostFunctions host) {
        use(host);
        return invoke("instantiate", false);
    }

    /// Gives the instance other host functions.
    void use(HostFunctions host) {
        functions = host;
        LinearMemory current = memory;
        if (current != null) {
            host.memoryIs(current.buffer());
        }
    }

    /// Makes an instance that brings its own memory, as modules of guests do.
    End instantiateWithOwnMemory(HostFunctions host) {
        functions = host;
        End end = invoke("instantiate", true);
        if (end == End.RETURNED) {
            try {
                buffer = glue.invoke("buffer");
                memory = LinearMemory.of(buffer.getByteBuffer());
                use(host);
            } catch (JavetException e) {
                throw new IllegalStateException("the glue does not work", e);
            }
        }
        return end;
    }

    /// Calls an exported function with i32 arguments; its result is in [#result()].
    End call(String export, int... arguments) {
        Object[] values = new Object[arguments.length + 1];
        values[0] = export;
        for (int i = 0; i < arguments.length; i++) {
            values[i + 1] = arguments[i];
        }
        return invoke("call", values);
    }

    int result() {
        return exchange.result();
    }

    private End invoke(String method, Object... values) {
        synchronized (terminationLock) {
            if (terminated || closed) {
                return End.TERMINATED;
            }
            inGuest = true;
        }
        End end;
        try {
            end = ENDS.get(glue.invokeInteger(method, values));
        } catch (JavetTerminatedException e) {
            end = End.TERMINATED;
        } catch (JavetException e) {
            end = End.TRAPPED;
        }
        synchronized (terminationLock) {
            inGuest = false;
            if (terminated) {
                end = End.TERMINATED;
            }
        }
        if (end == End.STACK_OVERFLOW || end == End.TRAPPED || end == End.TERMINATED) {
            spoilt = true;
        }
        if (end != End.TERMINATED) {
            followMemory();
        }
        Throwable failure = hostFailure;
        hostFailure = null;
        if (failure != null) {
            spoilt = true;
            throw new IllegalStateException("a host function failed", failure);
        }
        return end;
    }

    /// What V8 said about the last trap. It may hold names from the guest's module.
    String failure() {
        try {
            return glue.invokeString("failure");
        } catch (JavetException e) {
            return "";
        }
    }

    /// Asks QuickJS to stop, or no longer to. Any thread.
    void setInterrupt(boolean interrupt) {
        exchange.setInterrupt(interrupt);
    }

    /// The reason of a promise of QuickJS that was rejected and that nobody handles, as a pointer; 0 if there
    /// is none.
    int takeRejection() {
        try {
            return glue.invokeInteger("rejection");
        } catch (JavetException e) {
            return 0;
        }
    }

    private void callHost() {
        try {
            followMemory();
            exchange.setResult(functions.call(exchange.function(), exchange));
        } catch (GuestUnwound e) {
            exchange.setUnwound();
        } catch (Throwable e) {
            hostFailure = e;
            exchange.setUnwound();
        }
    }

    private void followMemory() {
        LinearMemory current = memory;
        if (current != null && current.resize(exchange.pages())) {
            functions.memoryIs(current.buffer());
        }
    }

    /// Stops guest code that runs, and every later call. Any thread; returns at once.
    void terminate() {
        synchronized (terminationLock) {
            if (terminated || closed) {
                return;
            }
            terminated = true;
            if (inGuest) {
                runtime.terminateExecution();
            }
        }
    }

    /// How many instances with a memory of ours have lived here.
    int uses() {
        return uses;
    }

    @Nullable
    LinearMemory memory() {
        return memory;
    }

    /// Whether a next instance may live here.
    boolean isReusable() {
        synchronized (terminationLock) {
            return !spoilt && !terminated && !closed;
        }
    }

    /// Ends the instance and gives its memory back to the system at once; V8 learns of it at its next
    /// collection.
    void drop() {
        LinearMemory dropped = memory;
        V8ValueArrayBuffer handle = buffer;
        memory = null;
        buffer = null;
        functions = NOBODY;
        try {
            if (dropped != null) {
                dropped.discard();
            }
            if (handle != null) {
                handle.close();
            }
            glue.invokeVoid("drop");
        } catch (JavetException e) {
            spoilt = true;
        }
    }

    /// Lets V8 give back what it holds for ended instances: about 2 ms.
    void collect() {
        runtime.lowMemoryNotification();
    }

    @Override
    public void close() {
        synchronized (terminationLock) {
            if (closed) {
                return;
            }
            closed = true;
        }
        LinearMemory dropped = memory;
        memory = null;
        if (dropped != null) {
            dropped.discard();
        }
        try {
            runtime.close();
        } catch (JavetException e) {
            throw new IllegalStateException("an isolate cannot be closed", e);
        }
    }
}
