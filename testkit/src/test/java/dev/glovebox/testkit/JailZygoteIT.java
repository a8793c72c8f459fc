package dev.glovebox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Language;
import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.SandboxHandle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The process that forks kernels with pandas imported: used, missed by nobody when it dies, and replaced.
@Timeout(120)
class JailZygoteIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String IS_WARM = "import sys\nprint('pandas' in sys.modules)";

    private Supervised backend;
    private BackendBench bench;

    @BeforeEach
    void open() {
        backend = (Supervised) Linux.open();
        bench = new BackendBench(backend, Tier.JAIL, GuestPrograms::of);
    }

    @AfterEach
    void close() {
        backend.close();
    }

    @Test
    void givesASandboxPandas() {
        until(() -> run().equals("True\n"));
    }

    @Test
    void isReplacedWhenItDies() {
        // One that dies before it was ready once is not tried again at once.
        until(() -> run().equals("True\n") && zygote().isPresent());
        ProcessHandle first = zygote().orElseThrow();
        first.destroyForcibly();
        until(() -> {
            assertThat(run()).isIn("True\n", "False\n");
            return zygote().filter(other -> other.pid() != first.pid()).isPresent();
        });
        until(() -> run().equals("True\n"));
    }

    private String run() {
        try (SandboxHandle sandbox = bench.create()) {
            return BackendBench.run(sandbox, bench.spec(Language.PYTHON, IS_WARM))
                    .stdout();
        }
    }

    private Optional<ProcessHandle> zygote() {
        List<ProcessHandle> children = ProcessHandle.of(backend.supervision().pid())
                .map(supervisor -> supervisor.children().toList())
                .orElse(List.of());
        return children.stream().filter(JailZygoteIT::isZygote).findFirst();
    }

    /// By the kernel's own list: the JDK tells nothing of a process whose program lies in another mount namespace.
    private static boolean isZygote(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"))
                    .contains("zygote.py");
        } catch (IOException _) {
            return false;
        }
    }

    private static void until(BooleanSupplier condition) {
        Instant end = Instant.now().plus(PATIENCE);
        while (!condition.getAsBoolean()) {
            assertThat(Instant.now()).isBefore(end);
        }
    }
}
