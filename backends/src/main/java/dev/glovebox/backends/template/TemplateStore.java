package dev.glovebox.backends.template;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// The templates of a home directory:
///
///     images/<digest>.erofs   an image, named by its sha256, never changed
///     images/<digest>.json    what is known of it (TemplateMetadata)
///     names/<name>            the digest that a name stands for
///     pins/<digest>           an image that must not be removed
///     building/               builds under way; what a build that was killed left, the next one removes
///
/// A file appears whole or not at all, and on the disk, in the order image, note, name: whatever moment a machine stops
/// at, every name leads to an image. Thread-safe; safe among processes as well, but for two removals of one name.
public final class TemplateStore {
    static final String IMAGE = ".erofs";
    private static final String NOTE = ".json";

    private final Path root;

    /// One name and what it stands for.
    public record Entry(TemplateName name, boolean pinned, TemplateMetadata metadata, Path image) {}

    /// The templates in a directory, which is made when something is put into it.
    public TemplateStore(Path root) {
        this.root = root;
    }

    private Path images() {
        return root.resolve("images");
    }

    private Path names() {
        return root.resolve("names");
    }

    /// Holds what a name stands for.
    Path file(TemplateName name) {
        return names().resolve(name.value());
    }

    private Path pins() {
        return root.resolve("pins");
    }

    Path building() {
        return root.resolve("building");
    }

    Path root() {
        return root;
    }

    /// All names, in their order. A name whose image or note is gone or damaged is left out.
    public List<Entry> list() {
        List<Entry> entries = new ArrayList<>();
        for (String name : fileNames(names())) {
            if (TemplateName.isOne(name)) {
                find(new TemplateName(name)).ifPresent(entries::add);
            }
        }
        entries.sort(Comparator.comparing(entry -> entry.name().value()));
        return entries;
    }

    /// What a name stands for now.
    public Optional<Entry> find(TemplateName name) {
        try {
            String digest = Files.readString(names().resolve(name.value()), StandardCharsets.US_ASCII)
                    .strip();
            if (!Sha256.isOne(digest)) {
                return Optional.empty();
            }
            TemplateMetadata metadata = TemplateMetadata.read(Files.readAllBytes(images().resolve(digest + NOTE)));
            Path image = images().resolve(digest + IMAGE);
            return Files.isRegularFile(image)
                    ? Optional.of(new Entry(name, isPinned(digest), metadata, image))
                    : Optional.empty();
        } catch (NoSuchFileException | IllegalArgumentException | DateTimeParseException | GloveboxException e) {
            return Optional.empty(); // a note that cannot be read is as good as none: the template is built again
        } catch (IOException e) {
            throw new UncheckedIOException("the template " + name + " cannot be read: " + e.getMessage(), e);
        }
    }

    /// What a name stands for.
    ///
    /// @throws GloveboxException with the command that builds it if there is none
    public Entry resolve(TemplateName name) {
        return find(name)
                .orElseThrow(() -> new GloveboxException(
                        ErrorCode.INVALID_ARGUMENT,
                        "there is no template " + name
                                + " here: 'glovebox template list' shows what there is, 'glovebox" + " template build "
                                + name + "' makes it if there is a recipe of that name"));
    }

    /// Takes an image in, which must lie in this store's own file system, and lets a name stand for it.
    Entry put(Path finished, TemplateMetadata metadata) {
        try {
            for (Path directory : List.of(images(), names(), pins())) {
                Files.createDirectories(directory);
            }
            force(finished);
            Path image = images().resolve(metadata.digest() + IMAGE);
            Files.move(finished, image, StandardCopyOption.ATOMIC_MOVE);
            forceDirectory(images());
            write(images().resolve(metadata.digest() + NOTE), metadata.json());
            write(
                    names().resolve(metadata.name().value()),
                    (metadata.digest() + "\n").getBytes(StandardCharsets.US_ASCII));
            return new Entry(metadata.name(), isPinned(metadata.digest()), metadata, image);
        } catch (IOException e) {
            throw new UncheckedIOException("the template cannot be stored: " + e.getMessage(), e);
        }
    }

    /// From now on nobody removes what the name stands for.
    public void pin(TemplateName name) {
        Entry entry = resolve(name);
        try {
            Files.createDirectories(pins());
            write(pins().resolve(entry.metadata().digest()), new byte[0]);
        } catch (IOException e) {
            throw new UncheckedIOException("the template cannot be pinned: " + e.getMessage(), e);
        }
    }

    public void unpin(TemplateName name) {
        Entry entry = resolve(name);
        try {
            Files.deleteIfExists(pins().resolve(entry.metadata().digest()));
            forceDirectory(pins());
        } catch (NoSuchFileException _) {
            // Nothing was ever pinned here.
        } catch (IOException e) {
            throw new UncheckedIOException("the template cannot be unpinned: " + e.getMessage(), e);
        }
    }

    private boolean isPinned(String digest) {
        return Files.exists(pins().resolve(digest));
    }

    /// Removes a name, and its image if no other name stands for it.
    ///
    /// @throws GloveboxException WRONG_STATE if it is pinned or in use
    public void remove(TemplateName name, TemplateUse use) {
        Entry entry = resolve(name);
        String digest = entry.metadata().digest();
        if (entry.pinned()) {
            throw new GloveboxException(
                    ErrorCode.WRONG_STATE,
                    "the template " + name + " is pinned: 'glovebox template unpin " + name + "' first");
        }
        if (use.inUse(digest)) {
            throw new GloveboxException(
                    ErrorCode.WRONG_STATE,
                    "the template " + name + " is mounted: end its sandboxes ('glovebox ps' shows them); a server that"
                            + " had some lets it go when it stops");
        }
        try {
            Files.deleteIfExists(names().resolve(name.value()));
            forceDirectory(names());
            if (list().stream().noneMatch(other -> other.metadata().digest().equals(digest))) {
                removeImage(digest);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the template cannot be removed: " + e.getMessage(), e);
        }
    }

    /// Removes images that no name stands for any more, such as those of earlier builds, and what a killed build left
    /// of one. Pinned ones and those in use stay.
    ///
    /// @return how many were removed
    public int tidy(TemplateUse use) {
        List<String> named =
                list().stream().map(entry -> entry.metadata().digest()).toList();
        int removed = 0;
        try {
            for (String file : fileNames(images())) {
                int end = file.indexOf('.');
                String digest = end < 0 ? file : file.substring(0, end);
                boolean stays = named.contains(digest) || isPinned(digest) || use.inUse(digest);
                if (!stays && Files.deleteIfExists(images().resolve(file)) && file.endsWith(IMAGE)) {
                    removed++;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("old images cannot be removed: " + e.getMessage(), e);
        }
        return removed;
    }

    private void removeImage(String digest) throws IOException {
        // The note last: without it nobody would know what an image is.
        Files.deleteIfExists(images().resolve(digest + IMAGE));
        Files.deleteIfExists(images().resolve(digest + NOTE));
        forceDirectory(images());
    }

    private static List<String> fileNames(Path directory) {
        List<String> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            files.forEach(file -> found.add(String.valueOf(file.getFileName())));
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            throw new UncheckedIOException("the templates cannot be listed: " + e.getMessage(), e);
        }
        return found;
    }

    /// A file with this content, complete or not at all, on the disk when it returns.
    private static void write(Path file, byte[] content) throws IOException {
        Path unfinished = Files.createTempFile(file.resolveSibling(""), ".new", null);
        Files.write(unfinished, content);
        force(unfinished);
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
        forceDirectory(file.resolveSibling(""));
    }

    private static void force(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }

    private static void forceDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
