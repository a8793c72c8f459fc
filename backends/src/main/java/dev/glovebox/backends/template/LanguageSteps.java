package dev.glovebox.backends.template;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Packages of Python and Node.js. The host's own pip and npm fetch them, with the host's configuration; inside,
/// nothing is fetched, and no script of an npm package runs.
final class LanguageSteps {
    /// The newest C library that a wheel may ask for: that of Debian 12 is 2.36.
    private static final int GLIBC_MINOR_MAX = 36;

    private static final int GLIBC_MINOR_MIN = 5;

    private final ToolLauncher tools;
    private final Path build;

    LanguageSteps(ToolLauncher tools, Path build) {
        this.tools = tools;
        this.build = build;
    }

    /// Installs what a requirements file pins. It must list everything, dependencies and pip itself too.
    void python(RootTree root, Path requirements) throws IOException {
        ToolLauncher.require("python3");
        String version = pythonVersion(root);
        Path wheels = Files.createDirectories(build.resolve("wheels"));
        Files.copy(requirements, wheels.resolve("requirements.txt"), StandardCopyOption.REPLACE_EXISTING);
        List<String> fetch = new ArrayList<>(List.of(
                "python3", "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--no-cache-dir"));
        fetch.addAll(List.of("--python-version", version, "--implementation", "cp"));
        for (String abi : List.of("cp" + version.replace(".", ""), "abi3", "none")) {
            fetch.addAll(List.of("--abi", abi));
        }
        for (String platform : platforms(System.getProperty("os.arch", ""))) {
            fetch.addAll(List.of("--platform", platform));
        }
        fetch.addAll(List.of("--dest", wheels.toString()));
        fetch.addAll(List.of("--requirement", wheels.resolve("requirements.txt").toString()));
        tools.run("pip download", ToolLauncher.Options.NETWORK, fetch);
        // pip runs from its own wheel: the template needs none to begin with.
        String install = "exec python3 \"$(echo /tmp/handed-in/pip-*.whl)/pip\" install --quiet --no-index --no-deps"
                + " --no-cache-dir --break-system-packages --root-user-action=ignore --no-warn-script-location"
                + " --find-links /tmp/handed-in --requirement /tmp/handed-in/requirements.txt";
        tools.runInside(
                "pip install",
                new ToolLauncher.Options(false, Map.of("GLOVEBOX_HANDED_IN", wheels.toString())),
                root.root(),
                List.of("sh", "-eu", "-c", install));
    }

    private static String pythonVersion(RootTree root) throws IOException {
        List<String> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(root.locate("/usr/bin"), "python3.*")) {
            for (Path file : files) {
                String name = String.valueOf(file.getFileName());
                if (name.matches("python3\\.\\d+")) {
                    found.add(name.substring("python".length()));
                }
            }
        }
        if (found.size() != 1) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a recipe with \"pip\" needs exactly one Python 3 in the template, and there are " + found.size()
                            + ": add the package python3");
        }
        return found.getFirst();
    }

    static List<String> platforms(String architecture) {
        String name = switch (architecture.toLowerCase(Locale.ROOT)) {
            case "amd64", "x86_64" -> "x86_64";
            case "aarch64", "arm64" -> "aarch64";
            default -> architecture;
        };
        List<String> platforms = new ArrayList<>();
        for (int minor = GLIBC_MINOR_MAX; minor >= GLIBC_MINOR_MIN; minor--) {
            platforms.add("manylinux_2_" + minor + "_" + name);
        }
        platforms.addAll(List.of("manylinux2014_" + name, "manylinux2010_" + name, "manylinux1_" + name));
        return platforms;
    }

    /// Installs npm packages for everybody.
    void node(RootTree root, List<String> packages) throws IOException {
        ToolLauncher.require("npm");
        Path prefix = root.directory("/usr/local", "0755");
        List<String> command = new ArrayList<>(List.of(
                "npm", "install", "--global", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"));
        command.addAll(List.of("--prefix", prefix.toString()));
        command.addAll(List.of("--cache", build.resolve("npm-cache").toString()));
        command.addAll(packages);
        tools.run("npm install", ToolLauncher.Options.NETWORK, command);
    }
}
