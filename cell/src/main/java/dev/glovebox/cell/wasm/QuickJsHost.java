package dev.glovebox.cell.wasm;

import dev.glovebox.cell.FileTypes;
import dev.glovebox.cell.InterpreterHome;
import dev.glovebox.cell.fs.FsError;
import dev.glovebox.cell.fs.HostFiles;
import dev.glovebox.cell.fs.WriteOptions;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Limits;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalInt;

/// The host functions of one QuickJS: those of WASI, and what its prelude asks with `host(operation, text)`.
final class QuickJsHost implements WasmIsolate.HostFunctions {
    /// As [WasmIsolate#offer] wants them.
    static final List<String> NAMES;

    static {
        List<String> names = new ArrayList<>(WasiGuest.NAMES);
        names.add("quickjs.call");
        names.add("quickjs.fetch");
        NAMES = List.copyOf(names);
    }

    // The operations of quickjs-prelude.js and, from 100 on, of glue.js.
    private static final int STDOUT = 1;
    private static final int STDERR = 2;
    private static final int DOCUMENT = 3;
    private static final int EXIT = 4;
    private static final int SETTLED = 5;
    private static final int READ = 6;
    private static final int WRITE = 7;
    private static final int LIST = 8;
    private static final int STAT = 9;
    private static final int MAKE = 10;
    private static final int REMOVE = 11;
    private static final int RENAME = 12;
    private static final int APPEND = 13;
    private static final int INPUT = 14;
    private static final int DECODE = 15;
    private static final int STDOUT_BYTES = 16;
    private static final int STDERR_BYTES = 17;
    private static final int WRITE_BYTES = 18;
    private static final int APPEND_BYTES = 19;
    private static final int INPUT_BYTES_MAX = 64 * 1024;
    private static final int MODULE_NORMALIZE = 100;
    private static final int MODULE_LOAD = 101;
    private static final int MODULE_BASE = 110;

    private static final int NO_ANSWER = -1;
    private static final int ERROR = -2;

    private final WasiGuest wasi;
    private final ResultLines results;
    private final HostFiles files;
    private ByteBuffer memory = ByteBuffer.allocate(0);
    private byte[] answer = {};
    private String moduleBase = "/";
    private OptionalInt exit = OptionalInt.empty();
    private boolean settled;

    QuickJsHost(WasiGuest wasi, ResultLines results, InterpreterHome home) {
        this.wasi = wasi;
        this.results = results;
        files = new HostFiles(home.files());
    }

    /// What `process.exit` was given, if it was called.
    OptionalInt exit() {
        return exit;
    }

    /// Whether the script that runs has come to its end.
    boolean isSettled() {
        return settled;
    }

    void begin() {
        settled = false;
        exit = OptionalInt.empty();
    }

    @Override
    public void memoryIs(ByteBuffer newMemory) {
        memory = newMemory;
        wasi.memoryIs(newMemory);
    }

    @Override
    public int call(int function, Exchange arguments) {
        int wasiFunctions = WasiGuest.NAMES.size();
        if (function < wasiFunctions) {
            return wasi.call(function, arguments);
        }
        if (function > wasiFunctions) {
            int at = arguments.int32(0);
            if (at > 0 && at <= memory.capacity() - answer.length) {
                memory.put(at, answer);
            }
            return 0;
        }
        byte[] text = text(arguments.int32(1), arguments.int32(2));
        try {
            return operate(arguments.int32(0), text);
        } catch (FsError | GloveboxException | IllegalArgumentException e) {
            answer = String.valueOf(e.getMessage()).getBytes(StandardCharsets.UTF_8);
            return ERROR - answer.length;
        }
    }

    private byte[] text(int at, int length) {
        if (at < 0 || length < 0 || at > memory.capacity() - length) {
            return new byte[0];
        }
        byte[] bytes = new byte[length];
        memory.get(at, bytes);
        return bytes;
    }

    private int operate(int operation, byte[] bytes) {
        switch (operation) {
            case STDOUT -> wasi.stdout(bytes, 0, bytes.length);
            case STDERR -> wasi.stderr(bytes, 0, bytes.length);
            case DOCUMENT -> {
                results.write(bytes, 0, bytes.length);
                results.write(new byte[] {'\n'}, 0, 1);
            }
            case EXIT -> {
                exit = OptionalInt.of(Math.floorMod(parse(utf8(bytes)), 256));
                throw new GuestUnwound();
            }
            case SETTLED -> settled = true;
            case INPUT -> {
                return answer(HexFormat.of().formatHex(input()));
            }
            case DECODE -> {
                return answer(utf8(unhex(utf8(bytes))));
            }
            case STDOUT_BYTES, STDERR_BYTES -> {
                byte[] content = unhex(utf8(bytes));
                if (operation == STDOUT_BYTES) {
                    wasi.stdout(content, 0, content.length);
                } else {
                    wasi.stderr(content, 0, content.length);
                }
            }
            case MODULE_BASE -> moduleBase = utf8(bytes);
            case MODULE_NORMALIZE -> {
                return answer(normalise(utf8(bytes)));
            }
            default -> {
                return operateOnFiles(operation, bytes);
            }
        }
        return NO_ANSWER;
    }

    /// What is there of standard input, waiting for the first byte; empty at its end.
    private byte[] input() {
        byte[] target = new byte[INPUT_BYTES_MAX];
        int count = wasi.read(target, 0, target.length);
        return Arrays.copyOf(target, Math.max(count, 0));
    }

    private static byte[] unhex(String digits) {
        return HexFormat.of().parseHex(digits);
    }

    private int operateOnFiles(int operation, byte[] bytes) {
        String text = utf8(bytes);
        switch (operation) {
            case READ, MODULE_LOAD -> {
                answer = files.read(new GuestPath(text), Limits.CODE_BYTES_MAX);
                return answer.length;
            }
            case LIST -> {
                List<String> names = new ArrayList<>();
                files.list(new GuestPath(text), 1, entry -> names.add(new GuestPath(entry.path()).fileName()));
                return answer(Json.array(names));
            }
            case STAT -> {
                FileEntry entry = files.stat(new GuestPath(text));
                return answer("[" + FileTypes.code(entry.type()) + "," + entry.sizeBytes() + ","
                        + entry.modified().toEpochMilli() + "]");
            }
            default -> {}
        }
        List<String> pair = Json.readArray(text);
        if (pair.size() != 2) {
            throw new IllegalArgumentException("no such operation");
        }
        GuestPath path = new GuestPath(pair.getFirst());
        boolean isHex = operation == WRITE_BYTES || operation == APPEND_BYTES;
        ByteBuffer content =
                ByteBuffer.wrap(isHex ? unhex(pair.getLast()) : pair.getLast().getBytes(StandardCharsets.UTF_8));
        boolean flag = pair.getLast().equals("true");
        switch (operation) {
            case WRITE, WRITE_BYTES -> files.write(path, content, new WriteOptions(WriteOptions.MODE_KEEP, false));
            case APPEND, APPEND_BYTES -> files.append(path, content, new WriteOptions(WriteOptions.MODE_KEEP, false));
            case MAKE -> files.makeDirectory(path, flag);
            case REMOVE -> files.remove(path, flag);
            case RENAME -> files.move(path, new GuestPath(pair.getLast()));
            default -> throw new IllegalArgumentException("no such operation");
        }
        return NO_ANSWER;
    }

    private String normalise(String specifier) {
        if (!specifier.startsWith("/") && !specifier.startsWith("./") && !specifier.startsWith("../")) {
            throw new IllegalArgumentException("this tier has no packages: modules are files, './name.js'");
        }
        String directory = moduleBase.startsWith("/") ? moduleBase.substring(0, moduleBase.lastIndexOf('/') + 1) : "/";
        return GuestPath.resolve(new GuestPath(directory), specifier).value();
    }

    private int answer(String text) {
        answer = text.getBytes(StandardCharsets.UTF_8);
        return answer.length;
    }

    private static String utf8(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static int parse(String number) {
        try {
            return Integer.parseInt(number);
        } catch (NumberFormatException _) {
            return 1;
        }
    }
}
