package dev.glovebox.testkit.escape;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.ByteSource;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.SandboxHandle;
import dev.glovebox.testkit.BackendBench;
import dev.glovebox.testkit.BackendBench.Running;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Have the caller's file operations land elsewhere: while the host writes, moves and removes, the guest puts links in
/// the place of the directories that it is about to enter.
public abstract class LinuxRaceEscapeSuite extends LinuxEscapeTopic {
    private static final long NANOS = 2_500_000_000L;
    private static final String MARK = "mark-of-the-host";

    private static final String SWAP = """
            import itertools
            os.makedirs('/home/user/race/real', exist_ok=True)
            os.makedirs('/home/user/race/away', exist_ok=True)
            os.chdir('/home/user/race')
            print('ready', flush=True)
            targets = ['/etc', '/proc/1/root/etc', '/proc/self/root/etc', 'HOST', '/proc/1/rootHOST', '/proc/1/cwd', '/', '/dev',
                       '/proc/self/fd', '/../../../../../..HOST', '/proc/1/fd']
            for target in itertools.cycle(targets):
                for act in (lambda: os.symlink(target, 'link'), lambda: os.rename('real', 'away/real'), lambda: os.rename('link', 'real'),
                            lambda: os.unlink('real'), lambda: os.rename('away/real', 'real'), lambda: os.makedirs('real', exist_ok=True),
                            lambda: os.symlink(target + '/mark', 'real/mark'), lambda: os.unlink('real/mark'),
                            lambda: os.symlink(target + '/passwd', 'real/passwd'), lambda: os.unlink('real/passwd')):
                    try:
                        act()
                    except OSError:
                        pass
            """;

    private static final String SWAP_BELOW = """
            import itertools
            os.makedirs('/home/user/keep/deep', exist_ok=True)
            for name in ('a', 'b', 'deep/c'):
                put('/home/user/keep/' + name, 'kept')
            print('ready', flush=True)
            while True:
                for act in (lambda: os.makedirs('/home/user/tree/x/deep', exist_ok=True), lambda: put('/home/user/tree/x/a', 'x'),
                            lambda: os.rename('/home/user/tree/x', '/home/user/tree/y'), lambda: os.symlink('/home/user/keep', '/home/user/tree/x'),
                            lambda: os.unlink('/home/user/tree/x'), lambda: os.rename('/home/user/tree/y', '/home/user/tree/x')):
                    try:
                        act()
                    except OSError:
                        pass
            """;

    protected LinuxRaceEscapeSuite(Supplier<BackendBench> benches) {
        super(benches);
    }

    /// Does it, whatever comes of it, as long as the sandbox stays.
    private static void attemptTo(Runnable operation) {
        try {
            operation.run();
        } catch (GloveboxException refused) {
            assertThat(refused.code()).as(refused.getMessage()).isNotIn(ErrorCode.BACKEND_LOST, ErrorCode.INTERNAL);
        }
    }

    private static void operate(SandboxHandle sandbox) {
        String real = "/home/user/race/real";
        for (String name : List.of("/mark", "/passwd")) {
            attemptTo(() -> sandbox.write(path(real + name), ByteSource.of(bytes("from the caller"))));
            attemptTo(() -> sandbox.stat(path(real + name)));
            attemptTo(() -> sandbox.move(path(real + name), path(real + "/moved")));
            attemptTo(() -> sandbox.move(path(real + "/moved"), path(real + name)));
            attemptTo(() -> sandbox.remove(path(real + name)));
        }
        attemptTo(() -> sandbox.makeDirectory(path(real + "/made")));
        attemptTo(() -> sandbox.list(path(real), 2));
        attemptTo(() -> sandbox.remove(path(real + "/made")));
        attemptTo(() -> sandbox.remove(path(real)));
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        attemptTo(() -> sandbox.read(path(real + "/mark"), content::writeBytes));
        assertThat(content.toString(StandardCharsets.UTF_8)).doesNotContain(MARK);
    }

    @Test
    void aLinkInTheWayLeadsNowhereElse(@TempDir Path directory) throws IOException {
        Files.writeString(directory.resolve("mark"), MARK);
        Files.writeString(directory.resolve("passwd"), MARK);
        Map<String, String> before = hostState();
        String passwd = BackendBench.readText(sandbox(), "/etc/passwd");
        Running running = BackendBench.startBeside(sandbox(), spec(SWAP.replace("HOST", directory.toString())));
        running.said().awaitStdout("ready");
        long end = System.nanoTime() + NANOS;
        while (System.nanoTime() < end) {
            operate(sandbox());
        }
        sandbox().signal(running.id(), 9);
        running.await();
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.map(file -> file.getFileName().toString())).containsExactlyInAnyOrder("mark", "passwd");
        }
        assertThat(directory.resolve("mark")).hasContent(MARK);
        assertThat(directory.resolve("passwd")).hasContent(MARK);
        assertThat(hostState()).isEqualTo(before);
        assertThat(BackendBench.readText(sandbox(), "/etc/passwd")).isEqualTo(passwd);
        answers(sandbox());
    }

    @Test
    void removalNeverFollowsALink() {
        Running running = BackendBench.startBeside(sandbox(), spec(SWAP_BELOW));
        running.said().awaitStdout("ready");
        long end = System.nanoTime() + NANOS;
        while (System.nanoTime() < end) {
            attemptTo(() -> sandbox().remove(path("/home/user/tree")));
        }
        sandbox().signal(running.id(), 9);
        running.await();
        // What a link leads to is the same user's: in gVisor, whose kernel resolves paths in its own way, a file of it
        // was
        // gone once. That is no way out of anything; where the host's kernel resolves them it must not happen.
        for (String name : bench().tier() == Tier.JAIL ? List.of("a", "b", "deep/c") : List.<String>of()) {
            assertThat(BackendBench.readText(sandbox(), "/home/user/keep/" + name))
                    .isEqualTo("kept");
        }
        answers(sandbox());
    }
}
