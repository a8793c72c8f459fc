package dev.glovebox.cell.wasi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.cell.fs.Errno;
import dev.glovebox.cell.fs.FileSystems;
import dev.glovebox.cell.fs.HostFiles;
import dev.glovebox.core.GuestPath;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Calls of a guest that has gone mad: half of them make sense, some nearly, the others none at all. Whatever it
/// does, it gets a number back or exits, what surrounds its memory stays as it was, and the file system stays
/// sound.
@Timeout(30)
class WasiFuzzTest {
    private static final int CALLS = 10_000;
    private static final int GUARD_BYTES = 4096;
    private static final byte GUARD = 0x5a;
    private static final int MEMORY_BYTES = 65_536;

    private static final int VECTORS = 4_096;
    private static final int SUBSCRIPTIONS = 8_192;
    private static final int FREE = 16_384;
    private static final int PATH_STRIDE = 32;
    private static final List<String> PATHS = List.of(
            "a",
            "b",
            "f",
            "g",
            "a/b",
            "a/f",
            "b/f",
            "a/b/c",
            "./a",
            "a/",
            "a/../b",
            "l",
            "l/a",
            "../a",
            "..",
            ".",
            "",
            "/",
            "/tmp",
            "tmp",
            "tmp/a",
            "dev/zero",
            "dev/null",
            "dev/urandom",
            "lib/x",
            "lib",
            "\0",
            "é",
            "x".repeat(31));

    /// What each argument is: `d` a descriptor, `D` one that may be lost, `p` a path, `b` a buffer and `v`
    /// vectors (two ints each), `o` where a result goes, `s` subscriptions, `f` flags or another small number,
    /// `l` lookup flags, `L` an offset and `R` rights (two ints each).
    private static final Map<WasiFunction, String> ROLES = Map.ofEntries(
            Map.entry(WasiFunction.ARGS_GET, "oo"),
            Map.entry(WasiFunction.ARGS_SIZES_GET, "oo"),
            Map.entry(WasiFunction.ENVIRON_GET, "oo"),
            Map.entry(WasiFunction.ENVIRON_SIZES_GET, "oo"),
            Map.entry(WasiFunction.CLOCK_RES_GET, "fo"),
            Map.entry(WasiFunction.CLOCK_TIME_GET, "fLo"),
            Map.entry(WasiFunction.FD_ADVISE, "dLLf"),
            Map.entry(WasiFunction.FD_ALLOCATE, "dLL"),
            Map.entry(WasiFunction.FD_CLOSE, "D"),
            Map.entry(WasiFunction.FD_DATASYNC, "d"),
            Map.entry(WasiFunction.FD_FDSTAT_GET, "do"),
            Map.entry(WasiFunction.FD_FDSTAT_SET_FLAGS, "df"),
            Map.entry(WasiFunction.FD_FDSTAT_SET_RIGHTS, "DRR"),
            Map.entry(WasiFunction.FD_FILESTAT_GET, "do"),
            Map.entry(WasiFunction.FD_FILESTAT_SET_SIZE, "dL"),
            Map.entry(WasiFunction.FD_FILESTAT_SET_TIMES, "dLLf"),
            Map.entry(WasiFunction.FD_PREAD, "dvLo"),
            Map.entry(WasiFunction.FD_PRESTAT_DIR_NAME, "db"),
            Map.entry(WasiFunction.FD_PRESTAT_GET, "do"),
            Map.entry(WasiFunction.FD_PWRITE, "dvLo"),
            Map.entry(WasiFunction.FD_READ, "dvo"),
            Map.entry(WasiFunction.FD_READDIR, "dbLo"),
            Map.entry(WasiFunction.FD_RENUMBER, "DD"),
            Map.entry(WasiFunction.FD_SEEK, "dLfo"),
            Map.entry(WasiFunction.FD_SYNC, "d"),
            Map.entry(WasiFunction.FD_TELL, "do"),
            Map.entry(WasiFunction.FD_WRITE, "dvo"),
            Map.entry(WasiFunction.PATH_CREATE_DIRECTORY, "dp"),
            Map.entry(WasiFunction.PATH_FILESTAT_GET, "dlpo"),
            Map.entry(WasiFunction.PATH_FILESTAT_SET_TIMES, "dlpLLf"),
            Map.entry(WasiFunction.PATH_LINK, "dlpdp"),
            Map.entry(WasiFunction.PATH_OPEN, "dlpfRRfo"),
            Map.entry(WasiFunction.PATH_READLINK, "dpbo"),
            Map.entry(WasiFunction.PATH_REMOVE_DIRECTORY, "dp"),
            Map.entry(WasiFunction.PATH_RENAME, "dpdp"),
            Map.entry(WasiFunction.PATH_SYMLINK, "pdp"),
            Map.entry(WasiFunction.PATH_UNLINK_FILE, "dp"),
            Map.entry(WasiFunction.POLL_ONEOFF, "sofo"),
            Map.entry(WasiFunction.PROC_EXIT, "f"),
            Map.entry(WasiFunction.PROC_RAISE, "f"),
            Map.entry(WasiFunction.RANDOM_GET, "b"),
            Map.entry(WasiFunction.SCHED_YIELD, ""),
            Map.entry(WasiFunction.SOCK_ACCEPT, "dfo"),
            Map.entry(WasiFunction.SOCK_RECV, "dvfoo"),
            Map.entry(WasiFunction.SOCK_SEND, "dvfo"),
            Map.entry(WasiFunction.SOCK_SHUTDOWN, "df"));

    private static final List<WasiFunction> FUNCTIONS = List.copyOf(EnumSet.allOf(WasiFunction.class));

    @Test
    void survivesGuestsThatCallAtRandom() {
        Set<WasiFunction> succeeded = EnumSet.noneOf(WasiFunction.class);
        for (long seed = 1; seed <= 5; seed++) {
            succeeded.addAll(callAtRandom(seed));
        }
        // A fuzzer that only ever hears EBADF tests nothing.
        assertThat(FUNCTIONS.stream().filter(function -> !succeeded.contains(function)))
                .containsExactly(
                        WasiFunction.PROC_EXIT,
                        WasiFunction.PROC_RAISE,
                        WasiFunction.SOCK_ACCEPT,
                        WasiFunction.SOCK_RECV,
                        WasiFunction.SOCK_SEND,
                        WasiFunction.SOCK_SHUTDOWN);
    }

    /// Returns the functions that succeeded at least once.
    static Set<WasiFunction> callAtRandom(long seed) {
        Random random = new Random(seed);
        ByteBuffer surroundings = ByteBuffer.allocate(MEMORY_BYTES + 2 * GUARD_BYTES);
        for (int i = 0; i < surroundings.capacity(); i++) {
            surroundings.put(i, GUARD);
        }
        ByteBuffer memory = surroundings.slice(GUARD_BYTES, MEMORY_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        Set<WasiFunction> succeeded = EnumSet.noneOf(WasiFunction.class);
        try (TestGuest guest = new TestGuest()) {
            guest.files.mountReadOnly(new GuestPath("/lib/x"), ByteBuffer.wrap(new byte[1000]));
            guest.wasi.memory().refresh(memory);
            for (int call = 0; call < CALLS; call++) {
                if (call % 50 == 0) {
                    scribble(random, memory);
                }
                if (call % 500 == 0) {
                    removeAll(guest); // by the host, under the guest's feet; or soon every name would be taken
                }
                WasiFunction function = random.nextInt(6) == 0
                        ? WasiFunction.PATH_OPEN
                        : FUNCTIONS.get(random.nextInt(FUNCTIONS.size()));
                guest.wasi.wake(); // so that no poll_oneoff sleeps
                try {
                    int errno = function.invoke(guest.wasi, arguments(random, function));
                    assertThat(errno).isBetween(0, Errno.NOTCAPABLE.code());
                    if (errno == 0) {
                        succeeded.add(function);
                    }
                } catch (ProcExit exit) {
                    assertThat(function).isEqualTo(WasiFunction.PROC_EXIT);
                }
            }
            assertSound(guest);
        }
        for (int i = 0; i < GUARD_BYTES; i++) {
            assertThat(surroundings.get(i)).isEqualTo(GUARD);
            assertThat(surroundings.get(GUARD_BYTES + MEMORY_BYTES + i)).isEqualTo(GUARD);
        }
        return succeeded;
    }

    private static void scribble(Random random, ByteBuffer memory) {
        byte[] noise = new byte[MEMORY_BYTES];
        random.nextBytes(noise);
        memory.put(0, noise);
        for (int i = 0; i < PATHS.size(); i++) {
            memory.put(i * PATH_STRIDE, PATHS.get(i).getBytes(StandardCharsets.UTF_8));
        }
        for (int at = VECTORS; at < SUBSCRIPTIONS; at += 8) {
            memory.putInt(at, random.nextInt(MEMORY_BYTES)).putInt(at + 4, random.nextInt(2000));
        }
        for (int at = SUBSCRIPTIONS; at < FREE - 48; at += 48) {
            memory.put(at + 8, (byte) random.nextInt(4)).putInt(at + 16, random.nextInt(6));
        }
    }

    private static int[] arguments(Random random, WasiFunction function) {
        int[] arguments = new int[function.argumentCount()];
        int next = 0;
        for (char role : ROLES.getOrDefault(function, "").toCharArray()) {
            for (int value : sensible(random, role)) {
                arguments[next++] = random.nextInt(40) == 0 ? senseless(random) : value;
            }
        }
        assertThat(next).isEqualTo(arguments.length);
        return arguments;
    }

    private static int[] sensible(Random random, char role) {
        return switch (role) {
            case 'd' -> new int[] {random.nextBoolean() ? 3 : random.nextInt(16)};
            case 'D' -> new int[] {5 + random.nextInt(30)};
            case 'p' -> {
                int path = random.nextInt(random.nextInt(3) > 0 ? 8 : PATHS.size());
                int length = PATHS.get(path).getBytes(StandardCharsets.UTF_8).length;
                yield new int[] {path * PATH_STRIDE, length};
            }
            case 'b' -> new int[] {FREE + random.nextInt(40_000), random.nextInt(300)};
            case 'v' -> new int[] {VECTORS + 8 * random.nextInt(400), random.nextInt(5)};
            case 's' -> new int[] {SUBSCRIPTIONS + 48 * random.nextInt(100)};
            case 'o' -> new int[] {FREE + random.nextInt(40_000)};
            case 'f' -> new int[] {random.nextInt(2) * random.nextInt(10)};
            case 'l' -> new int[] {random.nextInt(2)};
            case 'L' -> new int[] {random.nextInt(100_000), -random.nextInt(2) * random.nextInt(2)};
            case 'R' -> new int[] {random.nextInt(3) == 0 ? random.nextInt(4) : -1, 0};
            default -> throw new IllegalArgumentException("role " + role);
        };
    }

    private static int senseless(Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> MEMORY_BYTES - random.nextInt(50);
            case 1 -> -random.nextInt(10);
            case 2 -> Integer.MAX_VALUE - random.nextInt(10);
            case 3 -> Integer.MIN_VALUE + random.nextInt(10);
            case 4 -> random.nextInt(2000);
            default -> random.nextInt();
        };
    }

    private static void removeAll(TestGuest guest) {
        HostFiles host = new HostFiles(guest.files);
        List<GuestPath> own = new ArrayList<>();
        host.list(GuestPath.ROOT, 1, entry -> own.add(new GuestPath(entry.path())));
        own.stream()
                .filter(path -> !path.value().matches("/(home|tmp|lib|dev)"))
                .forEach(path -> host.remove(path, true));
    }

    private static void assertSound(TestGuest guest) {
        guest.close();
        FileSystems.assertQuotaExact(guest.files, List.of());
        removeAll(guest);
        FileSystems.assertQuotaExact(guest.files, List.of());
    }
}
