package dev.glovebox.backends;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.Capability;
import dev.glovebox.core.backend.Requirements;
import dev.glovebox.core.backend.SandboxBackend;
import dev.glovebox.core.backend.SandboxHandle;
import dev.glovebox.core.backend.TierStatus;
import dev.glovebox.core.egress.DialedNetworks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The tiers `wasm` and `isolate`: sandboxes in cells. Thread-safe.
public final class CellBackend implements SandboxBackend {
    private static final Set<Capability> WASM = EnumSet.of(
            Capability.PYTHON,
            Capability.JAVASCRIPT,
            Capability.WASM_MODULES,
            Capability.CONTEXTS,
            Capability.FILES,
            Capability.STDIN);
    private static final Set<Capability> ISOLATE = EnumSet.of(
            Capability.JAVASCRIPT, Capability.TYPESCRIPT, Capability.CONTEXTS, Capability.FILES, Capability.STDIN);

    private static final String JAILED = "it is in a jail of its own";
    private static final String NOT_JAILED =
            "it is not in a jail, which needs root, gcc, make and libseccomp-dev: an escape from V8 would be this user";

    private final AgentListener listener;
    private final Cells cells;
    private final boolean isJailed;
    private final Optional<DialedNetworks> networks;
    private final SecureRandom random = new SecureRandom();

    private CellBackend(AgentListener listener, Cells cells, boolean isJailed, Optional<DialedNetworks> networks) {
        this.listener = listener;
        this.cells = cells;
        this.isJailed = isJailed;
        this.networks = networks;
    }

    /// Opens the backend: listens for agents and starts the spare cells in the background.
    ///
    /// @throws GloveboxException TIER_UNAVAILABLE if something that cells need is missing
    public static CellBackend open(CellOptions options) {
        return open(options, CellTimes.DEFAULT);
    }

    /// For tests, which wait less.
    static CellBackend open(CellOptions options, CellTimes times) {
        String missing = CellLauncher.missing(options);
        if (!missing.isEmpty()) {
            throw new GloveboxException(
                    ErrorCode.TIER_UNAVAILABLE,
                    "cells cannot start here: " + missing + "; './glovebox build' makes it");
        }
        try {
            // A fresh name: two processes may share the directory, and a dead one's socket may be left in it.
            Path socket = options.runDirectory()
                    .resolve("agents-" + ProcessHandle.current().pid() + ".sock");
            Files.deleteIfExists(socket);
            if (!options.oneRun()) {
                Leftovers.remove(options.runDirectory());
            }
            CellLauncher launcher = new CellLauncher(options, socket);
            AgentListener listener =
                    AgentListener.open(socket, options.oneRun() ? IoThreads.PLATFORM : IoThreads.VIRTUAL);
            Cells cells = new Cells(listener, launcher, options.spareCells(), times);
            cells.refillSpares();
            if (options.oneRun()) {
                cells.startAhead();
            }
            return new CellBackend(listener, cells, options.jail() != null, options.networks());
        } catch (IOException failure) {
            throw new GloveboxException(
                    ErrorCode.TIER_UNAVAILABLE,
                    "the agents' socket cannot be made in " + options.runDirectory() + ": " + failure.getMessage(),
                    failure);
        }
    }

    @Override
    public Set<Tier> tiers() {
        return Set.of(Tier.WASM, Tier.ISOLATE);
    }

    @Override
    public Set<Capability> capabilities(Tier tier) {
        EnumSet<Capability> all = EnumSet.copyOf(tier == Tier.WASM ? WASM : ISOLATE);
        if (networks.isPresent()) {
            all.add(Capability.NETWORK);
        }
        return Set.copyOf(all);
    }

    @Override
    public boolean isReady(Tier tier) {
        return true;
    }

    @Override
    public List<TierStatus> probe() {
        String trouble = cells.probe();
        return List.of(status(Tier.WASM, trouble), status(Tier.ISOLATE, trouble));
    }

    private TierStatus status(Tier tier, String trouble) {
        return trouble.isEmpty()
                ? new TierStatus(tier, true, "a cell started and greeted; " + (isJailed ? JAILED : NOT_JAILED), "")
                : new TierStatus(tier, false, trouble, "run './glovebox build' and see the server's log");
    }

    @Override
    public SandboxHandle create(Requirements requirements) {
        requirements.refuseLargeDisk();
        try {
            Cells.Place place = cells.take(requirements.tenant(), requirements.alone());
            try {
                return connect(place, requirements);
            } catch (RuntimeException | InterruptedException failure) {
                place.released();
                throw failure;
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new GloveboxException(ErrorCode.BACKEND_LOST, "the caller went away");
        }
    }

    private SandboxHandle connect(Cells.Place place, Requirements requirements) throws InterruptedException {
        if (networks.isEmpty()) {
            AgentSandbox.refuseNetwork(requirements.network());
        }
        AgentSandbox sandbox = new AgentSandbox(place.cell().spawn(requirements), place)
                .configureOrClose(Requests.configure(requirements, requirements.environment(), random));
        try {
            return sandbox.openDialed(requirements.sandbox(), requirements.network(), networks);
        } catch (RuntimeException failure) {
            sandbox.close();
            throw failure;
        }
    }

    /// The process ids of the cells that run now, for tests and for measurements.
    public List<Long> cellPids() {
        return cells.pids();
    }

    /// Ends the cell of a tenant at once, as if it had died; for tests of what follows.
    public void killCell(TenantId tenant) {
        cells.kill(tenant);
    }

    @Override
    public void close() {
        // First the listener: cells that are still starting then give up at once.
        listener.close();
        cells.close();
    }
}
