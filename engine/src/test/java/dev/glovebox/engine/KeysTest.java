package dev.glovebox.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.glovebox.core.ApiKey;
import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Principal;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.store.KeyStore;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeysTest {
    private static final TenantId ALICE = new TenantId("alice");

    private final List<ApiKey> stored = new ArrayList<>();
    private final Keys keys = new Keys(new ListOfKeys(), new SecureRandom(), Clock.systemUTC());

    private final class ListOfKeys implements KeyStore {
        @Override
        public void add(ApiKey key) {
            stored.add(key);
        }

        @Override
        public Optional<ApiKey> findByHash(String sha256) {
            return stored.stream().filter(key -> key.sha256().equals(sha256)).findFirst();
        }

        @Override
        public List<ApiKey> list() {
            return List.copyOf(stored);
        }

        @Override
        public boolean remove(String id) {
            return stored.removeIf(key -> key.id().equals(id));
        }
    }

    @Test
    void aKeyProvesItsTenantAndRole() {
        Command.NewKey key = keys.create(ALICE, Principal.Role.TENANT, "ci");
        assertThat(key.secret()).matches("e2b_[0-9a-f]{40}");
        assertThat(key.secret()).startsWith(key.key().id());
        assertThat(keys.authenticate(key.secret()))
                .contains(new Principal(ALICE, key.key().id(), Principal.Role.TENANT));
    }

    @Test
    void theStoreLearnsNoSecret() {
        Command.NewKey key = keys.create(ALICE, Principal.Role.TENANT, "ci");
        ApiKey kept = stored.getFirst();
        assertThat(kept.sha256())
                .matches("[0-9a-f]{64}")
                .doesNotContain(key.secret().substring(4));
        assertThat(kept.id() + kept.label()).hasSizeLessThan(key.secret().length());
    }

    @Test
    void everyKeyIsAnother() {
        assertThat(keys.create(ALICE, Principal.Role.TENANT, "").secret())
                .isNotEqualTo(keys.create(ALICE, Principal.Role.TENANT, "").secret());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "e2b_",
                "e2b_0000000000000000000000000000000000000000",
                "E2B_0000000000000000000000000000000000000000",
                "e2b_000000000000000000000000000000000000000g",
                "e2b_0000000000000000000000000000000000000000\n",
                "' or 1=1 --"
            })
    void nothingElseProvesAnything(String secret) {
        keys.create(ALICE, Principal.Role.ADMIN, "");
        assertThat(keys.authenticate(secret)).isEmpty();
    }

    @Test
    void theHashOfAKeyIsNoKey() {
        keys.create(ALICE, Principal.Role.ADMIN, "");
        assertThat(keys.authenticate(stored.getFirst().sha256())).isEmpty();
        assertThat(keys.authenticate(stored.getFirst().id())).isEmpty();
    }

    @Test
    void aRevokedKeyProvesNothing() {
        Command.NewKey key = keys.create(ALICE, Principal.Role.ADMIN, "");
        keys.revoke(key.key().id());
        assertThat(keys.authenticate(key.secret())).isEmpty();
        GloveboxException refusal = catchThrowableOfType(
                GloveboxException.class, () -> keys.revoke(key.key().id()));
        assertThat(refusal.code()).isEqualTo(ErrorCode.KEY_NOT_FOUND);
        assertThat(refusal).hasMessageContaining("glovebox key list");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u001b[2J", "a\nb", "\u0085"})
    void aLabelHoldsNoControlCharacters(String label) {
        GloveboxException refusal =
                catchThrowableOfType(GloveboxException.class, () -> keys.create(ALICE, Principal.Role.TENANT, label));
        assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(refusal).hasMessageContaining("no control characters");
        assertThat(stored).isEmpty();
    }

    @Test
    void aLabelHasABound() {
        keys.create(ALICE, Principal.Role.TENANT, "x".repeat(100));
        GloveboxException refusal = catchThrowableOfType(
                GloveboxException.class, () -> keys.create(ALICE, Principal.Role.TENANT, "x".repeat(101)));
        assertThat(refusal).hasMessageContaining("at most 100");
    }
}
