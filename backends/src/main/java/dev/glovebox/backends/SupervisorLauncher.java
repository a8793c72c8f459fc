package dev.glovebox.backends;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.io.IOException;
import java.nio.file.Path;

/// Starts the supervisor's process, with nothing of this process's environment.
final class SupervisorLauncher {
    private SupervisorLauncher() {}

    static Process launch(Path program, Path agent, Path directory, String instance) {
        ProcessBuilder builder = new ProcessBuilder(
                program.toString(),
                "--directory",
                directory.toString(),
                "--agent",
                agent.toString(),
                "--instance",
                instance);
        builder.environment().clear();
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        try {
            return builder.start();
        } catch (IOException failure) {
            throw new GloveboxException(
                    ErrorCode.TIER_UNAVAILABLE, "the supervisor cannot be started: " + failure.getMessage(), failure);
        }
    }
}
