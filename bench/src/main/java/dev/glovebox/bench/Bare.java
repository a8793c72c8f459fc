package dev.glovebox.bench;

import com.caoccao.javet.enums.JSRuntimeType;
import com.caoccao.javet.exceptions.JavetException;
import com.caoccao.javet.interop.V8Host;
import com.caoccao.javet.interop.V8Runtime;
import com.caoccao.javet.interop.loader.IJavetLibLoadingListener;
import com.caoccao.javet.interop.loader.JavetLibLoader;
import com.caoccao.javet.values.reference.V8ValueArrayBuffer;
import com.caoccao.javet.values.reference.V8ValueFunction;
import com.caoccao.javet.values.reference.V8ValueObject;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// One V8 isolate in the benchmark's own process with nothing around it: the bare primitive. Belongs to one thread,
/// except for [#terminate()].
final class Bare implements AutoCloseable {
    static final String BOOT = "{\"op\":\"boot\",\"entropy\":\"" + "00".repeat(32)
            + "\",\"argv\":[\"main.py\"],\"env\":{},\"cwd\":\"/home/user\"}";

    private static final String SOURCE = source();

    private final V8Runtime runtime;
    private final V8ValueObject glue;

    Bare() {
        try {
            runtime = V8Host.getV8Instance().createV8Runtime();
            try (V8ValueFunction make = runtime.getExecutor(SOURCE).execute()) {
                glue = make.call(null);
            }
        } catch (JavetException e) {
            throw new BenchException("V8 gives no isolate", e);
        }
    }

    /// Loads V8 from the built product. Once, before anything else here.
    static void load(Path natives) {
        JavetLibLoader.setLibLoadingListener(new IJavetLibLoadingListener() {
            @Override
            public File getLibPath(JSRuntimeType type) {
                return natives.toFile();
            }

            @Override
            public boolean isDeploy(JSRuntimeType type) {
                return false;
            }
        });
        if (!V8Host.getV8Instance().isLibraryLoaded()) {
            throw new BenchException("V8's library is not in " + natives);
        }
    }

    private static String source() {
        try (InputStream in = Bare.class.getResourceAsStream("bare.js")) {
            if (in == null) {
                throw new BenchException("bare.js is not in the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new BenchException("bare.js cannot be read", e);
        }
    }

    /// A new isolate that evaluates one script and ends, without the glue.
    static String once(String script) {
        try (V8Runtime isolate = V8Host.getV8Instance().createV8Runtime()) {
            return isolate.getExecutor(script).executeString();
        } catch (JavetException e) {
            throw failed(e);
        }
    }

    /// Evaluates a script and shows its value as text.
    String evaluate(String script) {
        try {
            return runtime.getExecutor(script).executeString();
        } catch (JavetException e) {
            throw failed(e);
        }
    }

    /// Compiles a module under a name.
    void compile(String name, ByteBuffer module) {
        try (V8ValueArrayBuffer bytes = runtime.createV8ValueArrayBuffer(module)) {
            glue.invokeVoid("compile", name, bytes);
        } catch (JavetException e) {
            throw failed(e);
        }
    }

    /// Compiles and runs a WASI command; what it printed.
    String command(ByteBuffer module) {
        try (V8ValueArrayBuffer bytes = runtime.createV8ValueArrayBuffer(module)) {
            return glue.invokeString("command", bytes);
        } catch (JavetException e) {
            throw failed(e);
        }
    }

    /// A new instance of a compiled module.
    int make(String name) {
        try {
            return glue.invokeInteger("make", name);
        } catch (JavetException e) {
            throw failed(e);
        }
    }

    /// Sends a request to an instance of Python; what it printed.
    String python(int instance, String request) {
        try {
            return glue.invokeString("python", instance, request);
        } catch (JavetException e) {
            throw failed(e);
        }
    }

    void drop(int instance) {
        try {
            glue.invokeVoid("drop", instance);
        } catch (JavetException e) {
            throw failed(e);
        }
    }

    /// Runs Python code in a booted instance.
    static String run(String code) {
        return "{\"op\":\"run\",\"code\":\"" + code.replace("\n", "\\n").replace("\"", "\\\"")
                + "\",\"filename\":\"main.py\"}";
    }

    /// Lets V8 give back what it does not need.
    void collect() {
        runtime.lowMemoryNotification();
    }

    /// Stops what runs. Any thread.
    void terminate() {
        runtime.terminateExecution();
    }

    private static BenchException failed(JavetException e) {
        return new BenchException("the bare primitive failed: " + e.getMessage(), e);
    }

    @Override
    public void close() {
        try {
            glue.close();
            runtime.close(true);
        } catch (JavetException e) {
            throw failed(e);
        }
    }
}
