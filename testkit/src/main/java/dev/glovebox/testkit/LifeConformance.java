package dev.glovebox.testkit;

import static dev.glovebox.testkit.Refusals.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.ByteSource;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.backend.Requirements;
import dev.glovebox.core.backend.SandboxHandle;
import dev.glovebox.testkit.BackendBench.Ran;
import dev.glovebox.testkit.BackendBench.Running;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What a tier promises of a sandbox's end, and of the others that do not end with it.
public abstract class LifeConformance extends BackendTopic {
    private final Consumer<Requirements> lose;

    /// @param lose takes away what a sandbox runs in, as a crash would
    protected LifeConformance(Supplier<BackendBench> benches, Consumer<Requirements> lose) {
        super(benches);
        this.lose = lose;
    }

    private void everyCallIsRefusedAsLost(SandboxHandle sandbox) {
        GuestPath path = path("/home/user/f");
        refusal(() -> run(sandbox, languages().getFirst(), GuestTask.HELLO)).is(ErrorCode.BACKEND_LOST);
        refusal(() -> sandbox.stat(path)).is(ErrorCode.BACKEND_LOST);
        refusal(() -> sandbox.list(path, 1)).is(ErrorCode.BACKEND_LOST);
        refusal(() -> sandbox.read(path, _ -> {})).is(ErrorCode.BACKEND_LOST);
        refusal(() -> sandbox.write(path, ByteSource.of(bytes("x")))).is(ErrorCode.BACKEND_LOST);
    }

    private static boolean isEnded(Outcome outcome) {
        return outcome instanceof Outcome.Killed || outcome instanceof Outcome.BackendLost;
    }

    @ParameterizedTest
    @MethodSource("languages")
    void theEndOfASandboxEndsWhatRunsInIt(Language language) {
        SandboxHandle sandbox = sandbox();
        List<Running> running = List.of(
                startBeside(language, GuestTask.READY_AND_WAIT),
                startBeside(language, GuestTask.SPIN_STUBBORNLY),
                BackendBench.startBeside(sandbox, withInput(bench().spec(language, GuestTask.CAT))));
        long begun = System.nanoTime();
        sandbox.close();
        for (Running process : running) {
            assertThat(process.await().outcome()).matches(LifeConformance::isEnded, "killed or lost");
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
        everyCallIsRefusedAsLost(sandbox);
    }

    @Test
    void aSandboxEndsOnceHoweverOftenItIsEnded() {
        SandboxHandle sandbox = sandbox();
        Together.run(8, _ -> {
            sandbox.close();
            return true;
        });
        sandbox.close();
        everyCallIsRefusedAsLost(sandbox);
    }

    @Test
    void anEndThatWasAskedForIsNoLoss() throws InterruptedException {
        BlockingQueue<String> losses = new LinkedBlockingQueue<>();
        SandboxHandle sandbox = sandbox();
        sandbox.onLost(losses::add);
        sandbox.close();
        assertThat(losses.poll(300, TimeUnit.MILLISECONDS)).isNull();
    }

    @ParameterizedTest
    @MethodSource("languages")
    void aLossIsToldOnceAndInWords(Language language) throws InterruptedException {
        BlockingQueue<String> losses = new LinkedBlockingQueue<>();
        Requirements request = bench().request();
        SandboxHandle sandbox = create(request);
        sandbox.onLost(losses::add);
        Running running = BackendBench.startBeside(sandbox, bench().spec(language, GuestTask.READY_AND_WAIT));
        running.said().awaitStdout("ready");
        lose.accept(request);
        assertThat(running.await().outcome()).isInstanceOf(Outcome.BackendLost.class);
        assertThat(losses.poll(10, TimeUnit.SECONDS)).isNotBlank();
        assertThat(losses.poll(300, TimeUnit.MILLISECONDS)).as("a second time").isNull();
        everyCallIsRefusedAsLost(sandbox);
        SandboxHandle next = create(BackendBench.withTenant(bench().request(), request.tenant(), false));
        assertThat(run(next, language, GuestTask.HELLO).stdout()).isEqualTo("hello, wörld\n");
    }

    @Test
    void whoAsksAfterTheLossIsToldToo() throws InterruptedException {
        BlockingQueue<String> losses = new LinkedBlockingQueue<>();
        Requirements request = bench().request();
        SandboxHandle sandbox = create(request);
        lose.accept(request);
        sandbox.onLost(losses::add);
        assertThat(losses.poll(10, TimeUnit.SECONDS)).isNotBlank();
    }

    @ParameterizedTest
    @MethodSource("languages")
    void twoSandboxesShareNothing(Language language) {
        Requirements mine = bench().request();
        for (Requirements other : List.of(
                bench().request(),
                BackendBench.withTenant(bench().request(), Samples.BOB, false),
                BackendBench.withTenant(bench().request(), mine.tenant(), true))) {
            SandboxHandle first = create(bench().request());
            SandboxHandle second = create(other);
            assertThat(run(first, language, GuestTask.POISON).stdout()).isEqualTo("done\n");
            Ran check = run(second, language, GuestTask.CHECK_POISON);
            assertThat(check.stdout()).as(check.toString()).isEqualTo("clean\n");
            first.write(path("/home/user/in.txt"), ByteSource.of(bytes("mine")));
            refusal(() -> second.stat(path("/home/user/in.txt"))).is(ErrorCode.FILE_NOT_FOUND);
            second.write(path("/home/user/in.txt"), ByteSource.of(bytes("yours")));
            assertThat(BackendBench.readText(first, "/home/user/in.txt")).isEqualTo("mine");
        }
    }

    @ParameterizedTest
    @MethodSource("languages")
    void theEndOfOneIsNotTheEndOfAnother(Language language) {
        SandboxHandle first = create(bench().request());
        SandboxHandle second = create(bench().request());
        Running running = BackendBench.startBeside(second, bench().spec(language, GuestTask.READY_AND_WAIT));
        running.said().awaitStdout("ready");
        BackendBench.startBeside(first, bench().spec(language, GuestTask.SPIN_STUBBORNLY));
        first.close();
        assertThat(running.result()).isNotDone();
        assertThat(run(second, language, GuestTask.HELLO).stdout()).isEqualTo("hello, wörld\n");
        second.signal(running.id(), 9);
        running.await();
    }

    @ParameterizedTest
    @MethodSource("languages")
    void manySandboxesAtOnce(Language language) {
        Together.run(12, _ -> {
                    try (SandboxHandle sandbox = bench().create()) {
                        return run(sandbox, language, GuestTask.HELLO).stdout();
                    }
                })
                .forEach(stdout -> assertThat(stdout).isEqualTo("hello, wörld\n"));
    }
}
