package dev.glovebox.testkit;

import static dev.glovebox.testkit.Refusals.refusal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.ByteSource;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.Outcome;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What a tier promises of files, seen from outside and from inside.
public abstract class FilesConformance extends BackendTopic {
    protected FilesConformance(Supplier<BackendBench> benches) {
        super(benches);
    }

    private FileEntry write(String path, String content) {
        return sandbox().write(path(path), ByteSource.of(bytes(content)));
    }

    private String read(String path) {
        return BackendBench.readText(sandbox(), path);
    }

    @Test
    void readsWhatWasWritten() {
        byte[] content = new byte[(1 << 20) + 17];
        new Random(1).nextBytes(content);
        FileEntry entry = sandbox().write(path("/home/user/data.bin"), ByteSource.of(content));
        assertThat(entry.path()).isEqualTo("/home/user/data.bin");
        assertThat(entry.type()).isEqualTo(FileEntry.Type.FILE);
        assertThat(entry.sizeBytes()).isEqualTo(content.length);
        assertThat(entry.mode()).isEqualTo(0644);
        assertThat(BackendBench.read(sandbox(), "/home/user/data.bin")).isEqualTo(content);
        assertThat(sandbox().stat(path("/home/user/data.bin"))).isEqualTo(entry);
    }

    @Test
    void largeFilesKeepTheirBytesEvenTwoAtOnce() throws Exception {
        byte[] content = new byte[9 * 1024 * 1024 + 13];
        new Random(2).nextBytes(content);
        byte[] other = Arrays.copyOfRange(content, 1, 6 * 1024 * 1024);
        try (ExecutorService beside = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<FileEntry> writing =
                    beside.submit(() -> sandbox().write(path("/home/user/other"), ByteSource.of(other)));
            sandbox().write(path("/home/user/large"), ByteSource.of(content));
            writing.get();
            Future<byte[]> reading = beside.submit(() -> BackendBench.read(sandbox(), "/home/user/other"));
            assertThat(BackendBench.read(sandbox(), "/home/user/large")).isEqualTo(content);
            assertThat(reading.get()).isEqualTo(other);
        }
    }

    @Test
    void anUploadThatBreaksLeavesNothingAndHarmsNoOther() {
        byte[] content = new byte[5 * 1024 * 1024];
        new Random(3).nextBytes(content);
        ByteSource whole = ByteSource.of(content);
        int[] left = {3 * 1024 * 1024};
        ByteSource broken = target -> {
            if (left[0] <= 0) {
                throw new IllegalStateException("the client went away");
            }
            int count = whole.read(target);
            left[0] -= count;
            return count;
        };
        assertThatThrownBy(() -> sandbox().write(path("/home/user/broken"), broken))
                .hasMessage("the client went away");
        sandbox().write(path("/home/user/next"), ByteSource.of(content));
        assertThat(BackendBench.read(sandbox(), "/home/user/next")).isEqualTo(content);
        refusal(() -> sandbox().stat(path("/home/user/broken"))).is(ErrorCode.FILE_NOT_FOUND);
    }

    @Test
    void anEmptyFileIsAFile() {
        assertThat(write("/home/user/empty", "").sizeBytes()).isZero();
        assertThat(read("/home/user/empty")).isEmpty();
    }

    @Test
    void writingReplacesAndMakesParents() {
        write("/home/user/a/b/c.txt", "a long first content");
        write("/home/user/a/b/c.txt", "short");
        assertThat(read("/home/user/a/b/c.txt")).isEqualTo("short");
        assertThat(sandbox().stat(path("/home/user/a/b")).type()).isEqualTo(FileEntry.Type.DIRECTORY);
    }

    @Test
    void namesMayHoldAnyCharacter() {
        String name = "/home/user/ünï \"quoted\" $(x) `y` \n\t\u202e.txt";
        write(name, "x");
        assertThat(read(name)).isEqualTo("x");
        assertThat(sandbox().list(GuestPath.HOME, 1))
                .extracting(FileEntry::path)
                .contains(name);
    }

    @Test
    void whatIsNotThereIsNotFound() {
        GuestPath missing = path("/home/user/missing");
        refusal(() -> sandbox().stat(missing)).is(ErrorCode.FILE_NOT_FOUND);
        refusal(() -> sandbox().read(missing, _ -> {})).is(ErrorCode.FILE_NOT_FOUND);
        refusal(() -> sandbox().list(missing, 1)).is(ErrorCode.FILE_NOT_FOUND);
        refusal(() -> sandbox().remove(missing)).is(ErrorCode.FILE_NOT_FOUND);
        refusal(() -> sandbox().move(missing, path("/home/user/b"))).is(ErrorCode.FILE_NOT_FOUND);
    }

    @Test
    void aDirectoryIsNoFileAndAFileNoDirectory() {
        write("/home/user/file", "x");
        sandbox().makeDirectory(path("/home/user/directory"));
        refusal(() -> sandbox().read(path("/home/user/directory"), _ -> {})).is(ErrorCode.WRONG_FILE_TYPE);
        refusal(() -> write("/home/user/directory", "x")).is(ErrorCode.WRONG_FILE_TYPE);
        refusal(() -> sandbox().list(path("/home/user/file"), 1)).is(ErrorCode.WRONG_FILE_TYPE);
        refusal(() -> write("/home/user/file/below", "x")).is(ErrorCode.WRONG_FILE_TYPE);
        assertThat(read("/home/user/file")).isEqualTo("x");
    }

    @Test
    void makesADirectoryWithItsParentsOnce() {
        FileEntry entry = sandbox().makeDirectory(path("/home/user/x/y/z"));
        assertThat(entry.path()).isEqualTo("/home/user/x/y/z");
        assertThat(entry.type()).isEqualTo(FileEntry.Type.DIRECTORY);
        assertThat(sandbox().makeDirectory(path("/home/user/x/y/z")).type()).isEqualTo(FileEntry.Type.DIRECTORY);
        write("/home/user/file", "x");
        refusal(() -> sandbox().makeDirectory(path("/home/user/file"))).is(ErrorCode.ALREADY_EXISTS);
    }

    @Test
    void listsADirectoryAsDeepAsAskedInTheOrderOfPaths() {
        write("/home/user/t/b", "2");
        write("/home/user/t/a/x", "1");
        write("/home/user/t/c/d/e", "3");
        assertThat(paths(1)).containsExactly("/home/user/t/a", "/home/user/t/b", "/home/user/t/c");
        assertThat(paths(2))
                .containsExactly(
                        "/home/user/t/a", "/home/user/t/a/x", "/home/user/t/b", "/home/user/t/c", "/home/user/t/c/d");
        assertThat(paths(3)).hasSize(6).contains("/home/user/t/c/d/e");
    }

    private List<String> paths(int depth) {
        return sandbox().list(path("/home/user/t"), depth).stream()
                .map(FileEntry::path)
                .toList();
    }

    @Test
    void movesAndReplaces() {
        write("/home/user/from", "new");
        write("/home/user/to", "old");
        assertThat(sandbox()
                        .move(path("/home/user/from"), path("/home/user/to"))
                        .path())
                .isEqualTo("/home/user/to");
        assertThat(read("/home/user/to")).isEqualTo("new");
        refusal(() -> read("/home/user/from")).is(ErrorCode.FILE_NOT_FOUND);
    }

    @Test
    void aDirectoryCannotMoveIntoItself() {
        write("/home/user/d/f", "x");
        refusal(() -> sandbox().move(path("/home/user/d"), path("/home/user/d/e")))
                .is(ErrorCode.INVALID_ARGUMENT);
        assertThat(read("/home/user/d/f")).isEqualTo("x");
    }

    @Test
    void removesADirectoryWithAllInIt() {
        write("/home/user/d/e/f", "x");
        sandbox().remove(path("/home/user/d"));
        refusal(() -> sandbox().stat(path("/home/user/d"))).is(ErrorCode.FILE_NOT_FOUND);
    }

    @Test
    void theRootStays() {
        assertThatThrownBy(() -> sandbox().remove(GuestPath.ROOT)).isInstanceOf(RuntimeException.class);
        assertThat(sandbox().stat(GuestPath.HOME).type()).isEqualTo(FileEntry.Type.DIRECTORY);
    }

    @Test
    void aWriteThatIsCutShortLeavesTheOldContent() {
        write("/home/user/f", "old");
        int[] reads = {0};
        assertThatThrownBy(() -> sandbox().write(path("/home/user/f"), target -> {
                    if (reads[0]++ > 0) {
                        throw new IllegalStateException("the caller's connection broke");
                    }
                    target[0] = 'n';
                    return 1;
                }))
                .hasMessageContaining("connection broke");
        assertThat(read("/home/user/f")).isEqualTo("old");
    }

    @Test
    void aReadThatIsCutShortLeavesTheSandboxUsable() {
        sandbox().write(path("/home/user/large"), ByteSource.of(new byte[4 << 20]));
        assertThatThrownBy(() -> sandbox().read(path("/home/user/large"), _ -> {
                    throw new IllegalStateException("the caller's connection broke");
                }))
                .hasMessageContaining("connection broke");
        assertThat(BackendBench.read(sandbox(), "/home/user/large")).hasSize(4 << 20);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void guestAndCallerSeeTheSameFiles(Language language) {
        write("/home/user/in.txt", "from outside");
        assertThat(run(language, GuestTask.READ_FILE).stdout()).isEqualTo("from outside");
        assertThat(run(language, GuestTask.WRITE_FILE).result().outcome()).isEqualTo(new Outcome.Exited(0));
        assertThat(read("/home/user/out.txt")).isEqualTo("from inside");
    }

    @Test
    void aLinkIsALinkAndIsFollowed() {
        // Not every language's library has links: the tier's first one has.
        Language language = languages().getFirst();
        write("/home/user/in.txt", "linked to");
        assertThat(run(language, GuestTask.MAKE_LINK).result().outcome()).isEqualTo(new Outcome.Exited(0));
        FileEntry link = sandbox().stat(path("/home/user/link"));
        assertThat(link.type()).isEqualTo(FileEntry.Type.SYMLINK);
        assertThat(link.linkTarget()).isEqualTo("in.txt");
        assertThat(read("/home/user/link")).isEqualTo("linked to");
        sandbox().remove(path("/home/user/link"));
        assertThat(read("/home/user/in.txt")).isEqualTo("linked to");
    }

    @Test
    void manyFilesAtOnce() {
        Together.run(16, number -> {
            String name = "/home/user/p" + number;
            for (int i = 0; i < 20; i++) {
                write(name, "content " + i);
                assertThat(read(name)).isEqualTo("content " + i);
            }
            return number;
        });
    }
}
