package dev.glovebox.cell.isolate;

import com.caoccao.javet.exceptions.JavetException;
import com.caoccao.javet.exceptions.JavetTerminatedException;
import com.caoccao.javet.interop.V8Runtime;
import com.caoccao.javet.values.V8Value;
import com.caoccao.javet.values.primitive.V8ValueBoolean;
import com.caoccao.javet.values.primitive.V8ValueNumber;
import com.caoccao.javet.values.primitive.V8ValueString;
import com.caoccao.javet.values.reference.V8ValuePromise;
import dev.glovebox.cell.GuestStreams;
import dev.glovebox.cell.fs.Errno;
import dev.glovebox.cell.fs.FsError;
import dev.glovebox.cell.net.ConnectionFailed;
import dev.glovebox.cell.net.HttpRequest;
import dev.glovebox.core.ExecutionError;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import dev.glovebox.core.MimeBundle;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The one function that JavaScript can call. Its arguments may come from anybody in the isolate, so each is
/// checked; what goes wrong is a reply, and no exception of Java gets into V8. Bytes travel through one piece of
/// memory that both sides see. The isolate's thread only.
final class HostCalls {
    static final int TRANSFER_BYTES = 64 * 1024;

    /// Timers and clocks that are finer than this help to read memory by its timing.
    private static final long CLOCK_STEP_NANOS = 100_000;

    private static final long COLLECTION_PAUSE_NANOS = 200_000_000;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final Map<Errno, Integer> LINUX_NUMBERS = Map.ofEntries(
            Map.entry(Errno.PERM, 1),
            Map.entry(Errno.NOENT, 2),
            Map.entry(Errno.BADF, 9),
            Map.entry(Errno.ACCES, 13),
            Map.entry(Errno.EXIST, 17),
            Map.entry(Errno.XDEV, 18),
            Map.entry(Errno.NOTDIR, 20),
            Map.entry(Errno.ISDIR, 21),
            Map.entry(Errno.INVAL, 22),
            Map.entry(Errno.MFILE, 24),
            Map.entry(Errno.FBIG, 27),
            Map.entry(Errno.NOSPC, 28),
            Map.entry(Errno.ROFS, 30),
            Map.entry(Errno.NAMETOOLONG, 36),
            Map.entry(Errno.NOTEMPTY, 39),
            Map.entry(Errno.LOOP, 40));
    private static final int EIO = 5;

    /// A call that the prelude never makes: the guest got hold of the function.
    private static final class BadCall extends RuntimeException {
        private static final long serialVersionUID = 1L;

        BadCall() {
            super("bad call of the host", null, false, false);
        }
    }

    private final V8Runtime runtime;
    private final Control control;
    private final MemoryGuard memory;
    private final FileCalls files;
    private final Modules modules;
    private final Fetches fetches;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final ByteBuffer transfer = ByteBuffer.allocateDirect(TRANSFER_BYTES);
    private final CharsetEncoder encoder = StandardCharsets.UTF_8
            .newEncoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .replaceWith(new byte[] {(byte) 0xef, (byte) 0xbf, (byte) 0xbd});
    private final byte[] bytes = new byte[TRANSFER_BYTES];
    private long startNanos = System.nanoTime();
    private double originMillis;
    private long lastCollectionNanos = startNanos - COLLECTION_PAUSE_NANOS;
    private @Nullable GuestStreams streams;

    HostCalls(
            V8Runtime runtime,
            Control control,
            MemoryGuard memory,
            FileCalls files,
            Modules modules,
            Fetches fetches,
            IsolateOptions options) {
        this.runtime = runtime;
        this.control = control;
        this.memory = memory;
        this.files = files;
        this.modules = modules;
        this.fetches = fetches;
        this.clock = options.clock();
        this.random = options.random();
        this.originMillis = clock.millis();
    }

    ByteBuffer transfer() {
        return transfer;
    }

    void attach(@Nullable GuestStreams to) {
        streams = to;
    }

    /// Sets the guest's clock to zero, when a sandbox that stood ready gets its owner.
    void startClock() {
        startNanos = System.nanoTime();
        originMillis = clock.millis();
    }

    /// Never throws.
    V8Value call(V8Value... arguments) {
        try {
            try {
                return dispatch(arguments);
            } catch (FsError e) {
                return text(
                        "!E" + e.errno() + "\0" + e.getMessage() + "\0" + LINUX_NUMBERS.getOrDefault(e.errno(), EIO));
            } catch (Modules.Refused e) {
                return text(e.reply);
            } catch (GloveboxException e) {
                return text("!EINVAL\0" + e.getMessage() + "\0" + LINUX_NUMBERS.get(Errno.INVAL));
            } catch (BadCall e) {
                return text("!TypeError\0" + e.getMessage() + "\0");
            } catch (StackOverflowError e) {
                return text("!RangeError\0Maximum call stack size exceeded\0");
            } catch (OutOfMemoryError e) {
                return text("!RangeError\0the value is too large to leave the sandbox\0");
            } catch (JavetTerminatedException e) {
                control.repeatRequest();
            } catch (RuntimeException e) {
                control.fail(e);
            }
        } catch (JavetException e) {
            control.fail(new IllegalStateException("a call of the host failed in V8", e));
        }
        return runtime.createV8ValueUndefined();
    }

    private V8Value dispatch(V8Value... a) throws JavetException {
        int operation = (int) number(a, 0);
        if (operation < 0 || operation >= HostCall.ALL.size()) {
            throw new BadCall();
        }
        HostCall call = HostCall.ALL.get(operation);
        return switch (call) {
            case STDOUT, STDERR, RESULT, ERROR -> output(call, a);
            case FILE_OPEN,
                    FILE_CLOSE,
                    FILE_READ,
                    FILE_WRITE,
                    FILE_RESIZE,
                    FILE_STAT,
                    FILE_LIST,
                    FILE_MAKE_DIRECTORY,
                    FILE_REMOVE,
                    FILE_RENAME,
                    FILE_LINK,
                    FILE_READ_LINK,
                    FILE_REAL_PATH,
                    FILE_TIMES,
                    CHANGE_DIRECTORY -> file(call, a);
            case RESOLVE -> text("=" + modules.resolve(string(a, 1), string(a, 2)));
            case COMPILE_SCRIPT -> orUndefined(modules.script(string(a, 1)));
            case MODULE_EVALUATE -> orUndefined(modules.evaluate(string(a, 1)));
            case MODULE_NAMESPACE -> modules.namespace(string(a, 1));
            case SOURCE_LINE -> {
                String line = modules.line(string(a, 1), (int) number(a, 2)).orElse(null);
                yield line == null ? runtime.createV8ValueUndefined() : text("=" + line);
            }
            case PROMISE_STATE -> runtime.createV8ValueInteger(promise(a).getState());
            case PROMISE_RESULT -> promise(a).getResult();
            case EXIT -> {
                control.exit((int) number(a, 1) & 255);
                yield runtime.createV8ValueUndefined();
            }
            case NOW -> runtime.createV8ValueDouble(nowMillis());
            case TIME_ORIGIN -> runtime.createV8ValueDouble(originMillis);
            case RANDOM -> {
                int size = Math.clamp((long) number(a, 1), 0, TRANSFER_BYTES);
                byte[] fresh = new byte[size];
                random.nextBytes(fresh);
                transfer.put(0, fresh);
                yield runtime.createV8ValueUndefined();
            }
            case MEMORY_LIMIT -> runtime.createV8ValueDouble((double) memory.limitBytes());
            case MEMORY_USED -> runtime.createV8ValueDouble((double) memory.usedBytes());
            case COLLECT -> {
                collect();
                yield runtime.createV8ValueUndefined();
            }
            case FETCH_IS_OPEN,
                    FETCH_BEGIN,
                    FETCH_WRITE,
                    FETCH_HEAD,
                    FETCH_READ,
                    FETCH_TAKE,
                    FETCH_CLOSE,
                    FETCH_CLEAR,
                    FETCH_EVENT -> fetch(call, a);
            case CPU_MICROS -> runtime.createV8ValueDouble(control.cpuNanos() / 1000.0);
        };
    }

    /// A collection takes milliseconds of the guest's own time; more than a few in a second help nobody.
    private void collect() {
        long now = System.nanoTime();
        if (now - lastCollectionNanos > COLLECTION_PAUSE_NANOS) {
            lastCollectionNanos = now;
            runtime.lowMemoryNotification();
        }
    }

    private double nowMillis() {
        long elapsed = System.nanoTime() - startNanos;
        return (double) (elapsed - elapsed % CLOCK_STEP_NANOS) / NANOS_PER_MILLI;
    }

    private GuestStreams streams() {
        GuestStreams to = streams;
        if (to == null) {
            throw new BadCall();
        }
        return to;
    }

    private V8Value output(HostCall call, V8Value... a) throws JavetException {
        switch (call) {
            case STDOUT -> {
                byte[] encoded = utf8(string(a, 1));
                streams().stdout(encoded, 0, encoded.length);
            }
            case STDERR -> {
                byte[] encoded = utf8(string(a, 1));
                streams().stderr(encoded, 0, encoded.length);
            }
            case ERROR -> streams().error(new ExecutionError(string(a, 1), string(a, 2), string(a, 3)));
            default -> streams().result(bundle(a));
        }
        return runtime.createV8ValueUndefined();
    }

    private MimeBundle bundle(V8Value... a) throws JavetException {
        Map<String, String> data = new LinkedHashMap<>();
        long size = 0;
        for (int i = 2; i + 1 < a.length; i += 2) {
            String content = string(a, i + 1);
            size += content.length();
            data.put(string(a, i), content);
        }
        if (size > Limits.RESULT_BYTES_MAX) {
            data = Map.of(
                    "text/plain",
                    "<a result of " + size + " characters; the bound is " + Limits.RESULT_BYTES_MAX + " bytes>");
        }
        return new MimeBundle(flag(a, 1), data);
    }

    private byte[] utf8(String text) {
        try {
            ByteBuffer encoded = encoder.encode(CharBuffer.wrap(text));
            byte[] exact = new byte[encoded.remaining()];
            encoded.get(exact);
            return exact;
        } catch (CharacterCodingException e) {
            throw new IllegalStateException("an encoder that replaces does not fail", e);
        }
    }

    private V8Value file(HostCall call, V8Value... a) throws JavetException {
        return switch (call) {
            case FILE_OPEN -> runtime.createV8ValueInteger(files.open(string(a, 1), (int) number(a, 2)));
            case FILE_CLOSE -> {
                files.close((int) number(a, 1));
                yield runtime.createV8ValueUndefined();
            }
            case FILE_READ -> runtime.createV8ValueInteger(read((int) number(a, 1), (long) number(a, 2), size(a, 3)));
            case FILE_WRITE -> runtime.createV8ValueInteger(write((int) number(a, 1), (long) number(a, 2), size(a, 3)));
            case FILE_RESIZE -> {
                files.resize((int) number(a, 1), (long) number(a, 2));
                yield runtime.createV8ValueUndefined();
            }
            case FILE_STAT ->
                text("="
                        + (a[1] instanceof V8ValueString path
                                ? files.stat(path.getValue(), flag(a, 2))
                                : files.stat((int) number(a, 1))));
            case FILE_LIST -> text("=" + files.list(string(a, 1)));
            case FILE_MAKE_DIRECTORY -> runtime.createV8ValueBoolean(files.makeDirectory(string(a, 1), flag(a, 2)));
            case FILE_READ_LINK -> text("=" + files.readLink(string(a, 1)));
            case FILE_REAL_PATH -> text("=" + files.realPath(string(a, 1)));
            case CHANGE_DIRECTORY -> text("=" + files.changeDirectory(string(a, 1)));
            default -> {
                change(call, a);
                yield runtime.createV8ValueUndefined();
            }
        };
    }

    private void change(HostCall call, V8Value... a) throws JavetException {
        switch (call) {
            case FILE_REMOVE -> files.remove(string(a, 1), (int) number(a, 2));
            case FILE_RENAME -> files.rename(string(a, 1), string(a, 2));
            case FILE_LINK -> files.link(string(a, 1), string(a, 2), flag(a, 3));
            case FILE_TIMES -> files.setTimes(string(a, 1), number(a, 2), number(a, 3));
            default -> throw new BadCall();
        }
    }

    private int read(int descriptor, long position, int size) {
        if (descriptor == 0) {
            int count;
            do {
                count = streams().read(bytes, 0, size);
            } while (count == GuestStreams.INTERRUPTED && !control.isStopping());
            transfer.put(0, bytes, 0, Math.max(0, count));
            return Math.max(0, count);
        }
        return files.read(descriptor, position, transfer.duplicate().position(0).limit(size));
    }

    private int write(int descriptor, long position, int size) {
        if (descriptor == 1 || descriptor == 2) {
            transfer.get(0, bytes, 0, size);
            if (descriptor == 1) {
                streams().stdout(bytes, 0, size);
            } else {
                streams().stderr(bytes, 0, size);
            }
            return size;
        }
        return files.write(
                descriptor, position, transfer.duplicate().position(0).limit(size));
    }

    private V8Value fetch(HostCall call, V8Value... a) throws JavetException {
        try {
            switch (call) {
                case FETCH_IS_OPEN -> {
                    return runtime.createV8ValueBoolean(fetches.isOpen());
                }
                case FETCH_BEGIN -> {
                    return runtime.createV8ValueInteger(fetches.begin(request(a)));
                }
                case FETCH_WRITE -> {
                    byte[] part = new byte[size(a, 2)];
                    transfer.get(0, part);
                    fetches.write((int) number(a, 1), part);
                }
                case FETCH_HEAD -> fetches.head((int) number(a, 1));
                case FETCH_READ -> fetches.read((int) number(a, 1));
                case FETCH_TAKE -> {
                    byte[] piece = fetches.take((int) number(a, 1));
                    transfer.put(0, piece);
                    return runtime.createV8ValueInteger(piece.length);
                }
                case FETCH_CLOSE -> fetches.close((int) number(a, 1));
                case FETCH_CLEAR -> fetches.clear();
                default -> {
                    Fetches.Event event = fetches.takeEvent();
                    return event == null
                            ? runtime.createV8ValueUndefined()
                            : text("=" + event.id() + "\0" + event.word() + "\0" + event.text());
                }
            }
            return runtime.createV8ValueUndefined();
        } catch (ConnectionFailed refused) {
            return text("!TypeError\0" + refused.sentence() + "\0");
        }
    }

    /// Method, whether with TLS, host, port, target, length of the body or -1, then names and values of headers.
    private static HttpRequest request(V8Value... a) throws JavetException {
        List<HttpRequest.Header> headers = new ArrayList<>();
        for (int i = 7; i + 1 < a.length; i += 2) {
            headers.add(new HttpRequest.Header(string(a, i), string(a, i + 1)));
        }
        return new HttpRequest(
                string(a, 1), flag(a, 2), string(a, 3), (int) number(a, 4), string(a, 5), headers, (long) number(a, 6));
    }

    // ---- arguments and results

    private V8Value text(String value) throws JavetException {
        return runtime.createV8ValueString(value);
    }

    private V8Value orUndefined(@Nullable V8Value value) {
        return value == null ? runtime.createV8ValueUndefined() : value;
    }

    private static String string(V8Value[] a, int index) throws JavetException {
        if (index < a.length && a[index] instanceof V8ValueString text) {
            return text.getValue();
        }
        throw new BadCall();
    }

    private static double number(V8Value[] a, int index) throws JavetException {
        if (index < a.length && a[index] instanceof V8ValueNumber<?> number) {
            return ((Number) number.getValue()).doubleValue();
        }
        throw new BadCall();
    }

    private static int size(V8Value[] a, int index) throws JavetException {
        double size = number(a, index);
        if (size >= 0 && size <= TRANSFER_BYTES) {
            return (int) size;
        }
        throw new BadCall();
    }

    private static boolean flag(V8Value[] a, int index) throws JavetException {
        if (index < a.length && a[index] instanceof V8ValueBoolean flag) {
            return flag.getValue();
        }
        throw new BadCall();
    }

    private static V8ValuePromise promise(V8Value[] a) {
        if (a.length > 1 && a[1] instanceof V8ValuePromise promise) {
            return promise;
        }
        throw new BadCall();
    }
}
