package dev.glovebox.server;

import dev.glovebox.backends.template.BuildProgress;
import dev.glovebox.backends.template.MountedTemplates;
import dev.glovebox.backends.template.TemplateBuilder;
import dev.glovebox.backends.template.TemplateLock;
import dev.glovebox.backends.template.TemplateMetadata;
import dev.glovebox.backends.template.TemplateName;
import dev.glovebox.backends.template.TemplateStore;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Builds and keeps templates, without a server: the operator's tool, which runs as root. Refusals and failures are
/// IllegalArgumentException and IllegalStateException with a sentence.
public final class TemplateTool {
    private static final double NANOS = 1e9;

    private final TemplateStore store;

    /// A template as the command line shows it; absent is what does not apply.
    public record Template(
            String name,
            String description,
            String digest,
            String created,
            long bytes,
            boolean pinned,
            String source,
            @Nullable String recipeDigest,
            @Nullable String parentDigest,
            @Nullable String ociDigest,
            String user,
            String workdir,
            List<String> start,
            Map<String, String> env,
            Map<String, String> packages) {}

    /// All of them.
    public record Templates(List<Template> templates) {}

    /// The templates of a home directory, which is made if it is missing.
    public TemplateTool(Path home) {
        this.store = new TemplateStore(HomeDirectory.make(home).templates());
    }

    /// Builds a recipe that comes with the product, or the one at a path.
    public Template buildRecipe(String nameOrPath, Consumer<String> progress) {
        return said(() -> view(builder(progress).fromRecipe(nameOrPath)));
    }

    /// Makes a template of a root file system in a directory.
    public Template buildDirectory(String name, Path directory, Consumer<String> progress) {
        return said(() -> view(builder(progress).fromDirectory(new TemplateName(name), directory)));
    }

    /// Makes a template of an OCI image.
    public Template buildOci(String name, String reference, Consumer<String> progress) {
        return said(() -> view(builder(progress).fromOci(new TemplateName(name), reference)));
    }

    public Templates list() {
        return said(() ->
                new Templates(store.list().stream().map(TemplateTool::view).toList()));
    }

    public Template show(String name) {
        return said(() -> view(store.resolve(new TemplateName(name))));
    }

    public void pin(String name) {
        said(() -> {
            store.pin(new TemplateName(name));
            return true;
        });
    }

    public void unpin(String name) {
        said(() -> {
            store.unpin(new TemplateName(name));
            return true;
        });
    }

    /// Removes a template that is neither pinned nor in use.
    public void remove(String name) {
        said(() -> {
            try (TemplateLock lock = TemplateLock.take(store)) {
                Objects.requireNonNull(lock);
                store.remove(new TemplateName(name), new MountedTemplates());
            }
            return true;
        });
    }

    /// Removes images that no name stands for any more.
    ///
    /// @return how many
    public int removeUnused() {
        return said(() -> {
            try (TemplateLock lock = TemplateLock.take(store)) {
                Objects.requireNonNull(lock);
                return store.tidy(new MountedTemplates());
            }
        });
    }

    private TemplateBuilder builder(Consumer<String> progress) {
        return new TemplateBuilder(store, sources(), Clock.systemUTC(), new Lines(progress));
    }

    /// In what was put together for use, or in the source tree that it was built from.
    private static TemplateBuilder.Sources sources() {
        Path dist = HomeDirectory.distribution();
        for (Path guest : List.of(dist.resolve("guest"), dist.resolve("../../guest"))) {
            if (Files.isRegularFile(guest.resolve("templates/step.sh"))) {
                Path place = guest.toAbsolutePath().normalize();
                return new TemplateBuilder.Sources(place.resolve("templates"), place.resolve("kernels"));
            }
        }
        throw new IllegalStateException("the recipes of templates are missing beside " + dist);
    }

    private static Template view(TemplateStore.Entry entry) {
        TemplateMetadata metadata = entry.metadata();
        return new Template(
                entry.name().value(),
                metadata.description(),
                metadata.digest(),
                metadata.created().toString(),
                metadata.bytes(),
                entry.pinned(),
                metadata.source(),
                metadata.recipeDigest(),
                metadata.parentDigest(),
                metadata.ociDigest(),
                metadata.user(),
                metadata.workdir(),
                metadata.start(),
                new TreeMap<>(metadata.env()),
                new TreeMap<>(metadata.packages()));
    }

    private static <T> T said(Supplier<T> action) {
        try {
            return action.get();
        } catch (GloveboxException e) {
            throw e.code().kind() == ErrorCode.Kind.CALLER
                    ? new IllegalArgumentException(e.getMessage(), e)
                    : new IllegalStateException(e.getMessage(), e);
        }
    }

    /// Steps as lines.
    private record Lines(Consumer<String> sink) implements BuildProgress {
        @Override
        public void begins(String step) {
            sink.accept(step + " ...");
        }

        @Override
        public void ends(String step, Duration took) {
            sink.accept(String.format(Locale.ROOT, "%s: %.1f s", step, took.toNanos() / NANOS));
        }

        @Override
        public void remark(String sentence) {
            sink.accept(sentence);
        }
    }
}
