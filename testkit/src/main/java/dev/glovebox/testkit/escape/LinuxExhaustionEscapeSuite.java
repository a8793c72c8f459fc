package dev.glovebox.testkit.escape;

import static dev.glovebox.testkit.Refusals.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.ByteSource;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Execution;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.backend.SandboxHandle;
import dev.glovebox.testkit.BackendBench;
import dev.glovebox.testkit.BackendBench.Ran;
import dev.glovebox.testkit.BackendBench.Running;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/// Use up what all share: processes, memory, disk, files, shared memory, logs. The sandbox beside is served meanwhile,
/// the same one answers afterwards, and the host is as before.
public abstract class LinuxExhaustionEscapeSuite extends LinuxEscapeTopic {
    private static final Duration ATTACK = Duration.ofSeconds(4);
    private static final Duration SETTLE = Duration.ofSeconds(10);
    private static final long MIB = 1L << 20;
    /// Processes of sandboxes that a pool may have made ready meanwhile.
    private static final int POOLED = 20;

    private final Supplier<List<ProcessHandle>> processes;

    protected LinuxExhaustionEscapeSuite(Supplier<BackendBench> benches, Supplier<List<ProcessHandle>> processes) {
        super(benches);
        this.processes = processes;
    }

    private void survived(String script) {
        survived(sandbox(), command("bash", "-c", script), false);
    }

    private void survived(SandboxHandle sandbox, Execution.ProcessSpec attack) {
        survived(sandbox, attack, false);
    }

    /// For what gVisor's own memory grows by without a bound of its own: there the sandbox may end as a whole, as
    /// a value, or have no memory left for itself.
    private void survivedOrEnded(Execution.ProcessSpec attack) {
        survived(sandbox(), attack, isEmulated());
    }

    /// Runs the attack, serves another sandbox meanwhile, and looks at both and at the host afterwards.
    private void survived(SandboxHandle sandbox, Execution.ProcessSpec attack, boolean mayEnd) {
        SandboxHandle beside = create(bench().request());
        answers(sandbox);
        answers(beside);
        List<ProcessHandle> before = processes.get();
        Running running = BackendBench.startBeside(sandbox, withLimits(attack, wall(ATTACK)));
        int served = 0;
        long slowest = 0;
        while (!running.result().isDone()) {
            long begin = System.nanoTime();
            answers(beside);
            slowest = Math.max(slowest, System.nanoTime() - begin);
            served++;
        }
        Execution.Result result = running.await();
        assertThat(mayEnd || !(result.outcome() instanceof Outcome.BackendLost))
                .as(result.outcome().sentence())
                .isTrue();
        assertThat(served).as("answers of the sandbox beside").isGreaterThan(0);
        assertThat(Duration.ofNanos(slowest)).isLessThan(Duration.ofSeconds(10));
        if (!mayEnd) {
            soonAnswers(sandbox);
        }
        if (!isEmulated()) {
            settled(before.size());
        }
        // gVisor keeps the processes in which it ran the guest's for the next ones; they end with the sandbox.
        sandbox.close();
        settled(before.size());
    }

    /// Hundreds of processes that were killed count until the kernel has taken each of them apart.
    private static void soonAnswers(SandboxHandle sandbox) {
        long end = System.nanoTime() + SETTLE.toNanos();
        while (true) {
            try {
                answers(sandbox);
                return;
            } catch (GloveboxException refusal) {
                if (refusal.code() != ErrorCode.QUOTA_EXCEEDED || System.nanoTime() > end) {
                    throw refusal;
                }
            }
        }
    }

    /// The count of processes on the host comes back; a pool may meanwhile have filled up.
    private void settled(int before) {
        int bound = before + POOLED;
        long end = System.nanoTime() + SETTLE.toNanos();
        int now = processes.get().size();
        while (now > bound && System.nanoTime() < end) {
            Thread.onSpinWait();
            now = processes.get().size();
        }
        assertThat(now).as("processes of the backend on the host").isLessThanOrEqualTo(bound);
    }

    @Test
    void aForkBombEndsWithItself() {
        survived(":(){ :|:& };:; sleep 60");
    }

    @Test
    void aForkBombThatLeavesItsSessionEndsToo() {
        survivedOrEnded(command("python3", "-c", """
                        import os, signal, time
                        for number in range(1, 32):
                            if number not in (9, 19):
                                signal.signal(number, signal.SIG_IGN)
                        end = time.time() + 30
                        while time.time() < end:
                            try:
                                if os.fork() == 0:
                                    os.setsid()
                            except OSError:
                                time.sleep(0.01)
                        """));
    }

    @Test
    void threadsHaveABoundToo() {
        survived(sandbox(), command("python3", "-c", """
                        import threading, time
                        threading.stack_size(65536)
                        while True:
                            try:
                                threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
                            except RuntimeError:
                                time.sleep(0.01)
                        """));
    }

    @Test
    void aFullDiskIsItsOwn() {
        SandboxHandle sandbox = create(BackendBench.withLimits(bench().request(), disk(32 * MIB, 5_000)));
        bash(sandbox, "cat /dev/zero > /home/user/zeros; cat /dev/zero > /tmp/zeros");
        assertThat(bash(sandbox, "echo here").stdout()).isEqualTo("here\n");
        refusal(() -> sandbox.write(path("/home/user/more"), ByteSource.of(new byte[(int) MIB])))
                .is(ErrorCode.NO_SPACE);
        sandbox.remove(path("/home/user/zeros"));
        sandbox.write(path("/home/user/after"), ByteSource.of(new byte[(int) MIB]));
        survived(sandbox, command("bash", "-c", "cat /dev/zero > /home/user/zeros; rm /home/user/zeros; echo full"));
    }

    /// The disk of a jail is memory and counts as such: whoever fills it has none left to run in. The caller can still
    /// take files away, and then all is as before.
    @Test
    void aDiskThatFillsTheMemoryCanBeEmptied() {
        SandboxHandle sandbox = create(BackendBench.withLimits(bench().request(), small()));
        Ran ran = bash(sandbox, "cat /dev/zero > /home/user/zeros; echo full");
        if (ran.result().outcome() instanceof Outcome.OutOfMemory) {
            assertThat(isEmulated()).as(ran.toString()).isFalse();
        } else {
            assertThat(ran.stdout()).as(ran.toString()).isEqualTo("full\n");
        }
        assertThat(sandbox.stat(path("/home/user/zeros")).sizeBytes()).isGreaterThan(32 * MIB);
        sandbox.remove(path("/home/user/zeros"));
        answers(sandbox);
    }

    private static ResourceLimits small() {
        return new ResourceLimits(Duration.ofSeconds(20), Duration.ofSeconds(20), 64 * MIB, MIB, 200 * MIB, 5_000);
    }

    @Test
    void allFilesThatThereMayBeAreItsOwn() {
        SandboxHandle sandbox = create(BackendBench.withLimits(bench().request(), disk(32 * MIB, 2_000)));
        survived(sandbox, command("python3", "-c", """
                        import os
                        try:
                            for i in range(1000000):
                                os.symlink('x', '/home/user/l%d' % i) if i % 2 else open('/home/user/f%d' % i, 'w').close()
                        except OSError as error:
                            print('full', error)
                        for i in range(20):
                            os.unlink('/home/user/f%d' % (2 * i))
                        """));
    }

    @Test
    void sharedMemoryHasABound() {
        bash(sandbox(), "cat /dev/zero > /dev/shm/zeros; cat /dev/zero > /tmp/zeros");
        assertThat(bash(sandbox(), "rm -rf /dev/shm/* /tmp/zeros; echo gone").stdout())
                .isEqualTo("gone\n");
        survived("for i in $(seq 20000); do : > /dev/shm/f$i; done 2>/dev/null; rm -rf /dev/shm/*");
    }

    @Test
    void memoryThatNoProcessHoldsHasABoundToo() {
        survivedOrEnded(command("python3", "-c", """
                        import ctypes, os
                        libc = ctypes.CDLL(None, use_errno=True)
                        libc.shmat.restype = ctypes.c_void_p
                        for i in range(1000):
                            made = libc.shmget(i + 1, 8 << 20, 0o1666)
                            if made < 0:
                                break
                            at = libc.shmat(made, None, 0)
                            if at in (None, ctypes.c_void_p(-1).value):
                                break
                            ctypes.memset(at, 1, 8 << 20)
                        """));
    }

    /// Files in memory that no process has mapped. gVisor's own memory grows by them, and no control group inside tells
    /// whose they are: there the sandbox may end as a whole.
    @Test
    void filesInMemoryHaveABoundToo() {
        SandboxHandle beside = create(bench().request());
        Ran ran = BackendBench.run(sandbox(), command("python3", "-c", """
                import os
                files = []
                while True:
                    fd = os.memfd_create('x')
                    files.append(fd)
                    os.write(fd, b'x' * (1 << 20))
                """));
        answers(beside);
        assertThat(ran.result().outcome()).as(ran.toString()).isNotEqualTo(new Outcome.Exited(0));
        if (!(isEmulated() && ran.result().outcome() instanceof Outcome.BackendLost)) {
            answers(sandbox());
        }
    }

    @Test
    void aMemoryBombEndsWithItself() {
        survived(sandbox(), command("python3", "-c", """
                        import os
                        for i in range(8):
                            if os.fork() == 0:
                                break
                        x = []
                        while True:
                            x.append(bytearray(1 << 20))
                        """));
    }

    @Test
    void aFloodOfLogsReachesNoLog() {
        survived(
                "while :; do echo '<0>flood' > /dev/kmsg; logger flood; echo flood > /dev/log; echo flood > /proc/1/fd/2; done 2>/dev/null");
        survived(create(bench().request()), command("bash", "-c", "yes $(head -c 1000 /dev/zero | tr '\\0' x)"));
    }

    @Test
    void openFilesHaveABound() {
        survivedOrEnded(command("python3", "-c", """
                        import os, socket, time
                        kept = []
                        for i in range(64):
                            if os.fork() == 0:
                                break
                        end = time.time() + 30
                        while time.time() < end:
                            try:
                                kept.append(os.pipe())
                                kept.append(socket.socketpair())
                            except OSError:
                                time.sleep(0.05)
                        """));
    }
}
