package dev.glovebox.backends.template;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Debian packages: a new system by mmdebstrap, or more of them in one that is there, by the host's apt.
final class DebianSteps {
    /// Nobody reads manuals in a sandbox; licences stay. The example is where a template's sources.list comes from.
    private static final List<String> DPKG_OPTIONS = List.of(
            "path-exclude=/usr/share/man/*",
            "path-exclude=/usr/share/info/*",
            "path-exclude=/usr/share/locale/*",
            "path-exclude=/usr/share/doc/*",
            "path-include=/usr/share/doc/*/copyright",
            "path-include=" + RootFinish.SOURCES_EXAMPLE);

    private final ToolLauncher tools;
    private final Path build;

    DebianSteps(ToolLauncher tools, Path build) {
        this.tools = tools;
        this.build = build;
    }

    /// A new system.
    void make(Path root, String suite, List<String> packages) throws IOException {
        ToolLauncher.require("mmdebstrap", "apt-get");
        List<String> command = new ArrayList<>(List.of(
                "mmdebstrap", "--mode=root", "--variant=minbase", "--aptopt=APT::Install-Recommends \"false\""));
        if (!packages.isEmpty()) {
            command.add("--include=" + String.join(",", packages));
        }
        Path reaching = Files.writeString(build.resolve("apt-reaching.conf"), AptSources.reaching(tools));
        command.add("--aptopt=" + reaching);
        DPKG_OPTIONS.forEach(option -> command.add("--dpkgopt=" + option));
        command.add(suite);
        command.add(root.toString());
        List<String> sources = AptSources.of(suite, tools);
        if (!sources.isEmpty()) {
            command.add(Files.write(build.resolve("apt-sources.list"), sources).toString());
        }
        tools.run("mmdebstrap", ToolLauncher.Options.NETWORK, command);
    }

    /// More packages. apt runs outside, so that its sources and proxies stay outside; package scripts run inside.
    void add(Path root, String suite, List<String> packages) throws IOException {
        ToolLauncher.require("apt-get");
        List<String> sources = AptSources.of(suite, tools);
        Path list = sources.isEmpty()
                ? root.resolve("etc/apt/sources.list")
                : Files.write(build.resolve("apt-sources.list"), sources);
        Path configuration = Files.writeString(
                build.resolve("apt.conf"), """
                Dir "%1$s";
                Dir::State::status "%1$s/var/lib/dpkg/status";
                Dir::Etc::SourceList "%2$s";
                Dir::Etc::SourceParts "/dev/null";
                Dir::Etc::Trusted "/dev/null";
                Dir::Etc::TrustedParts "%3$s";
                DPkg::Chroot-Directory "%1$s";
                APT::Install-Recommends "false";
                APT::Sandbox::User "root";
                Dpkg::Use-Pty "false";
                """.formatted(root, list, keys(root)) + AptSources.reaching(tools));
        // apt's own scripts start in the chroot, where /proc and /dev must be.
        String script = """
                for d in proc dev; do mkdir -p "$1/$d"; done
                mount -t proc proc "$1/proc"
                mount -t tmpfs -o mode=755 tmpfs "$1/dev"
                mknod -m 666 "$1/dev/null" c 1 3
                mknod -m 666 "$1/dev/urandom" c 1 9
                root=$1
                shift
                apt-get -q update && apt-get -qy install "$@"
                """;
        List<String> command = new ArrayList<>(List.of("sh", "-eu", "-c", script, "apt", root.toString()));
        command.addAll(packages);
        tools.run(
                "apt-get",
                new ToolLauncher.Options(
                        true, Map.of("APT_CONFIG", configuration.toString(), "DEBIAN_FRONTEND", "noninteractive")),
                command);
    }

    /// The sources are this machine's, and so are the keys that sign them; a system that is there brings Debian's own.
    private Path keys(Path root) throws IOException {
        Path keys = Files.createDirectories(build.resolve("apt-keys"));
        for (Path place : List.of(
                root.resolve("etc/apt/trusted.gpg.d"),
                Path.of("/usr/share/keyrings"),
                Path.of("/etc/apt/trusted.gpg.d"))) {
            if (Files.isDirectory(place, LinkOption.NOFOLLOW_LINKS)) {
                try (DirectoryStream<Path> files = Files.newDirectoryStream(place, "debian-archive-*.{gpg,asc}")) {
                    for (Path file : files) {
                        if (Files.isRegularFile(file)) {
                            Files.copy(file, keys.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
                        }
                    }
                }
            }
        }
        return keys;
    }
}
