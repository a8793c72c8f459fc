package dev.glovebox.backends.template;

import java.util.List;
import java.util.stream.Stream;

/// Where this machine fetches Debian packages from, as its own apt understands its configuration. It serves the build
/// only: a template gets Debian's public sources.
final class AptSources {
    private AptSources() {}

    /// The lines of a sources.list for a suite; empty if this machine has no source of it, and then the tool's own
    /// choice, Debian's public ones, is right.
    static List<String> of(String suite, ToolLauncher tools) {
        String targets = tools.ask(
                "reading apt's sources",
                List.of(
                        "apt-get",
                        "indextargets",
                        "--format",
                        "deb $(REPO_URI) $(RELEASE) $(COMPONENT)",
                        "Created-By: Packages"));
        return forSuite(suite, targets.lines());
    }

    static List<String> forSuite(String suite, Stream<String> lines) {
        return lines.map(String::strip)
                .filter(line -> {
                    String[] words = line.split(" ", -1);
                    return words.length == 4
                            && (words[2].equals(suite)
                                    || words[2].equals(suite + "-updates")
                                    || words[2].equals(suite + "-security"));
                })
                .distinct()
                .toList();
    }

    /// What apt must know to reach them: proxies and certificates, not more.
    static String reaching(ToolLauncher tools) {
        return tools.ask("reading apt's configuration", List.of("apt-config", "dump"))
                .lines()
                .filter(line -> line.matches("Acquire::(http|https|ftp|Retries|ForceIPv[46])\\b.*"))
                .reduce("", (all, line) -> all + line + "\n");
    }

    /// Debian's public sources, from the example that its package apt brings along.
    static String publicSources(String example, String suite) {
        return example.lines()
                .filter(line -> line.startsWith("deb ") && line.contains(" " + suite))
                .map(line -> line.replaceAll("^(deb \\S+ \\S+ main)\\b.*", "$1"))
                .reduce("", (all, line) -> all + line + "\n");
    }
}
