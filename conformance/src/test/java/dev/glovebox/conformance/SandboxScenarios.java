package dev.glovebox.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.conformance.Dialect.Task;
import dev.glovebox.sdk.ApiException;
import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.Sandbox;
import dev.glovebox.wire.api.CommandEntry;
import dev.glovebox.wire.api.CommandRequest;
import dev.glovebox.wire.api.ExecutionResponse;
import dev.glovebox.wire.api.SandboxRequest;
import dev.glovebox.wire.api.SandboxResponse;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The life of sandboxes and of the processes in them.
abstract class SandboxScenarios {
    private static final long LEASE_SECONDS = 120;
    private static final Duration SOON = Duration.ofSeconds(5);

    private final Dialect dialect;
    private final Target target;
    private final Glovebox client;
    private final List<Sandbox> made = new ArrayList<>();

    SandboxScenarios(Dialect dialect, Target target) {
        this.dialect = dialect;
        this.target = target;
        this.client = target.connect();
    }

    @AfterEach
    void close() {
        for (Sandbox sandbox : made) {
            try {
                sandbox.kill();
            } catch (ApiException e) {
                assertThat(e.code()).isEqualTo("sandbox_not_found");
            }
        }
        client.close();
    }

    private Sandbox create(SandboxRequest request) {
        Sandbox sandbox = client.sandboxes().create(request);
        made.add(sandbox);
        return sandbox;
    }

    private Sandbox create(long leaseSeconds) {
        return create(Asking.sandbox(dialect, leaseSeconds));
    }

    private Sandbox create(Map<String, String> metadata) {
        return create(new SandboxRequest(dialect.tier(), dialect.language(), LEASE_SECONDS, null, null, metadata));
    }

    private static void eventually(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + SOON.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime())
                    .as(what + " within " + SOON.toSeconds() + " s")
                    .isLessThan(end);
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
        }
    }

    private boolean isGone(Sandbox sandbox) {
        try {
            client.sandboxes().get(sandbox.id());
            return false;
        } catch (ApiException e) {
            assertThat(e.code()).isEqualTo("sandbox_not_found");
            return true;
        }
    }

    private static void notFound(Sandbox sandbox, Glovebox by) {
        Refusal.of(() -> by.sandboxes().get(sandbox.id()))
                .is(404, "sandbox_not_found", sandbox.id(), "does not exist, has ended, or is not yours");
    }

    @Test
    void tellsWhatItMade() {
        Sandbox sandbox = create(new SandboxRequest(
                dialect.tier(),
                dialect.language(),
                90L,
                Asking.memory(48),
                Map.of("MINE", "two = 2"),
                Map.of("agent", "seven")));
        SandboxResponse details = client.sandboxes().get(sandbox.id()).details();
        assertThat(details).isEqualTo(sandbox.details());
        assertThat(details.id()).matches("i[a-z0-9]{20}");
        assertThat(details.tier()).isEqualTo(dialect.tier());
        assertThat(details.state()).isEqualTo("running");
        assertThat(details.stopReason()).isNull();
        assertThat(details.metadata()).containsExactly(Map.entry("agent", "seven"));
        assertThat(details.limits().memoryBytes()).isEqualTo(48L << 20);
        assertThat(details.limits().wallMillis()).as("a default").isEqualTo(30_000);
        Instant created = Instant.parse(details.createdAt());
        assertThat(Duration.between(created, Instant.parse(details.expiresAt())))
                .isEqualTo(Duration.ofSeconds(90));
        ExecutionResponse answer =
                sandbox.run(Asking.of(dialect, Task.ENVIRONMENT).command());
        assertThat(answer.stdout()).isEqualTo("two = 2\n");
    }

    @Test
    void listsPageByPageNewestFirst() {
        String mark = "page-" + dialect;
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ids.addFirst(create(Map.of("mark", mark, "n", Integer.toString(i))).id());
        }
        Map<String, String> ours = Map.of("mark", mark);
        List<String> listed = new ArrayList<>();
        List<Integer> sizes = new ArrayList<>();
        String cursor = null;
        do {
            var page = client.sandboxes().page(ours, 2, cursor);
            sizes.add(page.items().size());
            page.items().forEach(item -> listed.add(item.id()));
            cursor = page.next();
        } while (cursor != null);
        assertThat(listed).isEqualTo(ids);
        assertThat(sizes).containsExactly(2, 2, 1);
    }

    @Test
    void findsByMetadata() {
        String mark = "find-" + dialect;
        Sandbox one = create(Map.of("mark", mark, "n", "1"));
        Sandbox two = create(Map.of("mark", mark, "n", "2", "odd", "a=b&c d"));
        assertThat(ids(Map.of("mark", mark))).containsExactly(two.id(), one.id());
        assertThat(ids(Map.of("mark", mark, "n", "1"))).containsExactly(one.id());
        assertThat(ids(Map.of("mark", mark, "odd", "a=b&c d"))).containsExactly(two.id());
        assertThat(ids(Map.of("mark", mark, "n", "3"))).isEmpty();
        two.kill();
        assertThat(ids(Map.of("mark", mark))).containsExactly(one.id());
    }

    private List<String> ids(Map<String, String> metadata) {
        return client.sandboxes().all(metadata).stream()
                .map(SandboxResponse::id)
                .toList();
    }

    @Test
    void aLeaseEndsItInTime() {
        long begun = System.nanoTime();
        Sandbox sandbox = create(2);
        Beside<ExecutionResponse> busy =
                Beside.start(() -> sandbox.run(Asking.of(dialect, Task.SPIN).command()));
        while (!isGone(sandbox)) {
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
        Duration lived = Duration.ofNanos(System.nanoTime() - begun);
        assertThat(lived).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(3));
        notFound(sandbox, client);
        ended(busy);
    }

    /// What was under way in a sandbox that ends is answered, either as an outcome or as a refusal.
    private static void ended(Beside<ExecutionResponse> busy) {
        try {
            assertThat(busy.await().outcome().word()).isIn("killed", "backend_lost");
        } catch (ApiException e) {
            assertThat(e.code()).isIn("sandbox_not_found", "wrong_state", "backend_lost");
        }
    }

    @Test
    void aLeaseCanBeMoved() {
        Sandbox sandbox = create(2);
        SandboxResponse extended = sandbox.extend(Duration.ofSeconds(60));
        assertThat(Duration.between(Instant.now(), Instant.parse(extended.expiresAt())))
                .isBetween(Duration.ofSeconds(55), Duration.ofSeconds(61));
        LockSupport.parkNanos(Duration.ofMillis(3500).toNanos());
        assertThat(isGone(sandbox)).isFalse();
        sandbox.extend(Duration.ofSeconds(1));
        eventually("its end", () -> isGone(sandbox));
    }

    @Test
    void leasesHaveBounds() {
        Refusal.of(() -> create(0)).is(400, "invalid_argument", "lease", "1..86400");
        Refusal.of(() -> create(86_401)).is(400, "invalid_argument", "lease", "1..86400");
        Sandbox sandbox = create(LEASE_SECONDS);
        Refusal.of(() -> sandbox.extend(Duration.ZERO)).is(400, "invalid_argument", "lease");
        Refusal.of(() -> sandbox.extend(Duration.ofDays(2))).is(400, "invalid_argument", "lease", "86400");
    }

    @Test
    void killEndsWhatRunsInIt() {
        Sandbox sandbox = create(LEASE_SECONDS);
        Heard heard = new Heard();
        CommandRequest spin = Asking.of(dialect, Task.READY_AND_SPIN).command();
        Beside<ExecutionResponse> busy = Beside.start(() -> sandbox.run(spin, heard));
        heard.awaitOut("ready");
        long begun = System.nanoTime();
        sandbox.kill();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(SOON);
        ended(busy);
        notFound(sandbox, client);
        Refusal.of(sandbox::kill).is(404, "sandbox_not_found", sandbox.id());
    }

    @Test
    void listsWhatRunsAndSignalsIt() {
        Sandbox sandbox = create(LEASE_SECONDS);
        Heard heard = new Heard();
        CommandRequest spin = Asking.of(dialect, Task.READY_AND_SPIN).command();
        Beside<ExecutionResponse> busy = Beside.start(() -> sandbox.run(spin, heard));
        heard.awaitOut("ready");
        assertThat(sandbox.commands()).extracting(CommandEntry::pid).containsExactly(heard.awaitPid());
        sandbox.signal(heard.awaitPid(), 15);
        assertThat(busy.await().outcome().word()).isEqualTo("killed");
        assertThat(sandbox.commands()).isEmpty();
        Refusal.of(() -> sandbox.signal(4711, 9)).is(404, "process_not_found", "4711");
        assertThat(sandbox.run(Asking.of(dialect, Task.HELLO).command()).stdout())
                .as("the sandbox lives on")
                .isEqualTo("hello, wörld\n");
    }

    @Test
    void feedsStandardInputWhileItRuns() {
        Sandbox sandbox = create(LEASE_SECONDS);
        Heard heard = new Heard();
        CommandRequest answering = Asking.of(dialect, Task.ANSWER_LINES).commandWithOpenInput();
        Beside<ExecutionResponse> busy = Beside.start(() -> sandbox.run(answering, heard));
        long pid = heard.awaitPid();
        sandbox.writeInput(pid, "one\n".getBytes(StandardCharsets.UTF_8), false);
        heard.awaitOut("got one\n");
        sandbox.writeInput(pid, "two\n".getBytes(StandardCharsets.UTF_8), true);
        ExecutionResponse answer = busy.await();
        assertThat(answer.outcome().exitStatus()).as(answer.toString()).isZero();
        assertThat(heard.out()).isEqualTo("got one\ngot two\n");
    }

    @Test
    void aClientThatHangsUpEndsItsCommand() throws IOException {
        Sandbox sandbox = create(LEASE_SECONDS);
        try (Raw raw = new Raw(target)) {
            String code = dialect.isPython() ? "while True: pass" : "for (;;) {}";
            HttpResponse<java.io.InputStream> response = raw.stream(
                    "/v1/sandboxes/" + sandbox.id() + "/commands",
                    "{\"language\": \"" + dialect.language() + "\", \"code\": \"" + code + "\"}");
            assertThat(response.body().read()).isPositive();
            eventually("its start", () -> !sandbox.commands().isEmpty());
            response.body().close();
        }
        eventually("its end", () -> sandbox.commands().isEmpty());
    }

    @Test
    void filesOutliveProcesses() {
        Sandbox sandbox = create(LEASE_SECONDS);
        sandbox.files().write("in.txt", "drawer".getBytes(StandardCharsets.UTF_8));
        CommandRequest reverse = Asking.of(dialect, Task.REVERSE_FILE).command();
        assertThat(sandbox.run(reverse).outcome().exitStatus()).isZero();
        assertThat(sandbox.files().read("out.txt")).asString().isEqualTo("reward");
    }

    @Test
    void aShellIsRefusedInWords() {
        Sandbox sandbox = create(LEASE_SECONDS);
        Refusal.of(() -> sandbox.run(CommandRequest.ofArguments(List.of("bash", "-c", "id"))))
                .is(501, "unsupported", "tier");
    }

    @Test
    void anotherTenantSeesNothingOfIt() {
        Sandbox sandbox = create(Map.of("secret", "mine"));
        try (Glovebox other = target.tenant("stranger").connect()) {
            notFound(sandbox, other);
            assertThat(other.sandboxes().all(Map.of())).isEmpty();
            Sandbox theirs = other.sandboxes().create(Asking.sandbox(dialect, LEASE_SECONDS));
            try {
                notFound(theirs, client);
                assertThat(other.sandboxes().all(Map.of()))
                        .extracting(SandboxResponse::id)
                        .containsExactly(theirs.id());
            } finally {
                theirs.kill();
            }
        }
        assertThat(isGone(sandbox)).isFalse();
    }
}
