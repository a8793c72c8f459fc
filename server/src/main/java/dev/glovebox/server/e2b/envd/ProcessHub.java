package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.Limits;
import dev.glovebox.core.SandboxId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The processes of all sandboxes that were started here: those that run, and for a while those that have ended, so
/// that one who connects late is still told how. Thread-safe.
final class ProcessHub {
    private final Map<SandboxId, Processes> all = new ConcurrentHashMap<>();

    /// Those of one sandbox. Changed only within the map's own operations on that sandbox, which exclude each other.
    private static final class Processes {
        private final Map<Long, HostedProcess> running = new HashMap<>();
        /// Oldest first. Of these only the end is kept.
        private final Map<Long, Ended> ended = new LinkedHashMap<>();

        boolean isEmpty() {
            return running.isEmpty() && ended.isEmpty();
        }
    }

    private record Ended(Optional<String> tag, Fanout fanout) {}

    /// Starts a process.
    ///
    /// @return who is told from its start on what it does
    Fanout.Reader start(EnvdCall call, HostedProcess process) {
        SandboxId sandbox = call.target().id();
        Predicate<SandboxId> isRunning = call.isRunning();
        Fanout.Reader reader = process.fanout().subscribe();
        process.launch(call.gate(), call.target().principal(), sandbox, new HostedProcess.Life() {
            @Override
            public void begun(HostedProcess begun) {
                change(sandbox, processes -> {
                    // The sandbox gives numbers of processes that have ended to others.
                    processes.ended.remove(begun.pid());
                    processes.running.put(begun.pid(), begun);
                });
            }

            @Override
            public boolean ended(HostedProcess ended) {
                remember(sandbox, ended);
                return isRunning.test(sandbox);
            }
        });
        return reader;
    }

    private void remember(SandboxId sandbox, HostedProcess process) {
        Ended entry = new Ended(process.tag(), process.fanout());
        change(sandbox, processes -> {
            if (processes.running.remove(process.pid(), process)) {
                processes.ended.put(process.pid(), entry);
                if (processes.ended.size() > Limits.PROCESSES_REMEMBERED_MAX) {
                    processes.ended.remove(processes.ended.keySet().iterator().next());
                }
            }
        });
        after(
                Limits.PROCESS_AFTERLIFE,
                () -> change(sandbox, processes -> processes.ended.remove(process.pid(), entry)));
    }

    private static void after(Duration delay, Runnable action) {
        CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS)
                .execute(action);
    }

    private void change(SandboxId sandbox, Consumer<Processes> change) {
        all.compute(sandbox, (_, known) -> {
            Processes processes = known == null ? new Processes() : known;
            change.accept(processes);
            return processes.isEmpty() ? null : processes;
        });
    }

    /// Looks something up; null if the sandbox has no processes here.
    private <T> Optional<T> look(SandboxId sandbox, java.util.function.Function<Processes, @Nullable T> look) {
        List<T> found = new ArrayList<>(1);
        all.computeIfPresent(sandbox, (_, processes) -> {
            T one = look.apply(processes);
            if (one != null) {
                found.add(one);
            }
            return processes;
        });
        return found.stream().findFirst();
    }

    /// Those that run, by their numbers.
    List<HostedProcess> running(SandboxId sandbox) {
        return look(
                        sandbox,
                        processes -> processes.running.values().stream()
                                .sorted(Comparator.comparingLong(HostedProcess::pid))
                                .toList())
                .orElse(List.of());
    }

    /// A process that runs.
    ///
    /// @throws ConnectFailure NOT_FOUND
    HostedProcess find(SandboxId sandbox, Selector selector) {
        return look(sandbox, processes -> selector.in(processes.running, HostedProcess::tag))
                .orElseThrow(() -> notFound(selector.words()));
    }

    /// What a process says that runs, or has ended a moment ago.
    ///
    /// @throws ConnectFailure NOT_FOUND
    Fanout connect(SandboxId sandbox, Selector selector) {
        return look(sandbox, processes -> {
                    HostedProcess running = selector.in(processes.running, HostedProcess::tag);
                    if (running != null) {
                        return running.fanout();
                    }
                    Ended ended = selector.in(processes.ended, Ended::tag);
                    return ended == null ? null : ended.fanout();
                })
                .orElseThrow(() -> notFound(selector.words()));
    }

    static ConnectFailure notFound(String which) {
        return new ConnectFailure(ConnectCode.NOT_FOUND, "process with " + which + " not found");
    }

    /// Which process is meant: by its number, or by the tag that it was started with.
    sealed interface Selector {
        record Pid(long pid) implements Selector {}

        record Tag(String tag) implements Selector {}

        /// Reads one.
        static Selector of(ConnectMessage message) {
            if (message.has("tag")) {
                return new Tag(message.text("tag"));
            }
            return new Pid(message.number("pid")
                    .orElseThrow(() -> ConnectFailure.invalid("a process is named by its 'pid' or its 'tag'")));
        }

        private <T> @Nullable T in(Map<Long, T> processes, java.util.function.Function<T, Optional<String>> tags) {
            return switch (this) {
                case Pid(long pid) -> processes.get(pid);
                case Tag(String tag) ->
                    processes.values().stream()
                            .filter(process -> tags.apply(process).equals(Optional.of(tag)))
                            .findFirst()
                            .orElse(null);
            };
        }

        private String words() {
            return switch (this) {
                case Pid(long pid) -> "pid " + pid;
                case Tag _ -> "this tag";
            };
        }
    }
}
