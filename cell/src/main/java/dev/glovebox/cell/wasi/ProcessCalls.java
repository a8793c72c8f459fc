package dev.glovebox.cell.wasi;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.random.RandomGenerator;

/// The functions about the program as a whole: `args_*`, `environ_*` and `random_get`.
final class ProcessCalls {
    /// Random bytes that are made between two looks at whether the guest is to end.
    private static final int RANDOM_CHUNK_BYTES = 64 * 1024;

    private final GuestMemory memory;
    private final List<byte[]> arguments;
    private final List<byte[]> variables;
    private final RandomGenerator random;

    ProcessCalls(GuestMemory memory, WasiProgram program, RandomGenerator random) {
        this.memory = memory;
        arguments = cStrings(program.arguments());
        variables = cStrings(program.variables());
        this.random = random;
    }

    void argsGet(int pointers, int buffer) {
        putStrings(arguments, pointers, buffer);
    }

    void argsSizesGet(int countPointer, int bytesPointer) {
        putSizes(arguments, countPointer, bytesPointer);
    }

    void environGet(int pointers, int buffer) {
        putStrings(variables, pointers, buffer);
    }

    void environSizesGet(int countPointer, int bytesPointer) {
        putSizes(variables, countPointer, bytesPointer);
    }

    void randomGet(int buffer, int length) {
        memory.check(buffer, length);
        byte[] chunk = new byte[Math.min(length, RANDOM_CHUNK_BYTES)];
        for (int done = 0; done < length; ) {
            if (Thread.currentThread().isInterrupted()) {
                throw new GuestInterrupted();
            }
            random.nextBytes(chunk);
            int part = Math.min(chunk.length, length - done);
            memory.putBytes(buffer + done, chunk, 0, part);
            done += part;
        }
    }

    private void putSizes(List<byte[]> strings, int countPointer, int bytesPointer) {
        memory.check(bytesPointer, 4);
        memory.putInt(countPointer, strings.size());
        memory.putInt(bytesPointer, totalBytes(strings));
    }

    private void putStrings(List<byte[]> strings, int pointers, int buffer) {
        memory.check(pointers, 4 * strings.size());
        memory.check(buffer, totalBytes(strings));
        int next = buffer;
        for (int i = 0; i < strings.size(); i++) {
            byte[] string = strings.get(i);
            memory.putInt(pointers + 4 * i, next);
            memory.putBytes(next, string, 0, string.length);
            next += string.length;
        }
    }

    private static int totalBytes(List<byte[]> strings) {
        return strings.stream().mapToInt(string -> string.length).sum();
    }

    private static List<byte[]> cStrings(List<String> strings) {
        return strings.stream()
                .map(string -> (string + '\0').getBytes(StandardCharsets.UTF_8))
                .toList();
    }
}
