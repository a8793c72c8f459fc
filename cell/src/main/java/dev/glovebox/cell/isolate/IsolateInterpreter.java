package dev.glovebox.cell.isolate;

import com.caoccao.javet.enums.V8AwaitMode;
import com.caoccao.javet.exceptions.JavetException;
import com.caoccao.javet.exceptions.JavetTerminatedException;
import com.caoccao.javet.interop.V8Host;
import com.caoccao.javet.interop.V8Runtime;
import com.caoccao.javet.interop.callback.IJavetDirectCallable;
import com.caoccao.javet.interop.callback.JavetCallbackContext;
import com.caoccao.javet.interop.callback.JavetCallbackType;
import com.caoccao.javet.interop.converters.JavetPrimitiveConverter;
import com.caoccao.javet.values.V8Value;
import com.caoccao.javet.values.primitive.V8ValueNumber;
import com.caoccao.javet.values.reference.V8ValueArrayBuffer;
import com.caoccao.javet.values.reference.V8ValueFunction;
import com.caoccao.javet.values.reference.V8ValueGlobalObject;
import com.caoccao.javet.values.reference.V8ValuePromise;
import dev.glovebox.cell.GuestStreams;
import dev.glovebox.cell.Interpreter;
import dev.glovebox.cell.Program;
import dev.glovebox.cell.net.GuestNetwork;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.ExecutionError;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/// JavaScript and TypeScript in one V8 isolate. The thread that runs guest code must be a platform thread with a stack
/// of [#STACK_BYTES_MIN] or more: V8 takes 984 KiB of it for the guest, as much again when TypeScript is needed in the
/// middle of that, and does not see where Java's own bound is.
///
/// An isolate has one global object. Contexts are namespaces on it, not V8 contexts, because Javet has one context for
/// each isolate; to separate code that does not trust each other, use two sandboxes.
public final class IsolateInterpreter implements Interpreter {
    public static final long STACK_BYTES_MIN = 4L * 1024 * 1024;

    /// What a shell shows after Ctrl-C.
    private static final int EXIT_INTERRUPTED = 130;

    private static final int STEP_IDLE = -1;
    private static final int STEP_DONE = -2;
    private static final int CELL_PENDING = 0;
    private static final int CELL_FAILED = 2;

    private final V8Runtime runtime;
    private final Control control;
    private final MemoryGuard memory;
    private final FileCalls files;
    private final Modules modules;
    private final Fetches fetches;
    private final HostCalls calls;
    private final Language language;
    private final TypeScript typeScript;
    private final Rejections rejections = new Rejections();
    private final V8ValueFunction enter;
    private final Set<String> contexts = new HashSet<>();

    /// A piece of work in V8 that ends with an outcome.
    private interface Work {
        Outcome perform(GuestStreams streams) throws JavetException;
    }

    private IsolateInterpreter(IsolateOptions options) throws JavetException {
        runtime = V8Host.getV8Instance().createV8Runtime(Prelude.options());
        runtime.setLogger(Quiet.INSTANCE);
        runtime.setConverter(new JavetPrimitiveConverter());
        control = new Control(runtime);
        memory = new MemoryGuard(runtime, control, options.memoryBytes());
        files = new FileCalls(options.files());
        language = options.language();
        typeScript = options.typeScript();
        modules = new Modules(runtime, files, typeScript, this::enterPrelude);
        fetches = new Fetches(control::wake);
        calls = new HostCalls(runtime, control, memory, files, modules, fetches, options);
        runtime.setV8ModuleResolver(modules);
        runtime.setPromiseRejectCallback(rejections);
        JavetCallbackContext callback = new JavetCallbackContext(
                "host",
                JavetCallbackType.DirectCallNoThisAndResult,
                (IJavetDirectCallable.NoThisAndResult<RuntimeException>) calls::call);
        try (V8ValueGlobalObject global = runtime.getGlobalObject();
                V8ValueFunction start = global.get("__start");
                V8ValueFunction host = runtime.createV8ValueFunction(callback);
                V8ValueArrayBuffer transfer = runtime.createV8ValueArrayBuffer(calls.transfer())) {
            enter = start.call(null, host, transfer);
        }
        memory.install();
    }

    /// Makes an isolate with the prelude in it. [V8Library#load] comes first.
    public static IsolateInterpreter create(IsolateOptions options) {
        try {
            return new IsolateInterpreter(options);
        } catch (JavetException e) {
            throw new IllegalStateException("V8 gives no isolate", e);
        }
    }

    /// Gives its sandbox's network to an interpreter that has just been made or claimed.
    public void join(GuestNetwork network) {
        fetches.join(network);
    }

    /// Checks that the isolate answers, and gets its first call over with.
    public void warm() {
        try {
            if (step() != STEP_IDLE) {
                throw new IllegalStateException("a new isolate has something to do");
            }
        } catch (JavetException e) {
            throw new IllegalStateException("a new isolate does not answer", e);
        }
    }

    @Override
    public Outcome run(Program program, GuestStreams streams) {
        return perform(streams, to -> runProgram(program, to));
    }

    private Outcome runProgram(Program program, GuestStreams streams) throws JavetException {
        files.directory(program.directory());
        calls.startClock();
        String place =
                GuestPath.resolve(program.directory(), program.fileName()).value();
        boolean typed = language == Language.TYPESCRIPT
                || Language.ofFileName(program.fileName())
                        .filter(Language.TYPESCRIPT::equals)
                        .isPresent();
        try {
            modules.program(place, new String(program.code(), StandardCharsets.UTF_8), typed);
        } catch (Modules.Refused e) {
            return refuse(e, streams, true);
        }
        enterFull(
                "run",
                place,
                program.directory().value(),
                String.join("\0", program.arguments()),
                lines(program.environment()));
        while (!control.isStopping()) {
            double next = step();
            if (next == STEP_IDLE) {
                int code = (int) number(enterPrelude("finish", "", "", ""));
                return new Outcome.Exited(code & 255);
            }
            rest(next, streams);
        }
        return new Outcome.Exited(0);
    }

    private static String lines(Map<String, String> environment) {
        return environment.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining("\0"));
    }

    /// Source that is not the language that it claims to be.
    private static Outcome refuse(Modules.Refused refused, GuestStreams streams, boolean program) {
        String[] parts = refused.reply.substring(1).split("\0", -1);
        String traceback = (parts[3].isEmpty() ? "" : parts[3] + "\n\n") + parts[0] + ": " + parts[1];
        if (program) {
            byte[] text = (traceback + "\n").getBytes(StandardCharsets.UTF_8);
            streams.stderr(text, 0, text.length);
        }
        streams.error(new ExecutionError(parts[0], parts[1], traceback));
        return new Outcome.Exited(1);
    }

    @Override
    public void openContext(String context, GuestPath directory) {
        if (!contexts.add(context)) {
            throw new GloveboxException(ErrorCode.ALREADY_EXISTS, "a context of this name is open");
        }
        inPrelude("open", context, directory.value());
    }

    @Override
    public void closeContext(String context) {
        requireContext(context);
        contexts.remove(context);
        inPrelude("close", context, "");
    }

    private void inPrelude(String operation, String a, String b) {
        try (V8Value _ = enterPrelude(operation, a, b, "")) {
            return;
        } catch (JavetException e) {
            throw new IllegalStateException("the prelude does not answer", e);
        }
    }

    private void requireContext(String context) {
        if (!contexts.contains(context)) {
            throw new GloveboxException(ErrorCode.CONTEXT_NOT_FOUND, "no such context");
        }
    }

    @Override
    public Outcome execute(String context, String code, Map<String, String> environment, GuestStreams streams) {
        requireContext(context);
        return perform(streams, to -> executeCell(context, code, environment, to));
    }

    private Outcome executeCell(String context, String code, Map<String, String> environment, GuestStreams streams)
            throws JavetException {
        String source = code;
        if (language == Language.TYPESCRIPT) {
            try {
                source = typeScript.strip(code, "cell.ts");
            } catch (Modules.Refused e) {
                return refuse(e, streams, false);
            }
        }
        double state = number(enterPrelude("execute", context, source, lines(environment)));
        while (!control.isStopping()) {
            double next = step();
            state = next == STEP_DONE ? state : number(enterPrelude("cell", "", "", ""));
            if (next == STEP_IDLE) {
                if (state == CELL_PENDING) {
                    enterPrelude("abandon", "", "", "").close();
                    return new Outcome.Exited(1);
                }
                return new Outcome.Exited(state == CELL_FAILED ? 1 : 0);
            }
            rest(next, streams);
        }
        return new Outcome.Exited(1);
    }

    /// Waits for the next task. V8's own tasks, such as finalizers, get their turn.
    private void rest(double millis, GuestStreams streams) {
        if (millis > 0) {
            runtime.await(V8AwaitMode.RunOnce);
            long nanos = TimeUnit.MICROSECONDS.toNanos((long) Math.ceil(millis * 1000));
            streams.waitOutside(() -> control.sleep(nanos, fetches::hasEvent));
        }
    }

    /// Runs guest code, and says how it ended: whoever ended it has the last word, then the guest.
    private Outcome perform(GuestStreams streams, Work work) {
        if (!control.begin()) {
            return over();
        }
        calls.attach(streams);
        Sampler.add(memory);
        Outcome outcome;
        try {
            outcome = work.perform(streams);
        } catch (JavetTerminatedException e) {
            outcome = new Outcome.Exited(1);
        } catch (JavetException e) {
            // The prelude lets no exception out; what still comes is V8's own, for example without stack.
            outcome = new Outcome.Exited(1);
            if (!control.isStopping()) {
                streams.error(new ExecutionError("Error", "the program left the interpreter unusable", ""));
            }
        } finally {
            Sampler.remove(memory);
            calls.attach(null);
            control.end();
        }
        memory.look();
        return judge(outcome, streams);
    }

    private Outcome over() {
        Outcome ending = control.ending();
        return ending == null ? new Outcome.Killed("the interpreter is closed") : ending;
    }

    private Outcome judge(Outcome outcome, GuestStreams streams) {
        RuntimeException failure = control.takeFailure();
        Outcome ending = control.ending();
        OptionalInt exit = control.exitCode();
        if (ending != null) {
            return ending;
        }
        if (failure != null) {
            throw failure;
        }
        if (control.isInterrupted()) {
            inPrelude("clear", "", "");
            streams.error(new ExecutionError("Interrupted", "execution was interrupted", "Interrupted"));
            return new Outcome.Exited(contexts.isEmpty() ? EXIT_INTERRUPTED : 1);
        }
        return exit.isPresent() ? new Outcome.Exited(exit.getAsInt()) : outcome;
    }

    // ---- the prelude

    private V8Value enterPrelude(String operation, String a, Object b, String c) throws JavetException {
        return enterFull(operation, a, b, c, "");
    }

    private V8Value enterFull(String operation, String a, Object b, String c, String d) throws JavetException {
        V8Value second = b instanceof Boolean flag
                ? runtime.createV8ValueBoolean(flag)
                : runtime.createV8ValueString(b.toString());
        memory.entering();
        try {
            return enter.call(
                    null,
                    runtime.createV8ValueString(operation),
                    runtime.createV8ValueString(a),
                    second,
                    runtime.createV8ValueString(c),
                    runtime.createV8ValueString(d));
        } finally {
            memory.left();
        }
    }

    private static double number(V8Value value) throws JavetException {
        try (value) {
            return value instanceof V8ValueNumber<?> number ? ((Number) number.getValue()).doubleValue() : 0;
        }
    }

    /// Tells the prelude of the rejections that nobody handled by now, and runs one task that is due.
    private double step() throws JavetException {
        for (V8ValuePromise promise : rejections.take()) {
            try (promise) {
                memory.entering();
                enter.call(null, runtime.createV8ValueString("rejection"), promise)
                        .close();
            } finally {
                memory.left();
            }
        }
        return number(enterPrelude("step", "", "", ""));
    }

    // ---- control

    @Override
    public void interrupt() {
        control.interrupt();
    }

    @Override
    public void terminate(Outcome why) {
        control.terminate(why);
        fetches.clear();
    }

    @Override
    public boolean isUsable() {
        return control.ending() == null;
    }

    @Override
    public long cpuNanos() {
        return control.cpuNanos();
    }

    @Override
    public long memoryPeakBytes() {
        return memory.peakBytes();
    }

    @Override
    public void close() {
        fetches.clear();
        if (control.close()) {
            try {
                files.close();
                rejections.close();
                memory.close();
            } catch (JavetException e) {
                throw new IllegalStateException("V8 does not close an isolate", e);
            }
        }
    }
}
