package dev.glovebox.backends.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.backends.template.OciLayouts.Entry;
import dev.glovebox.core.GloveboxException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Builds small templates for real and looks into their images. Where this machine cannot build, what is asserted is
/// that it says so, and what is missing.
class TemplateBuilderIT {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final TemplateName TINY = new TemplateName("tiny");
    private static final Path GUEST = Path.of("../guest").toAbsolutePath().normalize();

    @TempDir
    private Path directory;

    private final List<String> remarks = new ArrayList<>();
    private TemplateStore store;
    private TemplateBuilder builder;
    private Path source;

    @BeforeEach
    void open() throws IOException {
        store = new TemplateStore(directory.resolve("home/templates"));
        builder = new TemplateBuilder(
                store,
                new TemplateBuilder.Sources(GUEST.resolve("templates"), GUEST.resolve("kernels")),
                Clock.fixed(NOW, ZoneOffset.UTC),
                new Remarks(remarks));
        source = Files.createDirectory(directory.resolve("source"));
    }

    private record Remarks(List<String> list) implements BuildProgress {
        @Override
        public void begins(String step) {}

        @Override
        public void ends(String step, Duration took) {}

        @Override
        public void remark(String sentence) {
            list.add(sentence);
        }
    }

    /// Whether this machine can build; if not, asserts that building is refused in words.
    private boolean canBuild(String... tools) {
        try {
            ToolLauncher.require("unshare", "setpriv", "mkfs.erofs");
            ToolLauncher.require(tools);
        } catch (GloveboxException missing) {
            assertThat(missing).hasMessageContaining("apt-get install");
            return false;
        }
        if (System.getProperty("user.name", "").equals("root")) {
            return true;
        }
        assertThatThrownBy(() -> builder.fromDirectory(TINY, source)).hasMessageContaining("only root");
        return false;
    }

    /// Runs a script with the image mounted at `$1`, in a mount namespace of its own.
    private String inImage(TemplateStore.Entry entry, String script) throws IOException {
        Path place = Files.createDirectories(directory.resolve("mounted"));
        Process process = new ProcessBuilder(
                        "unshare",
                        "--mount",
                        "sh",
                        "-euc",
                        "mount -t erofs -o ro \"$2\" \"$1\"; cd \"$1\"; " + script,
                        "sh",
                        place.toString(),
                        entry.image().toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            assertThat(process.waitFor()).as(said).isZero();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return said;
    }

    @Test
    void aDirectoryBecomesATemplate() throws IOException {
        if (!canBuild()) {
            return;
        }
        Path file =
                Files.writeString(Files.createDirectories(source.resolve("etc")).resolve("motd"), "hello\n");
        Files.setLastModifiedTime(file, FileTime.from(Instant.ofEpochSecond(1_500_000_000)));
        Files.createSymbolicLink(source.resolve("etc/hostname"), Path.of("/etc/passwd"));
        new ProcessBuilder("mkfifo", source.resolve("pipe").toString())
                .start()
                .onExit()
                .join();

        TemplateStore.Entry entry = builder.fromDirectory(TINY, source);

        assertThat(store.resolve(TINY)).isEqualTo(entry);
        assertThat(entry.metadata().created()).isEqualTo(NOW);
        assertThat(entry.metadata().bytes()).isEqualTo(Files.size(entry.image()));
        assertThat(entry.metadata().source()).isEqualTo("directory");
        assertThat(Sha256.of(entry.image())).isEqualTo(entry.metadata().digest());
        assertThat(inImage(entry, "stat -c '%Y %s %u' etc/motd; cat etc/hostname; ls -A dev proc tmp; ls"))
                .startsWith("1500000000 6 0\nsandbox\n")
                .contains("home")
                .doesNotContain("pipe");
        assertThat(inImage(entry, "grep ^user: etc/passwd; stat -c '%u %a' home/user tmp; ls opt/glovebox/kernels"))
                .contains("user:x:1000:1000::/home/user:/bin/sh", "1000 755", "0 1777", "python.py", "javascript.js");
        assertThat(remarks).singleElement().asString().contains("left out 1");
        assertThat(source.resolve("pipe")).as("the directory itself").exists();
        assertThat(store.building()).isEmptyDirectory();
    }

    @Test
    void aRecipeAddsToItsParent() throws IOException {
        if (!canBuild()) {
            return;
        }
        copyShell(source);
        TemplateStore.Entry parent = builder.fromDirectory(TINY, source);
        Path recipe = Files.createDirectory(directory.resolve("recipe"));
        Files.writeString(recipe.resolve("added"), "added\n");
        Files.writeString(recipe.resolve("recipe.json"), """
                {"name": "more", "parent": "tiny", "env": {"A": "b"}, "workdir": "/srv",
                 "files": [{"from": "added", "to": "/srv/added", "mode": "0755"}],
                 "run": ["echo made > /made; while read line; do echo \\"$line\\" >> /made; done < /proc/net/dev",
                         "[ ! -e /tmp/x ] && [ -z \\"${SECRET:-}\\" ] && : > /tmp/x",
                         "while read line; do echo \\"$line\\" >> /made; done < /tmp/handed-in/added"]}
                """);

        TemplateStore.Entry entry = builder.fromRecipe(recipe.toString());

        assertThat(entry.metadata().parentDigest()).isEqualTo(parent.metadata().digest());
        assertThat(entry.metadata().env()).containsEntry("A", "b");
        assertThat(entry.metadata().workdir()).isEqualTo("/srv");
        assertThat(entry.metadata().recipeDigest()).hasSize(64);
        String made = inImage(entry, "cat made srv/added; ls tmp");
        assertThat(made)
                .startsWith("made\n")
                .endsWith("added\nadded\n")
                .contains("lo:")
                .doesNotContain("eth0");
    }

    @Test
    void aStepThatFailsSaysWhyAndLeavesNothing() throws IOException {
        if (!canBuild()) {
            return;
        }
        copyShell(source);
        builder.fromDirectory(TINY, source);
        Path recipe = Files.writeString(
                directory.resolve("recipe.json"),
                "{\"name\": \"bad\", \"parent\": \"tiny\", \"run\": [\"echo broken things >&2; exit 3\"]}");
        assertThatThrownBy(() -> builder.fromRecipe(recipe.toString()))
                .isInstanceOf(GloveboxException.class)
                .hasMessageContainingAll("exit status 3", "broken things");
        assertThat(store.find(new TemplateName("bad"))).isEmpty();
        assertThat(store.building()).isEmptyDirectory();
    }

    @Test
    void stepsCannotWriteOutsideTheBuild() throws IOException {
        if (!canBuild()) {
            return;
        }
        Path build = Files.createDirectories(directory.resolve("build"));
        Path victim = Files.writeString(directory.resolve("victim"), "whole");
        ToolLauncher tools = new ToolLauncher(GUEST.resolve("templates"), build);
        assertThatThrownBy(() -> tools.run(
                        "a step",
                        ToolLauncher.Options.ALONE,
                        List.of("sh", "-c", "echo in > inside; echo broken > '" + victim + "'")))
                .hasMessageContaining("Read-only file system");
        assertThat(victim).hasContent("whole");
        assertThat(build.resolve("inside")).hasContent("in");
    }

    @Test
    void whatAKilledBuildLeftIsRemovedByTheNext() throws IOException {
        if (!canBuild()) {
            return;
        }
        Path left = Files.createDirectories(store.building().resolve("tiny-123/root/etc"));
        Files.createSymbolicLink(left.resolve("link"), source);
        Files.writeString(source.resolve("kept"), "kept");
        builder.fromDirectory(TINY, source);
        assertThat(store.building()).isEmptyDirectory();
        assertThat(source.resolve("kept")).exists();
    }

    @Test
    void anImageBecomesATemplate() throws IOException {
        if (!canBuild("skopeo", "umoci")) {
            return;
        }
        String reference = OciLayouts.write(
                directory.resolve("layout"),
                List.of(
                        List.of(
                                Entry.directory("dir"),
                                Entry.file("dir/gone", "1"),
                                Entry.file("dir/stays", "2"),
                                Entry.directory("opaque"),
                                Entry.file("opaque/gone", "3")),
                        List.of(
                                Entry.file("dir/.wh.gone", ""),
                                Entry.file("opaque/.wh..wh..opq", ""),
                                Entry.file("opaque/new", "4"),
                                Entry.device("null"))));

        TemplateStore.Entry entry = builder.fromOci(TINY, reference);

        assertThat(inImage(entry, "ls dir opaque; cat dir/stays opaque/new"))
                .isEqualTo("dir:\nstays\n\nopaque:\nnew\n24");
        assertThat(inImage(entry, "find . -type c -o -type b")).isEmpty();
        TemplateMetadata metadata = entry.metadata();
        String manifest = String.valueOf(metadata.ociDigest()).substring("sha256:".length());
        assertThat(directory.resolve("layout/blobs/sha256").resolve(manifest)).exists();
        assertThat(metadata.source()).isEqualTo("oci oci");
        assertThat(metadata.env()).containsEntry("LAYER", "yes");
        assertThat(metadata.user()).isEqualTo("nobody");
        assertThat(metadata.workdir()).isEqualTo("/srv");
    }

    @Test
    void anImageThatIsNotThereIsToldInASentence() {
        if (!canBuild("skopeo", "umoci")) {
            return;
        }
        String missing = "oci:" + directory.resolve("nowhere") + ":tag";
        assertThatThrownBy(() -> builder.fromOci(TINY, missing))
                .isInstanceOf(GloveboxException.class)
                .hasMessageStartingWith("the OCI image '" + missing + "' was not found or cannot be read: an image is ")
                .hasMessageContaining("skopeo inspect failed with exit status 1");
        assertThat(store.building()).isEmptyDirectory();
    }

    /// Whether such a layer is refused or unpacked inside: nothing of the host changes, or gets into the image.
    @Test
    void hostileLayersStayInside() throws IOException {
        if (!canBuild("skopeo", "umoci")) {
            return;
        }
        Path victim = Files.writeString(directory.resolve("victim"), "the host's own");
        String up = "../".repeat(20);
        List<List<Entry>> hostile = List.of(
                List.of(Entry.file(up + victim.toString().substring(1), "broken")),
                List.of(Entry.file(victim.toString(), "broken")),
                List.of(Entry.link("out", directory.toString()), Entry.file("out/victim", "broken")),
                List.of(Entry.link("out", up), Entry.file("out" + victim, "broken")),
                List.of(Entry.hardLink("stolen", victim.toString())),
                List.of(Entry.hardLink("stolen", up + victim.toString().substring(1))),
                List.of(Entry.link(".", directory.toString()), Entry.file("victim", "broken")),
                List.of(Entry.link("etc", directory.toString()), Entry.link("home", directory.toString())),
                List.of(Entry.link("opt", "/opt"), Entry.directory("tmp"), Entry.link("dev", directory.toString())),
                List.of(Entry.link("out", directory.toString()), Entry.file("out/.wh.victim", "")));
        for (int i = 0; i < hostile.size(); i++) {
            String reference = OciLayouts.write(directory.resolve("layout" + i), List.of(hostile.get(i)));
            try {
                TemplateStore.Entry entry = builder.fromOci(TINY, reference);
                assertThat(inImage(entry, "grep -rlF \"the host's own\" . || true"))
                        .as("case " + i)
                        .isEmpty();
            } catch (GloveboxException refusal) {
                assertThat(refusal.getMessage()).as("case " + i).isNotEmpty();
            }
            assertThat(victim).as("case " + i).hasContent("the host's own");
            assertThat(directory.resolve("passwd")).as("case " + i).doesNotExist();
            assertThat(directory.resolve("user")).as("case " + i).doesNotExist();
            assertThat(store.building()).as("case " + i).isEmptyDirectory();
        }
    }

    /// The host's shell with the libraries that it needs: enough for a run step.
    private static void copyShell(Path root) throws IOException {
        Process ldd = new ProcessBuilder("ldd", "/bin/sh").start();
        String said = new String(ldd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        List<String> files = new ArrayList<>(List.of("/bin/sh"));
        said.lines()
                .flatMap(line -> List.of(line.strip().split("\\s+", -1)).stream())
                .filter(word -> word.startsWith("/"))
                .forEach(files::add);
        for (String file : files) {
            Path target = root.resolve(file.substring(1));
            Files.createDirectories(target.resolveSibling(""));
            Files.copy(Path.of(file).toRealPath(), target);
            assertThat(Files.exists(target, LinkOption.NOFOLLOW_LINKS)).isTrue();
        }
    }
}
