package dev.glovebox.backends.template;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Starts the programs that make templates. Each one runs confined (`step.sh`): in mount and pid namespaces of its own,
/// able to write below the build's directory and nowhere else, and ended with this process, however that ends.
final class ToolLauncher {
    /// Programs, the Debian package that has each, and what it is for.
    private static final Map<String, String> PACKAGES = Map.of(
            "mmdebstrap", "mmdebstrap",
            "mkfs.erofs", "erofs-utils",
            "skopeo", "skopeo",
            "umoci", "umoci",
            "apt-get", "apt",
            "npm", "npm",
            "unshare", "util-linux",
            "setpriv", "util-linux");

    private static final List<String> PATH =
            List.of("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin");

    private final Path scripts;
    private final Path build;

    /// What a program may see beyond its arguments.
    ///
    /// @param environment added to that of this process
    record Options(boolean network, Map<String, String> environment) {
        static final Options NETWORK = new Options(true, Map.of());
        static final Options ALONE = new Options(false, Map.of());
    }

    /// Starts programs for one build.
    ///
    /// @param scripts where step.sh and in-root.sh lie
    /// @param build the only directory that programs may write to
    ToolLauncher(Path scripts, Path build) {
        this.scripts = scripts;
        this.build = build;
    }

    /// Refuses with the package and the command if a program is missing here.
    static void require(String... programs) {
        for (String program : programs) {
            if (find(program) == null) {
                String name = PACKAGES.getOrDefault(program, program);
                throw new GloveboxException(
                        ErrorCode.UNSUPPORTED,
                        "building this template needs " + program + ", which is not installed: 'apt-get install "
                                + "--no-install-recommends " + name + "'");
            }
        }
    }

    private static @Nullable Path find(String program) {
        List<String> places = new ArrayList<>(PATH);
        String path = System.getenv("PATH");
        if (path != null) {
            places.addAll(List.of(path.split(":", -1)));
        }
        return places.stream()
                .filter(place -> !place.isEmpty())
                .map(place -> Path.of(place, program))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
    }

    /// Runs a program to its end and returns its standard output.
    ///
    /// @param what the step, for errors
    /// @throws GloveboxException with the end of what it said if it fails or takes too long
    String run(String what, Options options, List<String> command) {
        List<String> whole = new ArrayList<>(List.of(
                "setpriv",
                "--pdeathsig",
                "KILL",
                "--",
                "unshare",
                "--mount",
                "--pid",
                "--fork",
                "--kill-child=KILL",
                "--mount-proc"));
        if (!options.network()) {
            whole.add("--net");
        }
        whole.addAll(List.of("sh", scripts.resolve("step.sh").toString(), build.toString()));
        whole.addAll(command);
        return start(what, whole, options.environment());
    }

    /// Runs a program inside a root file system, as root.
    String runInside(String what, Options options, Path root, List<String> command) {
        List<String> whole =
                new ArrayList<>(List.of("sh", scripts.resolve("in-root.sh").toString(), root.toString()));
        whole.addAll(command);
        return run(what, options, whole);
    }

    /// Asks a program of the host something, unconfined: only for questions.
    String ask(String what, List<String> command) {
        return start(what, command, Map.of());
    }

    private String start(String what, List<String> command, Map<String, String> environment) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.directory(build.toFile());
        builder.environment()
                .put("PATH", String.join(":", PATH) + ":" + System.getenv().getOrDefault("PATH", ""));
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().putAll(environment);
        builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        Tail errors = new Tail();
        Tail output = new Tail();
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new GloveboxException(ErrorCode.UNSUPPORTED, what + " cannot be started: " + e.getMessage(), e);
        }
        Thread first = Thread.ofVirtual().start(() -> errors.drain(process.getErrorStream()));
        Thread second = Thread.ofVirtual().start(() -> output.drain(process.getInputStream()));
        try {
            if (!process.waitFor(Limits.TEMPLATE_STEP_MAX.toSeconds(), TimeUnit.SECONDS)) {
                throw new GloveboxException(
                        ErrorCode.INTERNAL,
                        what + " has not ended after " + Limits.TEMPLATE_STEP_MAX.toMinutes() + " minutes; the last"
                                + " that it said:\n" + errors.text());
            }
            first.join(Duration.ofSeconds(1));
            second.join(Duration.ofSeconds(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new GloveboxException(ErrorCode.INTERNAL, what + " was interrupted", e);
        } finally {
            process.destroyForcibly();
        }
        if (process.exitValue() != 0) {
            throw new GloveboxException(
                    ErrorCode.INTERNAL,
                    what + " failed with exit status " + process.exitValue() + "; the last that it said:\n"
                            + (errors.text().isBlank() ? output.text() : errors.text()));
        }
        return output.text();
    }

    /// The end of what a program says.
    private static final class Tail {
        private final byte[] kept = new byte[Limits.TEMPLATE_OUTPUT_BYTES_MAX];
        private long total;

        void drain(InputStream in) {
            byte[] buffer = new byte[8192];
            try {
                for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
                    add(buffer, count);
                }
            } catch (IOException e) {
                // The program was ended: what it said before is kept.
            }
        }

        private synchronized void add(byte[] bytes, int count) {
            for (int i = 0; i < count; i++) {
                kept[(int) (total++ % kept.length)] = bytes[i];
            }
        }

        synchronized String text() {
            if (total <= kept.length) {
                return new String(kept, 0, (int) total, StandardCharsets.UTF_8);
            }
            int start = (int) (total % kept.length);
            byte[] ordered = new byte[kept.length];
            System.arraycopy(kept, start, ordered, 0, kept.length - start);
            System.arraycopy(kept, 0, ordered, kept.length - start, start);
            return "[...] " + new String(ordered, StandardCharsets.UTF_8);
        }
    }
}
