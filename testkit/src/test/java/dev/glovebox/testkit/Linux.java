package dev.glovebox.testkit;

import dev.glovebox.backends.LinuxBackend;
import dev.glovebox.backends.LinuxOptions;
import dev.glovebox.backends.Supervision;
import dev.glovebox.core.backend.Capability;
import dev.glovebox.core.backend.SandboxBackend;
import dev.glovebox.core.egress.NetworkPorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/// Opens the backend of the Linux sandboxes on the product as `./glovebox build` made it, with the templates that
/// `scripts/test.sh` has built.
final class Linux {
    private Linux() {}

    static Path distribution() {
        return Path.of(System.getProperty(
                "glovebox.dist", Tree.ROOT.resolve("build/dist").toString()));
    }

    static SandboxBackend open() {
        try {
            Path run = Files.createTempDirectory("gb-it");
            run.toFile().deleteOnExit();
            return open(run);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /// One whose sandboxes reach through these ports what they may.
    static SandboxBackend open(NetworkPorts ports) throws IOException {
        Path run = Files.createTempDirectory("gb-it");
        run.toFile().deleteOnExit();
        Supervision supervision = new Supervision(distribution(), run);
        LinuxOptions options = LinuxOptions.forServer(supervision, distribution(), templates());
        return new Supervised(LinuxBackend.open(options.withPorts(ports)), supervision);
    }

    /// @param run the directory where its processes meet; those that died there before are cleaned up behind
    static SandboxBackend open(Path run) {
        Supervision supervision = new Supervision(distribution(), run);
        return new Supervised(
                LinuxBackend.open(LinuxOptions.forServer(supervision, distribution(), templates())), supervision);
    }

    /// The templates that scripts/test-tools.sh has built.
    static Path templates() {
        return Path.of(System.getProperty(
                "glovebox.templates",
                Tree.ROOT.resolve("build/test-home/templates").toString()));
    }

    static Set<Capability> lacking() {
        return EnumSet.of(Capability.WASM_MODULES, Capability.PAUSE, Capability.NETWORK);
    }

    /// Kills the supervisor, as a crash would; all its sandboxes die with it.
    static void lose(SandboxBackend of) {
        ProcessHandle.of(((Supervised) of).supervision().pid()).ifPresent(ProcessHandle::destroyForcibly);
    }
}
