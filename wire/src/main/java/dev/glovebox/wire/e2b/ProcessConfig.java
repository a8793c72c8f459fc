package dev.glovebox.wire.e2b;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a process was started with: `process.ProcessConfig`.
public record ProcessConfig(
        String cmd,
        List<String> args,
        Map<String, String> envs,
        @Nullable String cwd) {}
