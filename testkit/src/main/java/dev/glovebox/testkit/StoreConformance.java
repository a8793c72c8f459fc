package dev.glovebox.testkit;

import static dev.glovebox.testkit.Refusals.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.ApiKey;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Language;
import dev.glovebox.core.Limits;
import dev.glovebox.core.Page;
import dev.glovebox.core.Principal;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.Sandbox;
import dev.glovebox.core.SandboxState;
import dev.glovebox.core.StopReason;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.Tier;
import dev.glovebox.core.store.KeyStore;
import dev.glovebox.core.store.SandboxStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What every store promises. A store's test extends this and says how one is opened.
public abstract class StoreConformance {
    private SandboxStore sandboxes;
    private KeyStore keys;
    private AutoCloseable store;

    /// The two ports of one store.
    ///
    /// @param close ends it
    public record Ports(SandboxStore sandboxes, KeyStore keys, AutoCloseable close) {}

    /// A new, empty store.
    protected abstract Ports open() throws Exception;

    @BeforeEach
    final void openStore() throws Exception {
        Ports ports = open();
        sandboxes = ports.sandboxes();
        keys = ports.keys();
        store = ports.close();
    }

    @AfterEach
    final void closeStore() throws Exception {
        store.close();
    }

    // ---- sandboxes

    @Test
    void findsWhatWasSaved() {
        Sandbox sandbox = new Sandbox(
                Samples.sandboxId(1),
                Samples.ALICE,
                Tier.ISOLATE,
                "the cheapest tier here that runs javascript: ünïcode '\"; drop table",
                Language.JAVASCRIPT,
                "numbers-2.1",
                new SandboxState.Running(Samples.NOON),
                Samples.NOON,
                Samples.NOON.plusSeconds(7),
                new ResourceLimits(Duration.ofMillis(1234), Duration.ofMillis(567), Limits.MEMORY_BYTES_MAX, 0, 17, 3),
                Map.of("user", "o'brien", "session", "日本語 \u0007"));
        sandboxes.save(sandbox);
        assertThat(sandboxes.find(sandbox.id())).contains(sandbox);
    }

    @Test
    void findsNothingUnderAnUnknownId() {
        assertThat(sandboxes.find(Samples.sandboxId(404))).isEmpty();
    }

    static List<SandboxState> states() {
        return List.of(
                new SandboxState.Creating(),
                new SandboxState.Running(Samples.NOON),
                new SandboxState.Pausing(),
                new SandboxState.Paused(Samples.NOON),
                new SandboxState.Resuming(),
                new SandboxState.Killing(StopReason.LEASE_EXPIRED),
                new SandboxState.Dead(StopReason.BACKEND_LOST, Samples.NOON));
    }

    @ParameterizedTest
    @MethodSource("states")
    void keepsEveryState(SandboxState state) {
        Sandbox sandbox = Samples.running(1).withState(state);
        sandboxes.save(sandbox);
        assertThat(sandboxes.find(sandbox.id())).contains(sandbox);
        boolean dead = state instanceof SandboxState.Dead;
        assertThat(sandboxes.alive()).hasSize(dead ? 0 : 1);
        assertThat(list(Map.of(), 10).items()).hasSize(dead ? 0 : 1);
    }

    @Test
    void keepsTimesToTheMicrosecond() {
        Sandbox sandbox = Samples.running(1).withExpiry(Samples.NOON.plusNanos(1_999));
        sandboxes.save(sandbox);
        assertThat(sandboxes.find(sandbox.id()).orElseThrow().expiresAt()).isEqualTo(Samples.NOON.plusNanos(1_000));
    }

    @Test
    void savingAgainReplaces() {
        sandboxes.save(Samples.running(1, Samples.ALICE, Map.of("a", "1", "b", "2")));
        Sandbox changed = Samples.running(1, Samples.ALICE, Map.of("b", "3")).withExpiry(Samples.NOON.plusSeconds(99));
        sandboxes.save(changed);
        assertThat(sandboxes.find(changed.id())).contains(changed);
        assertThat(list(Map.of("a", "1"), 10).items()).isEmpty();
        assertThat(list(Map.of("b", "3"), 10).items()).containsExactly(changed);
    }

    @Test
    void listsATenantsLivingSandboxesNewestFirst() {
        Sandbox first = save(Samples.running(1));
        Sandbox second = save(Samples.running(2));
        save(Samples.running(3, Samples.BOB, Map.of()));
        save(Samples.running(4).withState(new SandboxState.Dead(StopReason.KILLED, Samples.NOON)));
        Page<Sandbox> page = list(Map.of(), 10);
        assertThat(page.items()).containsExactly(second, first);
        assertThat(page.next()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 7})
    void pagesAddUpToTheWhole(int pageSize) {
        List<Sandbox> saved = new ArrayList<>();
        for (int i = 1; i <= 7; i++) {
            // Pairs are made in the same microsecond: then the id decides.
            Sandbox sandbox = Samples.running(i);
            saved.add(save(new Sandbox(
                    sandbox.id(),
                    sandbox.tenant(),
                    sandbox.tier(),
                    sandbox.tierReason(),
                    sandbox.language(),
                    sandbox.template(),
                    sandbox.state(),
                    Samples.NOON.plusSeconds(i / 2),
                    sandbox.expiresAt(),
                    sandbox.limits(),
                    sandbox.metadata())));
        }
        List<Sandbox> seen = new ArrayList<>();
        Optional<String> cursor = Optional.empty();
        do {
            Page<Sandbox> page = sandboxes.list(Samples.ALICE, Map.of(), pageSize, cursor);
            assertThat(page.items()).hasSizeBetween(1, pageSize);
            seen.addAll(page.items());
            cursor = page.next();
        } while (cursor.isPresent());
        assertThat(seen).containsExactlyElementsOf(saved.reversed());
    }

    @Test
    void aPageGoesOnWhereItsPredecessorEndedAlthoughSandboxesCameAndWent() {
        Sandbox first = save(Samples.running(1));
        Sandbox second = save(Samples.running(2));
        Sandbox third = save(Samples.running(3));
        Page<Sandbox> page = list(Map.of(), 2);
        assertThat(page.items()).containsExactly(third, second);
        save(Samples.running(4));
        save(second.withState(new SandboxState.Dead(StopReason.KILLED, Samples.NOON)));
        assertThat(sandboxes.list(Samples.ALICE, Map.of(), 2, page.next()).items())
                .containsExactly(first);
    }

    @Test
    void aCursorOfOneTenantShowsNothingOfAnother() {
        save(Samples.running(1, Samples.BOB, Map.of()));
        save(Samples.running(2));
        save(Samples.running(3));
        Page<Sandbox> page = list(Map.of(), 1);
        assertThat(sandboxes.list(Samples.BOB, Map.of(), 10, page.next()).items())
                .extracting(Sandbox::tenant)
                .containsOnly(Samples.BOB);
    }

    static List<String> forgedCursors() {
        return List.of(
                "",
                "x",
                "%%%",
                "next",
                "a".repeat(10_000),
                base64("12:i"),
                base64("x:" + Samples.sandboxId(1)),
                base64("12:" + Samples.sandboxId(1) + "' or 1=1 --"),
                base64("99999999999999999999999:" + Samples.sandboxId(1)),
                base64("1:" + Samples.sandboxId(1) + "\n"));
    }

    private static String base64(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @MethodSource("forgedCursors")
    void refusesAForgedCursor(String cursor) {
        save(Samples.running(1));
        refusal(() -> sandboxes.list(Samples.ALICE, Map.of(), 10, Optional.of(cursor)))
                .is(ErrorCode.INVALID_ARGUMENT, "the cursor is not one that this server gave out");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, Limits.PAGE_SIZE_MAX + 1})
    void refusesAPageOfNoneOrTooMany(int pageSize) {
        refusal(() -> list(Map.of(), pageSize)).is(ErrorCode.INVALID_ARGUMENT, "a page has 1 to");
    }

    @Test
    void filtersByMetadataOfWhichAllMustMatch() {
        Sandbox both = save(Samples.running(1, Samples.ALICE, Map.of("user", "u1", "env", "prod")));
        Sandbox one = save(Samples.running(2, Samples.ALICE, Map.of("user", "u1", "env", "test")));
        save(Samples.running(3, Samples.ALICE, Map.of("user", "prod", "env", "u1")));
        save(Samples.running(4, Samples.BOB, Map.of("user", "u1", "env", "prod")));
        assertThat(list(Map.of("user", "u1"), 10).items()).containsExactly(one, both);
        assertThat(list(Map.of("user", "u1", "env", "prod"), 10).items()).containsExactly(both);
        assertThat(list(Map.of("user", "U1"), 10).items()).isEmpty();
        assertThat(list(Map.of("user", "u%"), 10).items()).isEmpty();
        assertThat(list(Map.of("nobody", ""), 10).items()).isEmpty();
    }

    @Test
    void filtersByAsManyPairsAsASandboxCanHaveAndRefusesMore() {
        Map<String, String> metadata = new HashMap<>();
        for (int i = 0; i < Limits.METADATA_ENTRIES_MAX; i++) {
            metadata.put("key" + i, "v".repeat(Limits.METADATA_VALUE_BYTES_MAX));
        }
        Sandbox sandbox = save(Samples.running(1, Samples.ALICE, metadata));
        assertThat(list(metadata, 10).items()).containsExactly(sandbox);
        metadata.put("one more", "");
        refusal(() -> list(metadata, 10)).is(ErrorCode.INVALID_ARGUMENT, "at most 64 metadata entries");
    }

    @Test
    void aliveIsEveryTenants() {
        save(Samples.running(1));
        save(Samples.running(2, Samples.BOB, Map.of("k", "v")));
        save(Samples.running(3).withState(new SandboxState.Dead(StopReason.KILLED, Samples.NOON)));
        assertThat(sandboxes.alive())
                .extracting(Sandbox::id)
                .containsExactlyInAnyOrder(Samples.sandboxId(1), Samples.sandboxId(2));
    }

    @Test
    void manyThreadsSaveAndReadAtOnce() {
        int threads = 8;
        int each = 25;
        Together.run(threads, thread -> {
            for (int i = 0; i < each; i++) {
                Sandbox sandbox = save(Samples.running(1 + thread * each + i, Samples.ALICE, Map.of("n", "" + i)));
                assertThat(sandboxes.find(sandbox.id())).contains(sandbox);
            }
            return thread;
        });
        assertThat(list(Map.of(), Limits.PAGE_SIZE_MAX).items()).hasSize(threads * each);
    }

    // ---- keys

    @Test
    void findsAKeyByItsHashOnly() {
        ApiKey key = key("e2b_0001", 1);
        keys.add(key);
        assertThat(keys.findByHash(key.sha256())).contains(key);
        assertThat(keys.findByHash(key.id())).isEmpty();
        assertThat(keys.findByHash("")).isEmpty();
    }

    @Test
    void listsKeysOldestFirst() {
        keys.add(key("e2b_0002", 2));
        keys.add(key("e2b_0001", 1));
        keys.add(key("e2b_0003", 3));
        assertThat(keys.list()).extracting(ApiKey::id).containsExactly("e2b_0001", "e2b_0002", "e2b_0003");
    }

    @Test
    void removesAKeyOnce() {
        ApiKey key = key("e2b_0001", 1);
        keys.add(key);
        assertThat(keys.remove(key.id())).isTrue();
        assertThat(keys.remove(key.id())).isFalse();
        assertThat(keys.findByHash(key.sha256())).isEmpty();
        assertThat(keys.list()).isEmpty();
    }

    @Test
    void refusesASecondKeyOfTheSameIdOrHash() {
        ApiKey key = key("e2b_0001", 1);
        keys.add(key);
        refusal(() -> keys.add(key)).is(ErrorCode.ALREADY_EXISTS, "a key with the id e2b_0001");
        ApiKey sameHash = new ApiKey("e2b_0009", key.sha256(), Samples.BOB, key.role(), "other", key.createdAt());
        refusal(() -> keys.add(sameHash)).is(ErrorCode.ALREADY_EXISTS, "make another");
        assertThat(keys.list()).containsExactly(key);
    }

    @Test
    void tellsNoHashInAText() {
        ApiKey key = key("e2b_0001", 1);
        keys.add(key);
        assertThat(keys.list().toString()).contains(key.id()).doesNotContain(key.sha256());
        assertThat(keys.toString()).doesNotContain(key.sha256());
    }

    private static ApiKey key(String id, int number) {
        return new ApiKey(
                id,
                Integer.toHexString(number).repeat(64),
                TenantId.DEFAULT,
                Principal.Role.ADMIN,
                "label '" + number,
                Samples.NOON.plusSeconds(number));
    }

    private Sandbox save(Sandbox sandbox) {
        sandboxes.save(sandbox);
        return sandbox;
    }

    private Page<Sandbox> list(Map<String, String> metadata, int pageSize) {
        return sandboxes.list(Samples.ALICE, metadata, pageSize, Optional.empty());
    }
}
