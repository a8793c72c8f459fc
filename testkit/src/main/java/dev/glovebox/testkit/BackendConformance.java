package dev.glovebox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Language;
import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.Capability;
import dev.glovebox.core.backend.Requirements;
import dev.glovebox.core.backend.SandboxBackend;
import dev.glovebox.core.backend.TierStatus;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// What every tier promises. A tier's test extends this, opens its backend, and names what the tier lacks:
/// every capability is expected, and of one that is lacking the refusal is asserted. The backend is opened once
/// for all tests.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class BackendConformance {
    private @Nullable SandboxBackend backend;

    /// Opens the backend; it is closed behind the last test.
    protected abstract SandboxBackend open();

    protected abstract Tier tier();

    /// What the tier is known not to do. Adding to this set is a decision; so is taking away.
    protected abstract Set<Capability> lacking();

    /// Takes away what a sandbox runs in, as a crash would: kills the cell's process, for example.
    protected abstract void lose(SandboxBackend of, Requirements sandbox);

    /// The suites' programs; a tier that runs something else entirely brings its own.
    protected GuestPrograms programs(Language language) {
        return GuestPrograms.of(language);
    }

    @BeforeAll
    final void openBackend() {
        backend = open();
    }

    @AfterAll
    final void closeBackend() {
        backend().close();
    }

    private SandboxBackend backend() {
        if (backend == null) {
            throw new IllegalStateException("the backend is not open");
        }
        return backend;
    }

    private BackendBench bench() {
        return new BackendBench(backend(), tier(), this::programs);
    }

    @Test
    void hasEveryCapabilityButThoseItIsKnownToLack() {
        EnumSet<Capability> expected = EnumSet.allOf(Capability.class);
        expected.removeAll(lacking());
        assertThat(backend().capabilities(tier())).isEqualTo(expected);
        assertThat(backend().tiers()).contains(tier());
    }

    @Test
    void saysThatItWorks() {
        assertThat(backend().probe())
                .filteredOn(status -> status.tier() == tier())
                .singleElement()
                .satisfies(status ->
                        assertThat(status.available()).as(status.toString()).isTrue())
                .extracting(TierStatus::why)
                .asString()
                .isNotBlank();
    }

    @Nested
    class Processes extends ProcessConformance {
        Processes() {
            super(BackendConformance.this::bench);
        }
    }

    @Nested
    class Files extends FilesConformance {
        Files() {
            super(BackendConformance.this::bench);
        }
    }

    @Nested
    class Systems extends SystemConformance {
        Systems() {
            super(BackendConformance.this::bench);
        }
    }

    @Nested
    class Contexts extends ContextConformance {
        Contexts() {
            super(BackendConformance.this::bench);
        }
    }

    @Nested
    class Ports extends PortConformance {
        Ports() {
            super(BackendConformance.this::bench);
        }
    }

    @Nested
    class ResourceBounds extends LimitsConformance {
        ResourceBounds() {
            super(BackendConformance.this::bench);
        }
    }

    @Nested
    class Life extends LifeConformance {
        Life() {
            super(BackendConformance.this::bench, sandbox -> lose(backend(), sandbox));
        }
    }
}
