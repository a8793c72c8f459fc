package dev.glovebox.backends.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A stranger's tree must not lead out of itself.
class RootTreeTest {
    @TempDir
    private Path directory;

    private Path root;
    private Path outside;
    private RootTree tree;

    @BeforeEach
    void make() throws IOException {
        root = Files.createDirectory(directory.resolve("root"));
        outside = Files.createDirectory(directory.resolve("outside"));
        Files.writeString(outside.resolve("passwd"), "host\n");
        tree = new RootTree(root);
    }

    @Test
    void linksLeadToPlacesInside() throws IOException {
        Files.createDirectories(root.resolve("real/sub"));
        Files.createSymbolicLink(root.resolve("absolute"), Path.of("/real"));
        Files.createSymbolicLink(root.resolve("real/up"), Path.of("../../../real/sub"));
        assertThat(tree.locate("/absolute/sub")).isEqualTo(root.resolve("real/sub"));
        assertThat(tree.locate("/absolute/up")).isEqualTo(root.resolve("real/sub"));
        assertThat(tree.locate("../../etc")).isEqualTo(root.resolve("etc"));
        assertThat(tree.locate("/absolute", LinkOption.NOFOLLOW_LINKS)).isEqualTo(root.resolve("absolute"));
    }

    @Test
    void linksInACircleAreRefused() throws IOException {
        Files.createSymbolicLink(root.resolve("a"), Path.of("b"));
        Files.createSymbolicLink(root.resolve("b"), Path.of("/a"));
        assertThatThrownBy(() -> tree.locate("/a/x")).hasMessageContaining("circle");
    }

    @Test
    void nothingIsWrittenOutside() throws IOException {
        Files.createSymbolicLink(root.resolve("etc"), outside);
        Files.createSymbolicLink(root.resolve("passwd"), outside.resolve("passwd"));
        tree.write("/etc/passwd", "inside\n", "0600");
        tree.write("/passwd", "inside\n", "0644");
        tree.append("/passwd", "more");
        tree.copy(outside.resolve("passwd"), "/etc/copy", "0755");
        assertThat(outside.resolve("passwd")).hasContent("host\n");
        assertThat(outside).isDirectoryContaining(file -> file.endsWith("passwd"));
        assertThat(outside.resolve("copy")).doesNotExist();
        assertThat(root.resolve("passwd")).isRegularFile().content().isEqualTo("inside\nmore\n");
        Path inside = root.resolve(root.getRoot().relativize(outside));
        assertThat(inside.resolve("passwd")).content().isEqualTo("inside\n");
        assertThat(RootTree.modeOf(inside.resolve("passwd"))).isEqualTo("rw-------");
        assertThat(RootTree.modeOf(inside.resolve("copy"))).isEqualTo("rwxr-xr-x");
    }

    @Test
    void nothingIsReadOutside() throws IOException {
        Files.createSymbolicLink(root.resolve("passwd"), outside.resolve("passwd"));
        assertThat(tree.read("/passwd")).isEmpty();
        assertThat(tree.isFile("/passwd")).isFalse();
    }

    @Test
    void nothingIsRemovedOutside() throws IOException {
        Files.createSymbolicLink(root.resolve("dev"), outside);
        Files.createDirectories(root.resolve("tmp/sub"));
        Files.createSymbolicLink(root.resolve("tmp/sub/link"), outside);
        tree.empty("/dev");
        tree.empty("/tmp");
        tree.remove("/dev");
        assertThat(outside.resolve("passwd")).exists();
        assertThat(root.resolve("tmp")).isEmptyDirectory();
        assertThat(root.resolve("dev")).doesNotExist();
        RootTree.delete(root, true);
        assertThat(outside.resolve("passwd")).exists();
        assertThat(root).doesNotExist();
    }

    @Test
    void aFileWithTwoNamesIsNotChangedUnderTheOther() throws IOException {
        Files.createLink(root.resolve("same"), outside.resolve("passwd"));
        tree.write("/same", "inside\n", "0644");
        assertThat(outside.resolve("passwd")).hasContent("host\n");
    }

    @Test
    void directoriesKeepTheirModes() throws IOException {
        tree.directory("/tmp", "1777");
        Files.createDirectory(root.resolve("run"));
        tree.directory("/run", "0700");
        assertThat(RootTree.modeOf(root.resolve("tmp"))).isEqualTo("rwxrwxrwx");
        assertThat(RootTree.modeOf(root.resolve("run"))).isEqualTo("rwxr-xr-x");
    }
}
