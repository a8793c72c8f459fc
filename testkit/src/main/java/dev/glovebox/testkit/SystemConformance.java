package dev.glovebox.testkit;

import static dev.glovebox.testkit.Refusals.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.ByteSource;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Execution;
import dev.glovebox.core.FileAccess;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.GuestUser;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.SandboxUsage;
import dev.glovebox.core.TerminalSize;
import dev.glovebox.core.WatchEvent;
import dev.glovebox.core.WatchSink;
import dev.glovebox.core.backend.Capability;
import dev.glovebox.testkit.BackendBench.Ran;
import dev.glovebox.testkit.BackendBench.Running;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/// What a tier promises of being a system: users, terminals, owners and attributes of files, watching, and what it
/// uses.
public abstract class SystemConformance extends BackendTopic {
    private static final FileAccess ROOT_FOR_USER = FileAccess.rootFor(GuestUser.USER);
    private static final TerminalSize SMALL = new TerminalSize(80, 24);

    protected SystemConformance(Supplier<BackendBench> benches) {
        super(benches);
    }

    private static Execution.ProcessSpec shell(
            String script, Optional<GuestUser> user, Optional<TerminalSize> terminal, boolean takesInput) {
        return new Execution.ProcessSpec(
                List.of("sh", "-c", script),
                Optional.empty(),
                Map.of(),
                GuestPath.HOME,
                takesInput,
                ResourceLimits.DEFAULT,
                user,
                terminal);
    }

    private Ran shell(String script, GuestUser user) {
        return BackendBench.run(sandbox(), shell(script, Optional.of(user), Optional.empty(), false));
    }

    @Test
    void aPartOfAFileIsRead() {
        sandbox().write(path("/home/user/f"), ByteSource.of(bytes("0123456789")));
        assertThat(part(2, 3)).isEqualTo("234");
        assertThat(part(8, -1)).isEqualTo("89");
        assertThat(part(8, 100)).isEqualTo("89");
        assertThat(part(100, 1)).isEmpty();
        assertThat(part(0, 0)).isEmpty();
    }

    private String part(long offset, long length) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        sandbox().read(path("/home/user/f"), FileAccess.DEFAULT, offset, length, content::writeBytes);
        return content.toString(java.nio.charset.StandardCharsets.UTF_8);
    }

    @Test
    void aMoveMakesTheParentsOfItsTarget() {
        sandbox().write(path("/home/user/f"), ByteSource.of(bytes("x")));
        FileEntry moved = sandbox().move(path("/home/user/f"), path("/home/user/a/b/g"));
        assertThat(moved.path()).isEqualTo("/home/user/a/b/g");
        refusal(() -> sandbox().move(path("/home/user/f"), path("/home/user/c/d")))
                .is(ErrorCode.FILE_NOT_FOUND);
        refusal(() -> sandbox().stat(path("/home/user/c"))).is(ErrorCode.FILE_NOT_FOUND);
    }

    /// As version control does it: `mv` would copy where a file system does not let it move.
    @Test
    void filesAreMovedAndLinkedBetweenDirectories() {
        if (!bench().can(Capability.SHELL)) {
            refusal(() -> shell("true", GuestUser.USER)).is(ErrorCode.UNSUPPORTED);
            return;
        }
        String script = "cd $(mktemp -d) && mkdir a b && echo x > a/f && ln a/f b/link"
                + " && stat -c %i a/f && mv a/f b/moved && stat -c %i b/moved b/link";
        for (GuestUser user : List.of(GuestUser.USER, GuestUser.ROOT)) {
            Ran ran = shell(script, user);
            assertThat(ran.said().stderr()).isEmpty();
            assertThat(ran.stdout().lines().distinct()).hasSize(1);
            assertThat(ran.stdout().lines()).hasSize(3);
        }
    }

    @Test
    void tellsWhatItUses() {
        sandbox().write(path("/home/user/f"), ByteSource.of(new byte[1 << 20]));
        SandboxUsage usage = sandbox().usage();
        assertThat(usage.memoryBytesMax()).isEqualTo(ResourceLimits.DEFAULT.memoryBytes());
        assertThat(usage.memoryBytes()).isBetween(0L, usage.memoryBytesMax());
        assertThat(usage.diskBytesMax()).isEqualTo(ResourceLimits.DEFAULT.diskBytes());
        assertThat(usage.fileCountMax()).isEqualTo(ResourceLimits.DEFAULT.fileCount());
        assertThat(usage.cpuTime()).isGreaterThanOrEqualTo(java.time.Duration.ZERO);
    }

    @Test
    void runsAsAnotherUser() {
        if (!bench().can(Capability.USERS)) {
            refusal(() -> shell("id -un", GuestUser.ROOT)).is(ErrorCode.UNSUPPORTED);
            return;
        }
        assertThat(shell("id -un; echo $HOME", GuestUser.ROOT).stdout()).isEqualTo("root\n/root\n");
        assertThat(shell("id -un; echo $HOME", GuestUser.USER).stdout()).isEqualTo("user\n/home/user\n");
        refusal(() -> shell("true", new GuestUser("nobody-here"))).is(ErrorCode.FILE_NOT_FOUND, "user");
    }

    @Test
    void rootWritesWhereTheUserMayNot() {
        GuestPath place = path("/etc/glovebox-test/a/f");
        if (!bench().can(Capability.USERS)) {
            assertThat(sandbox()
                            .write(place, ROOT_FOR_USER, Map.of(), ByteSource.of(bytes("x")))
                            .owner())
                    .isEmpty();
            return;
        }
        refusal(() -> sandbox().write(place, ByteSource.of(bytes("x")))).is(ErrorCode.FORBIDDEN);
        FileEntry entry = sandbox().write(place, ROOT_FOR_USER, Map.of(), ByteSource.of(bytes("x")));
        assertThat(entry.owner()).isEqualTo("user");
        assertThat(entry.group()).isEqualTo("user");
        assertThat(sandbox().stat(path("/etc/glovebox-test/a")).owner()).isEqualTo("user");
        assertThat(sandbox().stat(path("/etc")).owner()).isEqualTo("root");
        sandbox().remove(path("/etc/glovebox-test"), ROOT_FOR_USER);
    }

    @Test
    void filesHaveAttributes() {
        GuestPath file = path("/home/user/f");
        Map<String, String> attributes = Map.of("user.e2b.colour", "blue", "user.x", "");
        if (!bench().can(Capability.USERS)) {
            refusal(() -> sandbox().write(file, FileAccess.DEFAULT, attributes, ByteSource.of(bytes("x"))))
                    .is(ErrorCode.UNSUPPORTED);
            return;
        }
        assertThat(sandbox()
                        .write(file, FileAccess.DEFAULT, attributes, ByteSource.of(bytes("x")))
                        .attributes())
                .isEqualTo(attributes);
        assertThat(sandbox().stat(file).attributes()).isEqualTo(attributes);
        assertThat(sandbox().list(GuestPath.HOME, 1))
                .filteredOn(entry -> entry.path().equals("/home/user/f"))
                .singleElement()
                .extracting(FileEntry::attributes)
                .isEqualTo(attributes);
        assertThat(sandbox().move(file, path("/home/user/g")).attributes()).isEqualTo(attributes);
        assertThat(sandbox().stat(path("/home/user/g")).attributes()).isEqualTo(attributes);
        sandbox().write(path("/home/user/g"), ByteSource.of(bytes("y")));
        assertThat(sandbox().stat(path("/home/user/g")).attributes()).isEmpty();
    }

    @Test
    void tellsTheProcessIdInside() {
        if (!bench().can(Capability.SHELL)) {
            assertThat(run(languages().getFirst(), GuestTask.HELLO).said().guestPid())
                    .isNotNegative();
            return;
        }
        Ran ran = BackendBench.run(sandbox(), shell("echo $$", Optional.empty(), Optional.empty(), false));
        assertThat(ran.stdout().strip()).isEqualTo(Long.toString(ran.said().guestPid()));
    }

    @Test
    void aTerminalHasItsSizeAndIsResized() {
        Execution.ProcessSpec spec =
                shell("tty; stty size; read line; stty size", Optional.empty(), Optional.of(SMALL), true);
        if (!bench().can(Capability.PTY)) {
            refusal(() -> BackendBench.run(sandbox(), spec)).is(ErrorCode.UNSUPPORTED);
            return;
        }
        Running running = BackendBench.startBeside(sandbox(), spec);
        running.said().awaitStdout("24 80");
        sandbox().resize(running.id(), new TerminalSize(132, 50));
        sandbox().writeInput(running.id(), bytes("go\n"), false);
        assertThat(running.await().outcome()).isEqualTo(new Outcome.Exited(0));
        assertThat(running.said().stdout()).contains("/dev/pts/", "24 80\r\n", "50 132\r\n");
    }

    @Test
    void whatHasNoTerminalIsNotResized() {
        if (!bench().can(Capability.PTY)) {
            refusal(() -> sandbox().resize(BackendBench.nextProcess(), SMALL)).is(ErrorCode.PROCESS_NOT_FOUND);
            return;
        }
        Running running =
                BackendBench.startBeside(sandbox(), shell("read line", Optional.empty(), Optional.empty(), true));
        refusal(() -> sandbox().resize(running.id(), SMALL)).is(ErrorCode.UNSUPPORTED, "terminal");
        sandbox().writeInput(running.id(), bytes("\n"), true);
        running.await();
    }

    /// What a watch told.
    private static final class Events implements WatchSink {
        final CountDownLatch begun = new CountDownLatch(1);
        final BlockingQueue<WatchEvent> events = new LinkedBlockingQueue<>();

        @Override
        public void watching() {
            begun.countDown();
        }

        @Override
        public void event(WatchEvent event) {
            events.add(event);
        }

        WatchEvent next() throws InterruptedException {
            WatchEvent event = events.poll(10, TimeUnit.SECONDS);
            assertThat(event).as("an event").isNotNull();
            return java.util.Objects.requireNonNull(event);
        }
    }

    @Test
    void watchesADirectory() throws InterruptedException {
        Events events = new Events();
        GuestPath directory = path("/home/user/watched");
        sandbox().makeDirectory(directory);
        if (!bench().can(Capability.WATCH)) {
            refusal(() -> sandbox().watch(directory, FileAccess.DEFAULT, true, events))
                    .is(ErrorCode.UNSUPPORTED);
            return;
        }
        var watch = BackendBench.beside(() -> {
            sandbox().watch(directory, FileAccess.DEFAULT, true, events);
            return true;
        });
        assertThat(events.begun.await(10, TimeUnit.SECONDS)).isTrue();
        sandbox().write(path("/home/user/watched/new/deep/f"), ByteSource.of(bytes("x")));
        WatchEvent event = events.next();
        assertThat(event.kind()).isEqualTo(WatchEvent.Kind.CREATE);
        assertThat(event.path()).isEqualTo("/home/user/watched/new");
        assertThat(event.isDirectory()).isTrue();
        while (!event.path().equals("/home/user/watched/new/deep/f")) {
            event = events.next();
        }
        sandbox().remove(directory);
        assertThat(BackendBench.await(watch)).isTrue();
    }

    @Test
    void whatIsNoDirectoryIsNotWatched() {
        ErrorCode missing = bench().can(Capability.WATCH) ? ErrorCode.FILE_NOT_FOUND : ErrorCode.UNSUPPORTED;
        refusal(() -> sandbox().watch(path("/home/user/none"), FileAccess.DEFAULT, false, new Events()))
                .is(missing);
        if (missing == ErrorCode.UNSUPPORTED) {
            return;
        }
        sandbox().write(path("/home/user/f"), ByteSource.of(bytes("x")));
        refusal(() -> sandbox().watch(path("/home/user/f"), FileAccess.DEFAULT, false, new Events()))
                .is(ErrorCode.WRONG_FILE_TYPE);
    }
}
