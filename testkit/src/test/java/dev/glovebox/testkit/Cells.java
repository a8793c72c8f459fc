package dev.glovebox.testkit;

import dev.glovebox.backends.CellBackend;
import dev.glovebox.backends.CellOptions;
import dev.glovebox.backends.Supervision;
import dev.glovebox.core.backend.Requirements;
import dev.glovebox.core.backend.SandboxBackend;
import dev.glovebox.core.egress.DialedNetworks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;

/// Opens the backend of the cells on the product as `./glovebox build` made it.
final class Cells {
    private Cells() {}

    static SandboxBackend open() {
        return open(UnaryOperator.identity());
    }

    /// One whose sandboxes reach through these networks what they may.
    static SandboxBackend open(DialedNetworks networks) {
        return open(options -> options.withNetworks(networks));
    }

    private static SandboxBackend open(UnaryOperator<CellOptions> change) {
        Path distribution = Path.of(System.getProperty(
                "glovebox.dist", Tree.ROOT.resolve("build/dist").toString()));
        try {
            Path run = Files.createTempDirectory("gb-it");
            run.toFile().deleteOnExit();
            Supervision supervision = new Supervision(distribution, run);
            return new Supervised(
                    CellBackend.open(change.apply(CellOptions.forServer(
                            Path.of(System.getProperty("java.home")), distribution, run, supervision))),
                    supervision);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    static void lose(SandboxBackend backend, Requirements sandbox) {
        ((CellBackend) ((Supervised) backend).backend()).killCell(sandbox.tenant());
    }
}
