package dev.glovebox.backends;

import dev.glovebox.backends.template.TemplateImages;
import dev.glovebox.backends.template.TemplateStore;
import dev.glovebox.core.egress.NetworkPorts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/// How this server runs Linux sandboxes.
///
/// @param supervision has the supervisor that starts them
/// @param images finds a template's image by the template's name; empty if it is not built
/// @param variables finds the variables that a template's sandboxes start with; a sandbox's own are stronger
/// @param runsc gVisor's runtime; empty if there is none
/// @param zygote whether the template is one of ours, built from a recipe: only then a process of it runs outside of a
///     sandbox, to fork warm kernels into them
/// @param ports through which sandboxes reach what they may; empty: nothing is reached
/// @param ready how many sandboxes of each tier are kept ready, by the tier's word
/// @param oneRun whether there will be one run and no more
public record LinuxOptions(
        Supervision supervision,
        Function<String, Optional<Path>> images,
        Function<String, Map<String, String>> variables,
        Optional<Path> runsc,
        boolean zygote,
        Optional<NetworkPorts> ports,
        Map<String, Integer> ready,
        boolean oneRun) {
    private static final String RUNSC = "runsc";
    /// A jail with a kernel of the zygote costs 2 or 3 MB, a sandbox of gVisor twenty times that.
    private static final Map<String, Integer> READY = Map.of("jail", 8, "gvisor", 2);

    public LinuxOptions {
        ready = Map.copyOf(ready);
    }

    /// Without a zygote, without a network, and without variables of templates.
    public LinuxOptions(
            Supervision supervision,
            Function<String, Optional<Path>> images,
            Optional<Path> runsc,
            Map<String, Integer> ready,
            boolean oneRun) {
        this(supervision, images, _ -> Map.of(), runsc, false, Optional.empty(), ready, oneRun);
    }

    /// The same, and sandboxes reach through these what they may.
    public LinuxOptions withPorts(NetworkPorts opened) {
        return new LinuxOptions(supervision, images, variables, runsc, zygote, Optional.of(opened), ready, oneRun);
    }

    /// For a server.
    ///
    /// @param templates the directory of the templates that were built here
    public static LinuxOptions forServer(Supervision supervision, Path distribution, Path templates) {
        TemplateImages images = new TemplateImages(new TemplateStore(templates));
        return new LinuxOptions(
                supervision,
                images,
                images::environment,
                findRunsc(distribution),
                true,
                Optional.empty(),
                READY,
                false);
    }

    /// For one run in a short-lived process.
    public static LinuxOptions forOneRun(Supervision supervision, Path distribution, Path templates) {
        TemplateImages images = new TemplateImages(new TemplateStore(templates));
        return new LinuxOptions(
                supervision,
                images,
                images::environment,
                findRunsc(distribution),
                false,
                Optional.empty(),
                Map.of(),
                true);
    }

    /// The one that the operator names, else the one that was installed beside the product, else the system's.
    private static Optional<Path> findRunsc(Path distribution) {
        String named = System.getenv("GLOVEBOX_RUNSC");
        String path = System.getenv().getOrDefault("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin");
        Stream<Path> places = named != null && !named.isEmpty()
                ? Stream.of(Path.of(named))
                : Stream.concat(
                        Stream.of(distribution.resolveSibling("tools").resolve(RUNSC)),
                        Stream.of(path.split(":"))
                                .filter(place -> !place.isEmpty())
                                .map(place -> Path.of(place, RUNSC)));
        return places.filter(Files::isExecutable).findFirst();
    }
}
