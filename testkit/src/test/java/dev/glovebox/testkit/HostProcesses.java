package dev.glovebox.testkit;

import dev.glovebox.core.backend.SandboxBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// The processes of sandboxes as the host sees them.
final class HostProcesses {
    private static final Path PROC = Path.of("/proc");
    private static final String OUR_NAMESPACE =
            namespace(ProcessHandle.current().pid());
    /// The kernel keeps 15 characters of a name.
    private static final String SUPERVISOR = "glovebox-superv";

    /// The kernel's mark of a process that is on its way out: it will run no instruction of its own any more.
    private static final long EXITING = 4;

    private record Entry(long parent, String name, char state, long flags) {
        boolean isThere() {
            return state != 'Z' && state != 'X';
        }

        boolean canRun() {
            return isThere() && (flags & EXITING) == 0;
        }
    }

    /// How many of a sandbox's processes there are.
    ///
    /// @param running that may run another instruction
    /// @param there that hold anything, on their way out or not
    record Count(int running, int there) {}

    private final Map<Long, Entry> entries;

    private HostProcesses(Map<Long, Entry> entries) {
        this.entries = entries;
    }

    /// All that a backend's supervisor started, at any depth.
    static List<ProcessHandle> of(SandboxBackend supervised) {
        return ProcessHandle.of(((Supervised) supervised).supervision().pid()).stream()
                .flatMap(ProcessHandle::descendants)
                .toList();
    }

    /// The supervisor that a server has started, if it has.
    static Optional<ProcessHandle> supervisorOf(ProcessHandle server) {
        return server.children()
                .filter(child -> read(child.pid()).name.equals(SUPERVISOR))
                .findFirst();
    }

    /// Whether a process has ended; whoever reaps it may take his time.
    static boolean isGone(long pid) {
        return !read(pid).isThere();
    }

    /// The processes in sandboxes of one supervisor, living or not: those below it, and those that lost their
    /// parent and now stand below whoever takes in the orphans of our own ancestors. Others of this machine run
    /// sandboxes too.
    static Count ofSandboxes(long supervisor) {
        Map<Long, Entry> entries = new HashMap<>();
        try (Stream<Path> directories = Files.list(PROC)) {
            directories
                    .map(directory -> directory.getFileName().toString())
                    .filter(name -> name.matches("\\d+"))
                    .map(Long::valueOf)
                    .forEach(pid -> entries.put(pid, read(pid)));
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
        return new HostProcesses(entries).below(supervisor);
    }

    private Count below(long supervisor) {
        Set<Long> adopters = new HashSet<>(Set.of(1L, supervisor));
        for (Optional<ProcessHandle> at = ProcessHandle.current().parent();
                at.isPresent();
                at = at.get().parent()) {
            adopters.add(at.get().pid());
        }
        List<Entry> found = new ArrayList<>();
        entries.forEach((pid, entry) -> {
            if (entry.isThere() && isInside(pid) && adopters.contains(keeper(pid))) {
                found.add(entry);
            }
        });
        return new Count((int) found.stream().filter(Entry::canRun).count(), found.size());
    }

    private static boolean isInside(long pid) {
        String namespace = namespace(pid);
        return !namespace.isEmpty() && !namespace.equals(OUR_NAMESPACE);
    }

    /// The nearest process above that is in no sandbox.
    private long keeper(long pid) {
        long at = pid;
        for (int i = 0; i < 64 && isInside(at); i++) {
            Entry entry = entries.get(at);
            if (entry == null) {
                return -1;
            }
            at = entry.parent;
        }
        return at;
    }

    private static String namespace(long pid) {
        try {
            return Files.readSymbolicLink(PROC.resolve(pid + "/ns/pid")).toString();
        } catch (IOException _) {
            return "";
        }
    }

    private static Entry read(long pid) {
        try {
            String stat = Files.readString(PROC.resolve(pid + "/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", 8);
            return new Entry(
                    Long.parseLong(fields[1]),
                    stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')')),
                    fields[0].charAt(0),
                    Long.parseLong(fields[6]));
        } catch (IOException _) {
            return new Entry(0, "", 'X', 0);
        }
    }
}
