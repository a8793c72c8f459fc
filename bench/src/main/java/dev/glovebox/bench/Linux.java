package dev.glovebox.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// What this machine has for Linux sandboxes.
///
/// @param templates a directory of templates, as a home has it
/// @param image the root file system that the product's sandboxes are made of
/// @param runsc gVisor's runtime, which the product finds at the same places
record Linux(Path templates, Path image, Optional<Path> runsc) {
    private static final String TEMPLATE = "code";
    private static final String RUNSC = "runsc";

    /// What is missing, in a sentence; empty if nothing is.
    static String missing(Distribution distribution) {
        if (!"root".equals(System.getProperty("user.name"))) {
            return "Linux sandboxes need root";
        }
        if (!Files.isExecutable(distribution.dist().resolve("linux/glovebox-supervisor"))) {
            return "the supervisor is not built here, which needs gcc, make and libseccomp-dev";
        }
        return templates(distribution).isEmpty()
                ? "there is no template " + TEMPLATE + " in the home that GLOVEBOX_HOME names, nor in build/test-home"
                : "";
    }

    /// Only if nothing is missing.
    static Linux find(Distribution distribution) {
        Path templates = templates(distribution).orElseThrow();
        return new Linux(templates, image(templates).orElseThrow(), runsc(distribution));
    }

    private static Optional<Path> templates(Distribution distribution) {
        Stream<Path> homes = Stream.concat(
                Stream.ofNullable(System.getenv("GLOVEBOX_HOME"))
                        .filter(named -> !named.isEmpty())
                        .map(Path::of),
                Stream.of(distribution.dist().resolveSibling("test-home")));
        return homes.map(home -> home.resolve("templates").toAbsolutePath())
                .filter(templates -> image(templates).isPresent())
                .findFirst();
    }

    private static Optional<Path> image(Path templates) {
        Path name = templates.resolve("names").resolve(TEMPLATE);
        try {
            return Files.exists(name)
                    ? Optional.of(templates.resolve(
                                    "images/" + Files.readString(name).strip() + ".erofs"))
                            .filter(Files::exists)
                    : Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Optional<Path> runsc(Distribution distribution) {
        Map<String, String> environment = System.getenv();
        String named = environment.getOrDefault("GLOVEBOX_RUNSC", "");
        String path = environment.getOrDefault("PATH", "");
        Stream<Path> places = named.isEmpty()
                ? Stream.concat(
                        Stream.of(distribution.dist().resolveSibling("tools").resolve(RUNSC)),
                        List.of(path.split(":", -1)).stream()
                                .filter(place -> !place.isEmpty())
                                .map(place -> Path.of(place, RUNSC)))
                : Stream.of(Path.of(named));
        return places.filter(Files::isExecutable).findFirst();
    }
}
