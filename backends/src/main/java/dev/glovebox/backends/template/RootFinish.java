package dev.glovebox.backends.template;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What every template has, wherever it comes from: the places that a sandbox mounts, the account `user`, the kernels;
/// and what none has: facts of the machine that built it, caches, devices.
final class RootFinish {
    static final String SOURCES_EXAMPLE = "/usr/share/doc/apt/examples/sources.list";
    static final String USER = "user";
    static final String HOME = "/home/user";

    private static final String KERNELS = "/opt/glovebox/kernels";
    private static final int USER_ID = 1000;

    private final RootTree root;
    private final Path kernels;

    /// Prepares for a tree; the kernels' files lie in a directory of the host.
    RootFinish(RootTree root, Path kernels) {
        this.root = root;
        this.kernels = kernels;
    }

    /// Does it; returns the special files that it removed.
    Set<String> finish() throws IOException {
        for (String cache : List.of("/dev", "/proc", "/sys", "/run", "/tmp", "/var/tmp", "/var/lib/apt/lists")) {
            root.empty(cache);
        }
        root.remove("/.dockerenv");
        Set<String> removed = root.removeSpecialFiles();
        for (String place : List.of("/proc", "/sys", "/dev", "/run", "/etc", "/mnt")) {
            root.directory(place, "0755");
        }
        root.directory("/tmp", "1777");
        root.directory("/var/tmp", "1777");
        if (root.isFile("/var/lib/dpkg/status")) {
            finishDebian();
        }
        root.write("/etc/hostname", "sandbox\n", "0644");
        root.write("/etc/hosts", "127.0.0.1 localhost sandbox\n::1 localhost sandbox\n", "0644");
        root.write("/etc/resolv.conf", "", "0644");
        account();
        installKernels();
        return removed;
    }

    private void finishDebian() throws IOException {
        for (String file : List.of(
                "/var/cache/apt/pkgcache.bin",
                "/var/cache/apt/srcpkgcache.bin",
                "/var/log/apt",
                "/var/log/dpkg.log",
                "/var/log/alternatives.log",
                "/var/log/bootstrap.log",
                "/var/cache/ldconfig/aux-cache",
                "/etc/apt/apt.conf.d/99mmdebstrap",
                "/etc/machine-id")) {
            root.remove(file);
        }
        root.empty("/var/cache/apt/archives");
        root.write("/etc/apt/apt.conf.d/99glovebox", "APT::Install-Recommends \"false\";\n", "0644");
        // Systemd and dbus make one at their start if the file is empty.
        root.write("/etc/machine-id", "", "0444");
        String example = root.read(SOURCES_EXAMPLE);
        String suite = suite();
        String sources = AptSources.publicSources(example, suite);
        if (!sources.isEmpty()) {
            root.empty("/etc/apt/sources.list.d");
            root.write("/etc/apt/sources.list", sources, "0644");
        }
    }

    /// The suite of Debian that the tree is; empty if it is none.
    String suite() throws IOException {
        Matcher codename =
                Pattern.compile("(?m)^VERSION_CODENAME=\"?([a-z]+)\"?$").matcher(root.read("/etc/os-release"));
        return codename.find() ? codename.group(1) : "";
    }

    /// The agent starts things as `user`; an image that knows nobody of that name and number gets one.
    private void account() throws IOException {
        String passwd = root.read("/etc/passwd");
        boolean isKnown = passwd.lines().anyMatch(line -> line.startsWith(USER + ":"));
        boolean isTaken = passwd.lines().anyMatch(line -> line.matches("[^:]*:[^:]*:" + USER_ID + ":.*"));
        if (!isKnown && !isTaken) {
            String shell = root.isFile("/bin/bash") ? "/bin/bash" : "/bin/sh";
            root.append("/etc/passwd", USER + ":x:" + USER_ID + ":" + USER_ID + "::" + HOME + ":" + shell);
            root.append("/etc/group", USER + ":x:" + USER_ID + ":");
        }
        boolean isNew = !Files.isDirectory(root.locate(HOME), LinkOption.NOFOLLOW_LINKS);
        Path home = root.directory(HOME, "0755");
        if (isNew && !isTaken) {
            Files.setAttribute(home, "unix:uid", USER_ID, LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(home, "unix:gid", USER_ID, LinkOption.NOFOLLOW_LINKS);
        }
    }

    private void installKernels() throws IOException {
        root.remove(KERNELS);
        root.directory(KERNELS, "0755");
        try (DirectoryStream<Path> files = Files.newDirectoryStream(kernels, "*.{py,js}")) {
            for (Path file : files) {
                root.copy(file, KERNELS + "/" + file.getFileName(), "0644");
            }
        }
    }
}
