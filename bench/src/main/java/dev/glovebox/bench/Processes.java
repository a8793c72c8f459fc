package dev.glovebox.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/// Looks at processes from outside, through /proc. What has ended in the meantime counts as nothing.
final class Processes {
    private static final Path PROC = Path.of("/proc");
    private static final long KIB = 1024;
    /// USER_HZ, which is 100 on every Linux that Java runs on.
    private static final long MILLIS_PER_TICK = 10;

    private Processes() {}

    /// Memory of a process.
    ///
    /// @param residentBytes all of its pages in memory
    /// @param proportionalBytes the same, with shared pages divided among those that share them
    record Memory(long residentBytes, long proportionalBytes) {
        Memory plus(Memory other) {
            return new Memory(residentBytes + other.residentBytes, proportionalBytes + other.proportionalBytes);
        }
    }

    /// One thread.
    record Task(long pid, long id, String name, boolean running) {}

    /// The load averages of the machine.
    static String load() {
        String[] parts = read(PROC.resolve("loadavg")).split(" ", -1);
        return parts.length < 3 ? "unknown" : parts[0] + " " + parts[1] + " " + parts[2];
    }

    /// The processes that a process started, and theirs.
    static List<Long> descendants(long pid) {
        return ProcessHandle.of(pid)
                .map(handle ->
                        handle.descendants().map(ProcessHandle::pid).sorted().toList())
                .orElse(List.of());
    }

    static Memory memory(long pid) {
        long resident = 0;
        long proportional = 0;
        for (String line : read(process(pid).resolve("smaps_rollup")).lines().toList()) {
            if (line.startsWith("Rss:")) {
                resident = kib(line);
            } else if (line.startsWith("Pss:")) {
                proportional = kib(line);
            }
        }
        return new Memory(resident, proportional);
    }

    static Memory memory(List<Long> pids) {
        return pids.stream().map(Processes::memory).reduce(new Memory(0, 0), Memory::plus);
    }

    private static long kib(String line) {
        return Long.parseLong(line.replaceAll("\\D", "")) * KIB;
    }

    /// Processor time that a process has used, its ended children not included.
    static long cpuMillis(long pid) {
        String[] fields = stat(process(pid).resolve("stat"));
        return fields.length < 15 ? 0 : (Long.parseLong(fields[13]) + Long.parseLong(fields[14])) * MILLIS_PER_TICK;
    }

    static long cpuMillis(List<Long> pids) {
        return pids.stream().mapToLong(Processes::cpuMillis).sum();
    }

    static boolean exists(long pid) {
        return Files.exists(process(pid));
    }

    static String name(long pid) {
        return read(process(pid).resolve("comm")).strip();
    }

    /// What a process was started with.
    static List<String> arguments(long pid) {
        return List.of(read(process(pid).resolve("cmdline")).split("\0", -1));
    }

    /// How many mounts a process sees.
    static int mounts(long pid) {
        return (int) read(process(pid).resolve("mountinfo")).lines().count();
    }

    /// Cheaper than [#memory(long)].
    static long residentBytes(long pid) {
        return kibOf("VmRSS:", read(process(pid).resolve("status")));
    }

    /// Of the whole machine: what new processes could have.
    static long availableBytes() {
        return kibOf("MemAvailable:", read(PROC.resolve("meminfo")));
    }

    private static long kibOf(String key, String text) {
        return text.lines()
                .filter(line -> line.startsWith(key))
                .mapToLong(Processes::kib)
                .findFirst()
                .orElse(0);
    }

    /// Of all processors together, since the machine started.
    ///
    /// @param idleTicks with nothing to do
    record Machine(long idleTicks, long allTicks) {
        /// How much of the time since then there was nothing to do, from 0 to 1.
        double idleSince(Machine before) {
            return (double) (idleTicks - before.idleTicks) / Math.max(1, allTicks - before.allTicks);
        }
    }

    static Machine machine() {
        String[] fields =
                read(PROC.resolve("stat")).lines().findFirst().orElse("").split(" +", -1);
        long all = 0;
        for (int i = 1; i < Math.min(fields.length, 9); i++) {
            all += Long.parseLong(fields[i]);
        }
        // Waiting for a disk is idle too.
        return new Machine(fields.length < 6 ? 0 : Long.parseLong(fields[4]) + Long.parseLong(fields[5]), all);
    }

    static int descriptors(long pid) {
        return names(process(pid).resolve("fd")).size();
    }

    static List<Task> tasks(long pid) {
        List<Task> tasks = new ArrayList<>();
        for (String id : names(process(pid).resolve("task"))) {
            String stat = read(process(pid).resolve("task").resolve(id).resolve("stat"));
            int open = stat.indexOf('(');
            int close = stat.lastIndexOf(')');
            if (open > 0 && close > open && close + 2 < stat.length()) {
                boolean running = stat.charAt(close + 2) == 'R';
                tasks.add(new Task(pid, Long.parseLong(id), stat.substring(open + 1, close), running));
            }
        }
        return tasks;
    }

    /// Whether a thread is still there and wants a processor.
    static boolean isRunning(Task task) {
        String stat = read(process(task.pid)
                .resolve("task")
                .resolve(Long.toString(task.id))
                .resolve("stat"));
        int close = stat.lastIndexOf(')');
        return close > 0 && close + 2 < stat.length() && stat.charAt(close + 2) == 'R';
    }

    /// The fields of a `stat` file, numbered as in proc(5) from 0; the second, a name, without its blanks.
    private static String[] stat(Path file) {
        String text = read(file);
        int close = text.lastIndexOf(')');
        return close < 0 ? new String[0] : ("0 name" + text.substring(close + 1)).split(" ", -1);
    }

    private static Path process(long pid) {
        return PROC.resolve(Long.toString(pid));
    }

    private static List<String> names(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString().toLowerCase(Locale.ROOT))
                    .toList();
        } catch (IOException | java.io.UncheckedIOException e) {
            return List.of();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }
}
