package dev.glovebox.engine;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Language;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.StopReason;
import dev.glovebox.core.Tier;
import java.time.Duration;

/// Told what the engine does, for metrics. Called on the threads that do it: must be fast and must not throw.
public interface EngineObserver {
    /// A process or an execution ended.
    ///
    /// @param pooled whether an interpreter that was ready served it
    void ran(Tier tier, Language language, Outcome outcome, Duration duration, boolean pooled);

    /// A sandbox came up, `duration` after it was asked for.
    void created(Tier tier, Duration duration);

    void ended(Tier tier, StopReason reason);

    /// A command was refused or failed.
    void refused(ErrorCode code);

    /// Passes everything over.
    EngineObserver NONE = new EngineObserver() {
        @Override
        public void ran(Tier tier, Language language, Outcome outcome, Duration duration, boolean pooled) {}

        @Override
        public void created(Tier tier, Duration duration) {}

        @Override
        public void ended(Tier tier, StopReason reason) {}

        @Override
        public void refused(ErrorCode code) {}
    };
}
