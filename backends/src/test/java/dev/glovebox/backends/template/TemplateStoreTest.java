package dev.glovebox.backends.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TemplateStoreTest {
    private static final TemplateName MINE = new TemplateName("mine");
    private static final TemplateName OTHER = new TemplateName("other");
    private static final TemplateUse NOBODY = digest -> false;

    @TempDir
    private Path directory;

    private TemplateStore store;

    @BeforeEach
    void open() {
        store = new TemplateStore(directory.resolve("templates"));
    }

    private TemplateMetadata put(TemplateName name, String content) throws IOException {
        Files.createDirectories(store.building());
        Path image = Files.writeString(store.building().resolve("image"), content);
        TemplateMetadata metadata = new TemplateMetadata(
                name,
                "what it is",
                Sha256.of(image),
                Instant.parse("2026-01-02T03:04:05Z"),
                "recipe",
                "r",
                null,
                null,
                Files.size(image),
                Map.of("A", "b"),
                "user",
                "/home/user",
                List.of("sh", "-c"),
                Map.of("deb:bash", "5.2"));
        store.put(image, metadata);
        return metadata;
    }

    private Path image(TemplateMetadata metadata) {
        return directory.resolve("templates/images/" + metadata.digest() + ".erofs");
    }

    @Test
    void keepsWhatItWasGiven() throws IOException {
        TemplateMetadata metadata = put(MINE, "image");
        TemplateStore.Entry entry = store.resolve(MINE);
        assertThat(entry.metadata()).isEqualTo(metadata);
        assertThat(entry.image()).isEqualTo(image(metadata)).hasContent("image");
        assertThat(directory.resolve("templates/names/mine")).hasContent(metadata.digest());
        assertThat(store.building()).isEmptyDirectory();
    }

    @Test
    void tellsSandboxesWhatTheyStartFrom() throws IOException {
        TemplateImages images = new TemplateImages(store);
        assertThat(images.apply("mine")).isEmpty();
        assertThat(images.environment("mine")).isEmpty();
        TemplateMetadata metadata = put(MINE, "image");
        assertThat(images.apply("mine")).contains(image(metadata));
        assertThat(images.environment("mine")).isEqualTo(Map.of("A", "b"));
    }

    @Test
    void anEmptyStoreHasNothing() {
        assertThat(store.list()).isEmpty();
        assertThat(store.find(MINE)).isEmpty();
        assertThatThrownBy(() -> store.resolve(MINE))
                .isInstanceOfSatisfying(
                        GloveboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining("glovebox template build mine");
        assertThat(store.tidy(NOBODY)).isZero();
    }

    @Test
    void listsInOrderAndPassesOverWhatIsDamaged() throws IOException {
        put(OTHER, "2");
        put(MINE, "1");
        TemplateMetadata damaged = put(new TemplateName("damaged"), "3");
        Files.writeString(directory.resolve("templates/images/" + damaged.digest() + ".json"), "{");
        Files.writeString(directory.resolve("templates/names/empty"), "");
        Files.writeString(directory.resolve("templates/names/.new123"), "half");
        assertThat(store.list()).extracting(TemplateStore.Entry::name).containsExactly(MINE, OTHER);
    }

    @Test
    void aNameStandsForItsNewestImage() throws IOException {
        TemplateMetadata old = put(MINE, "1");
        TemplateMetadata now = put(MINE, "2");
        assertThat(store.resolve(MINE).metadata()).isEqualTo(now);
        assertThat(image(old)).exists();
        assertThat(store.tidy(digest -> digest.equals(old.digest()))).isZero();
        assertThat(store.tidy(NOBODY)).isOne();
        assertThat(image(old)).doesNotExist();
        assertThat(store.resolve(MINE).image()).exists();
    }

    @Test
    void anImageStaysWhileANameStandsForIt() throws IOException {
        TemplateMetadata metadata = put(MINE, "same");
        put(OTHER, "same");
        store.remove(MINE, NOBODY);
        assertThat(store.find(MINE)).isEmpty();
        assertThat(image(metadata)).exists();
        store.remove(OTHER, NOBODY);
        assertThat(image(metadata)).doesNotExist();
        assertThat(directory.resolve("templates/images")).isEmptyDirectory();
    }

    @Test
    void whatIsPinnedOrInUseStays() throws IOException {
        TemplateMetadata metadata = put(MINE, "1");
        store.pin(MINE);
        assertThat(store.resolve(MINE).pinned()).isTrue();
        assertThatThrownBy(() -> store.remove(MINE, NOBODY)).hasMessageContainingAll("pinned", "unpin mine");
        put(MINE, "2");
        assertThat(store.tidy(NOBODY)).as("a pinned image without a name").isZero();
        put(MINE, "1");
        store.unpin(MINE);
        assertThatThrownBy(() -> store.remove(MINE, digest -> digest.equals(metadata.digest())))
                .isInstanceOfSatisfying(
                        GloveboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.WRONG_STATE))
                .hasMessageContainingAll("mine", "end its sandboxes");
        store.remove(MINE, NOBODY);
        assertThat(store.find(MINE)).isEmpty();
    }

    @Test
    void unpinningWhatWasNeverPinnedIsNoError() throws IOException {
        put(MINE, "1");
        store.unpin(MINE);
        assertThat(store.resolve(MINE).pinned()).isFalse();
    }

    @Test
    void whateverMomentABuildStopsAtEveryNameLeadsToAnImage() throws IOException {
        TemplateMetadata old = put(MINE, "1");
        Path images = directory.resolve("templates/images");
        // Killed after the image, after the note: the name still stands for the old one.
        Files.writeString(images.resolve("f".repeat(64) + ".erofs"), "new");
        assertThat(store.resolve(MINE).metadata()).isEqualTo(old);
        Files.writeString(images.resolve("f".repeat(64) + ".json"), "{}");
        assertThat(store.resolve(MINE).metadata()).isEqualTo(old);
        assertThat(store.tidy(NOBODY)).isOne();
        assertThat(images.resolve("f".repeat(64) + ".json")).doesNotExist();
        // Killed while removing: a name without an image is no template.
        Files.delete(image(old));
        assertThat(store.find(MINE)).isEmpty();
        assertThat(store.list()).isEmpty();
    }

    @Test
    void namesAreNoPaths() {
        for (String name : List.of("", "..", "a/b", "A", ".a", "a b", "x".repeat(65))) {
            assertThatThrownBy(() -> new TemplateName(name))
                    .as(name)
                    .isInstanceOf(GloveboxException.class)
                    .hasMessageContaining("1 to 64");
        }
    }

    @Test
    void oneProcessAtATimeChangesThem() {
        try (TemplateLock held = TemplateLock.take(store)) {
            assertThat(held).isNotNull();
            assertThatThrownBy(() -> TemplateLock.take(store)).hasMessageContaining("another process");
        }
        TemplateLock.take(store).close();
    }

    @Test
    void aMountedImageIsInUse() throws IOException {
        TemplateMetadata metadata = put(MINE, "1");
        Path proc = Files.createDirectories(directory.resolve("proc/123"));
        Files.createDirectories(directory.resolve("proc/self"));
        MountedTemplates mounted = new MountedTemplates(directory.resolve("proc"));
        assertThat(mounted.inUse(metadata.digest())).isFalse();
        Files.writeString(proc.resolve("mountinfo"), "36 35 7:0 / /x ro - erofs " + image(metadata) + " ro\n");
        assertThat(mounted.inUse(metadata.digest())).isTrue();
        assertThat(mounted.inUse("0".repeat(64))).isFalse();
    }
}
