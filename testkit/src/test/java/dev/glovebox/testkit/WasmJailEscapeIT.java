package dev.glovebox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Language;
import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.SandboxBackend;
import dev.glovebox.core.backend.SandboxHandle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// The jail around a cell, as the host sees it: what is left to somebody who escaped from V8.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WasmJailEscapeIT {
    private static final List<String> NAMESPACES = List.of("mnt", "pid", "net", "ipc", "uts", "cgroup", "user");
    /// The range of users that sandboxes have on the host.
    private static final long FIRST_USER = 0x40000000L;

    private final SandboxBackend backend = Cells.open();
    private SandboxHandle sandbox;

    @BeforeAll
    void startACell() {
        BackendBench bench = new BackendBench(backend, Tier.WASM, GuestPrograms::of);
        sandbox = bench.create();
        assertThat(bench.run(sandbox, Language.PYTHON, GuestTask.HELLO).stdout())
                .isEqualTo("hello, wörld\n");
    }

    @AfterAll
    void end() {
        sandbox.close();
        backend.close();
    }

    private List<Path> cells() {
        List<Path> cells = HostProcesses.of(backend).stream()
                .map(process -> Path.of("/proc", Long.toString(process.pid())))
                .toList();
        assertThat(cells).isNotEmpty();
        return cells;
    }

    @Test
    void itHasNoPrivilegeAndAUserThatNobodyIs() throws IOException {
        for (Path cell : cells()) {
            String status = Files.readString(cell.resolve("status"));
            for (String set : List.of("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")) {
                assertThat(status).containsPattern(set + ":\\s0000000000000000\n");
            }
            assertThat(status)
                    .containsPattern("NoNewPrivs:\\s1\n")
                    .containsPattern("Seccomp:\\s2\n")
                    .containsPattern("Groups:\\s*\n");
            for (String line :
                    status.lines().filter(line -> line.matches("[UG]id:.*")).toList()) {
                List<String> ids = List.of(line.split("\\s+", -1));
                assertThat(ids).hasSize(5);
                for (String id : ids.subList(1, 5)) {
                    assertThat(Long.parseLong(id)).isGreaterThanOrEqualTo(FIRST_USER);
                }
            }
        }
    }

    @Test
    void itSharesNoNamespaceWithTheHost() throws IOException {
        for (Path cell : cells()) {
            for (String name : NAMESPACES) {
                assertThat(Files.readSymbolicLink(cell.resolve("ns/" + name)))
                        .isNotEqualTo(Files.readSymbolicLink(Path.of("/proc/self/ns", name)));
            }
        }
    }

    @Test
    void itsRootHoldsWhatItReadsAndNothingElse() throws IOException {
        String product = Linux.distribution().toRealPath().toString();
        String java = Path.of(System.getProperty("java.home")).toRealPath().toString();
        for (Path cell : cells()) {
            for (String hidden : List.of("etc/passwd", "root", "home", "var", "usr/bin", "bin", "boot", "opt/x")) {
                assertThat(cell.resolve("root/" + hidden)).doesNotExist();
            }
            for (String line : Files.readAllLines(cell.resolve("mountinfo"))) {
                String[] fields = line.split(" ", 7);
                boolean isOwn = fields[4].matches("/|/tmp|/proc(/.*)?|/dev(/.*)?");
                boolean isReadOnly = fields[5].startsWith("ro");
                boolean isNeeded =
                        Stream.of("/lib", "/usr/lib", product, java).anyMatch(needed -> fields[4].startsWith(needed));
                assertThat(isOwn || (isReadOnly && isNeeded) || fields[4].endsWith(".sock"))
                        .as(line)
                        .isTrue();
            }
        }
    }

    @Test
    void itHasNoNetwork() throws IOException {
        for (Path cell : cells()) {
            assertThat(Files.readAllLines(cell.resolve("net/dev")).stream()
                            .skip(2)
                            .map(String::strip))
                    .allMatch(line -> line.startsWith("lo:"));
            assertThat(Files.readAllLines(cell.resolve("net/route"))).hasSizeLessThan(2);
        }
    }

    @Test
    void itHasNothingOpenThatIsNotIts() throws IOException {
        for (Path cell : cells()) {
            try (Stream<Path> descriptors = Files.list(cell.resolve("fd"))) {
                for (Path descriptor : descriptors.toList()) {
                    String target = Files.readSymbolicLink(descriptor).toString();
                    assertThat(target)
                            .matches(
                                    "pipe:.*|socket:.*|anon_inode:.*|/dev/(null|urandom|random)|/memfd:.*|.*\\.(jar|so|gz|zip|aot|wasm|bin|dat)"
                                            + "|.*/lib/modules|/tmp/.*|.*cgroup.*|/proc/.*|/sys/.*");
                }
            }
        }
    }

    @Test
    void itsEnvironmentIsEmpty() throws IOException {
        for (Path cell : cells()) {
            assertThat(Files.readString(cell.resolve("environ")).split("\0", -1))
                    .filteredOn(entry -> !entry.isEmpty())
                    .allMatch(entry -> entry.startsWith("MALLOC_"));
        }
    }
}
