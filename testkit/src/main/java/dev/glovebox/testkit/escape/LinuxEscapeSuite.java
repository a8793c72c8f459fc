package dev.glovebox.testkit.escape;

import dev.glovebox.core.Language;
import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.SandboxBackend;
import dev.glovebox.testkit.BackendBench;
import dev.glovebox.testkit.GuestPrograms;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;

/// Attacks on a tier whose sandboxes are Linux systems: escapes from containers that are of public record, and what a
/// program with a whole system call interface can try besides. A tier's test extends this and opens its backend; no
/// attack is left out for any tier. The backend is opened once for all.
///
/// Where the kernel inside is an emulation of its own (gVisor) there is a root inside, and calls may succeed there
/// that change nothing but the sandbox: attacks then run as that root too, and what they must not reach is the host.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class LinuxEscapeSuite {
    private @Nullable SandboxBackend backend;

    /// Opens the backend; it is closed behind the last attack.
    protected abstract SandboxBackend open();

    protected abstract Tier tier();

    /// The processes of the host that this backend's sandboxes consist of.
    protected abstract List<ProcessHandle> processes(SandboxBackend of);

    @BeforeAll
    final void openBackend() {
        backend = open();
    }

    @AfterAll
    final void closeBackend() {
        opened().close();
    }

    private SandboxBackend opened() {
        if (backend == null) {
            throw new IllegalStateException("the backend is not open");
        }
        return backend;
    }

    private BackendBench bench() {
        return new BackendBench(opened(), tier(), LinuxEscapeSuite::programs);
    }

    private List<ProcessHandle> processes() {
        return processes(opened());
    }

    private static GuestPrograms programs(Language language) {
        return GuestPrograms.of(language);
    }

    @Nested
    class HostFiles extends HostFilesEscapeSuite {
        HostFiles() {
            super(LinuxEscapeSuite.this::bench);
        }
    }

    @Nested
    class Kernel extends LinuxKernelEscapeSuite {
        Kernel() {
            super(LinuxEscapeSuite.this::bench);
        }
    }

    @Nested
    class Mounts extends LinuxMountEscapeSuite {
        Mounts() {
            super(LinuxEscapeSuite.this::bench);
        }
    }

    @Nested
    class Processes extends LinuxProcessEscapeSuite {
        Processes() {
            super(LinuxEscapeSuite.this::bench);
        }
    }

    @Nested
    class Calls extends LinuxCallEscapeSuite {
        Calls() {
            super(LinuxEscapeSuite.this::bench);
        }
    }

    @Nested
    class Neighbours extends LinuxNeighbourEscapeSuite {
        Neighbours() {
            super(LinuxEscapeSuite.this::bench);
        }
    }

    @Nested
    class Races extends LinuxRaceEscapeSuite {
        Races() {
            super(LinuxEscapeSuite.this::bench);
        }
    }

    @Nested
    class Exhaustion extends LinuxExhaustionEscapeSuite {
        Exhaustion() {
            super(LinuxEscapeSuite.this::bench, LinuxEscapeSuite.this::processes);
        }
    }
}
