package dev.glovebox.backends.template;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Finds images by the names of templates, as the store does, and remembers them: every sandbox that is made asks. A
/// name appears whole and under a new file each time, so that file tells whether it stands for what it did.
/// Thread-safe.
public final class TemplateImages implements Function<String, Optional<Path>> {
    private final TemplateStore store;
    private final Map<String, Found> found = new ConcurrentHashMap<>();

    private record Found(@Nullable Object file, FileTime modified, TemplateStore.Entry entry) {
        boolean isOf(BasicFileAttributes name) {
            return file != null && file.equals(name.fileKey()) && modified.equals(name.lastModifiedTime());
        }
    }

    public TemplateImages(TemplateStore store) {
        this.store = store;
    }

    /// The image of a template; empty if it is not built.
    @Override
    public Optional<Path> apply(String template) {
        return entry(template).map(TemplateStore.Entry::image);
    }

    /// The variables that its sandboxes start with; empty if it is not built.
    public Map<String, String> environment(String template) {
        return entry(template).map(entry -> entry.metadata().env()).orElse(Map.of());
    }

    private Optional<TemplateStore.Entry> entry(String template) {
        TemplateName name = new TemplateName(template);
        try {
            BasicFileAttributes now = Files.readAttributes(store.file(name), BasicFileAttributes.class);
            Found before = found.get(template);
            if (before != null && before.isOf(now)) {
                return Optional.of(before.entry);
            }
            Optional<TemplateStore.Entry> entry = store.find(name);
            entry.ifPresent(read -> found.put(template, new Found(now.fileKey(), now.lastModifiedTime(), read)));
            return entry;
        } catch (NoSuchFileException _) {
            found.remove(template);
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException("the template " + name + " cannot be read: " + e.getMessage(), e);
        }
    }
}
