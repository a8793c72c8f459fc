package dev.glovebox.backends.template;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/// What is installed in a tree, read from its own records: Debian's, Python's and npm's.
final class PackageVersions {
    private final Map<String, String> found = new TreeMap<>();
    private final RootTree root;

    private PackageVersions(RootTree root) {
        this.root = root;
    }

    static Map<String, String> of(RootTree root) throws IOException {
        PackageVersions versions = new PackageVersions(root);
        versions.debian(root.read("/var/lib/dpkg/status"));
        versions.python();
        versions.node();
        return versions.found;
    }

    private void debian(String status) {
        String name = "";
        for (String line : status.lines().toList()) {
            if (line.startsWith("Package: ")) {
                name = line.substring("Package: ".length());
            } else if (line.startsWith("Version: ")) {
                found.put("deb:" + name, line.substring("Version: ".length()));
            }
        }
    }

    private void python() throws IOException {
        Path libraries = root.locate("/usr/local/lib");
        for (Path library : children(libraries, "python3*")) {
            for (String packages : new String[] {"dist-packages", "site-packages"}) {
                for (Path info : children(library.resolve(packages), "*.dist-info")) {
                    String name = String.valueOf(info.getFileName()).replaceAll("\\.dist-info$", "");
                    int dash = name.lastIndexOf('-');
                    if (dash > 0) {
                        found.put("pip:" + name.substring(0, dash).replace('_', '-'), name.substring(dash + 1));
                    }
                }
            }
        }
    }

    private void node() throws IOException {
        for (Path module : children(root.locate("/usr/local/lib/node_modules"), "*")) {
            String scope = String.valueOf(module.getFileName());
            if (scope.startsWith("@")) {
                for (Path scoped : children(module, "*")) {
                    node(scope + "/" + scoped.getFileName(), scoped);
                }
            } else {
                node(scope, module);
            }
        }
    }

    private void node(String name, Path module) throws IOException {
        Path description = module.resolve("package.json");
        if (Files.isRegularFile(description, LinkOption.NOFOLLOW_LINKS)) {
            try {
                TemplateJson json = TemplateJson.read(Files.readAllBytes(description), name);
                found.put("npm:" + name, json.text("version", ""));
            } catch (IllegalArgumentException e) {
                found.put("npm:" + name, ""); // a description that only npm understands
            }
        }
    }

    private static Iterable<Path> children(Path directory, String pattern) throws IOException {
        java.util.List<Path> children = new java.util.ArrayList<>();
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            return children;
        }
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory, pattern)) {
            stream.forEach(children::add);
        } catch (NoSuchFileException | NotDirectoryException e) {
            return java.util.List.of();
        }
        return children;
    }
}
