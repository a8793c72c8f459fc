package dev.glovebox.cell;

import dev.glovebox.cell.fs.Budget;
import dev.glovebox.cell.fs.MemoryFileSystem;
import dev.glovebox.cell.wasm.PythonLibrary;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Language;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.Tier;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Tag;
import org.jspecify.annotations.Nullable;

/// Makes sandboxes.
final class SandboxFactory {
    private final CellServices services;
    private final PythonLibrary python;
    private final Budget budget;

    /// @param budget what the files of all sandboxes may hold together
    SandboxFactory(CellServices services, PythonLibrary python, Budget budget) {
        this.services = services;
        this.python = python;
        this.budget = budget;
    }

    /// A new sandbox, and whether an interpreter was set aside for it.
    record Made(Sandbox sandbox, boolean pooled) {}

    /// Makes what SPAWN asks for.
    ///
    /// @throws GloveboxException if this cell cannot
    Made make(Fields fields) {
        Tier tier = Tier.ofWord(fields.requiredText(Tag.TIER))
                .filter(named -> named == Tier.WASM || named == Tier.ISOLATE)
                .orElseThrow(() -> new GloveboxException(
                        ErrorCode.UNSUPPORTED, "a cell has the tiers wasm and isolate and no others"));
        Language language = fields.text(Tag.LANGUAGE)
                .map(word -> Language.ofWord(word)
                        .orElseThrow(() -> new GloveboxException(
                                ErrorCode.INVALID_ARGUMENT, "a language is python, javascript, typescript or wasm")))
                .orElse(null);
        if (language != null) {
            CommandLine.requireLanguage(tier, language);
        }
        ResourceLimits limits = RunLimits.read(fields, ResourceLimits.DEFAULT);
        Sandbox.SetAside setAside = language == null ? null : setAside(new InterpreterPool.Kind(tier, language));
        MemoryFileSystem files = setAside == null ? null : setAside.warm().files();
        if (files == null) {
            files = new MemoryFileSystem(limits, services.clock(), services.random(), budget);
        } else {
            files.limit(limits);
        }
        if (tier == Tier.WASM) {
            python.mountIn(files);
        }
        return new Made(new Sandbox(tier, limits, files, services, setAside), setAside != null);
    }

    private Sandbox.@Nullable SetAside setAside(InterpreterPool.Kind kind) {
        boolean isBusy =
                services.scheduler().queued() > 0 || services.scheduler().isCrowded();
        // Who asks first in a burst is not who runs first.
        InterpreterSource.Warm warm = services.pool().take(kind, ready -> !isBusy || ready.files() != null);
        return warm == null ? null : new Sandbox.SetAside(kind, warm);
    }
}
