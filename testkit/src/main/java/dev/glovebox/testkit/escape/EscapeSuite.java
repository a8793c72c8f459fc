package dev.glovebox.testkit.escape;

import dev.glovebox.core.Language;
import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.SandboxBackend;
import dev.glovebox.testkit.BackendBench;
import dev.glovebox.testkit.GuestPrograms;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;

/// Attacks on a tier, which must come to nothing. A tier's test extends this and opens its backend; no attack
/// is left out for any tier. The backend is opened once for all.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class EscapeSuite {
    private @Nullable SandboxBackend backend;

    /// Opens the backend; it is closed behind the last attack.
    protected abstract SandboxBackend open();

    protected abstract Tier tier();

    @BeforeAll
    final void openBackend() {
        backend = open();
    }

    @AfterAll
    final void closeBackend() {
        bench().backend().close();
    }

    private BackendBench bench() {
        if (backend == null) {
            throw new IllegalStateException("the backend is not open");
        }
        return new BackendBench(backend, tier(), EscapeSuite::programs);
    }

    private static GuestPrograms programs(Language language) {
        return GuestPrograms.of(language);
    }

    @Nested
    class HostFiles extends HostFilesEscapeSuite {
        HostFiles() {
            super(EscapeSuite.this::bench);
        }
    }

    @Nested
    class Paths extends PathEscapeSuite {
        Paths() {
            super(EscapeSuite.this::bench);
        }
    }

    @Nested
    class HostFacts extends HostFactsEscapeSuite {
        HostFacts() {
            super(EscapeSuite.this::bench);
        }
    }

    @Nested
    class Powers extends PowersEscapeSuite {
        Powers() {
            super(EscapeSuite.this::bench);
        }
    }

    @Nested
    class Descriptors extends DescriptorEscapeSuite {
        Descriptors() {
            super(EscapeSuite.this::bench);
        }
    }

    @Nested
    class Interpreters extends InterpreterEscapeSuite {
        Interpreters() {
            super(EscapeSuite.this::bench);
        }
    }
}
