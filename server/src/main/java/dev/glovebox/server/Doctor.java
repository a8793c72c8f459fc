package dev.glovebox.server;

import dev.glovebox.backends.CellBackend;
import dev.glovebox.backends.CellOptions;
import dev.glovebox.backends.LinuxBackend;
import dev.glovebox.backends.LinuxOptions;
import dev.glovebox.backends.Supervision;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.SandboxBackend;
import dev.glovebox.core.backend.TierStatus;
import dev.glovebox.server.api.ToWire;
import dev.glovebox.wire.api.TierResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Finds out which tiers work on this machine, by trying.
public final class Doctor {
    /// What is advised where a tier has no backend; `jail` only by whoever knows what it gives up.
    private static final List<Tier> INSTEAD = List.of(Tier.GVISOR, Tier.WASM, Tier.ISOLATE);

    private Doctor() {}

    /// Every tier there is, the strongest last. Starts and ends what it needs to know.
    public static List<TierResponse> tiers(Path path) {
        HomeDirectory home = HomeDirectory.make(path);
        Supervision supervision = new Supervision(HomeDirectory.distribution(), home.run());
        CellOptions options =
                CellOptions.forOneRun(HomeDirectory.java(), HomeDirectory.distribution(), home.run(), supervision);
        LinuxOptions linuxOptions = LinuxOptions.forOneRun(supervision, HomeDirectory.distribution(), home.templates());
        try (supervision;
                CellBackend cells = CellBackend.open(options);
                LinuxBackend linux = LinuxBackend.open(linuxOptions)) {
            return probe(List.of(cells, linux)).stream().map(ToWire::tier).toList();
        } catch (GloveboxException e) {
            String why = String.valueOf(e.getMessage());
            return Arrays.stream(Tier.values())
                    .map(tier -> isOfCells(tier)
                            ? new TierStatus(tier, false, why, "run './glovebox build'")
                            : none(tier, List.of()))
                    .map(ToWire::tier)
                    .toList();
        }
    }

    /// What backends say of their tiers, and that nobody provides the others.
    static List<TierStatus> probe(List<SandboxBackend> backends) {
        List<TierStatus> found = new ArrayList<>();
        backends.forEach(backend -> found.addAll(backend.probe()));
        return complete(found);
    }

    /// Every tier there is: those found, and for the others that nobody provides them.
    static List<TierStatus> complete(List<TierStatus> found) {
        return Arrays.stream(Tier.values())
                .map(tier -> found.stream()
                        .filter(status -> status.tier() == tier)
                        .findFirst()
                        .orElseGet(() -> none(tier, found)))
                .toList();
    }

    private static boolean isOfCells(Tier tier) {
        return tier == Tier.WASM || tier == Tier.ISOLATE;
    }

    /// The remedy is what works here instead, the strongest first.
    private static TierStatus none(Tier tier, List<TierStatus> found) {
        List<String> instead = INSTEAD.stream()
                .filter(other -> found.stream().anyMatch(status -> status.tier() == other && status.available()))
                .map(Tier::word)
                .toList();
        return new TierStatus(
                tier,
                false,
                "this version has no backend for it",
                instead.isEmpty()
                        ? "follow the remedy of another tier"
                        : "use the tier " + String.join(" or ", instead));
    }
}
