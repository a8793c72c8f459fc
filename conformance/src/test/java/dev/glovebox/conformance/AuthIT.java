package dev.glovebox.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.Sandbox;
import dev.glovebox.wire.api.KeyRequest;
import dev.glovebox.wire.api.KeyResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Who may do what.
class AuthIT {
    private static final String WRONG_KEY = "e2b_" + "0".repeat(40);

    private final Target target;
    private final Raw raw;
    private final Glovebox admin;

    AuthIT(Target target) {
        this.target = target;
        this.raw = new Raw(target);
        this.admin = target.connect();
    }

    @AfterEach
    void close() {
        raw.close();
        admin.close();
    }

    private static void unauthenticated(Raw.Answer answer) {
        assertThat(answer.status()).as(answer.toString()).isEqualTo(401);
        assertThat(answer.problem().code()).isEqualTo("unauthenticated");
        assertThat(answer.problem().detail()).contains("API key", "Authorization: Bearer", "X-API-KEY");
        assertThat(answer.headers().firstValue("WWW-Authenticate")).contains("Bearer");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/v1/sandboxes", "/v1/keys", "/v1/tiers", "/v1/sandboxes/i00000000000000000000/files?path=a"})
    void everythingButHealthNeedsAKey(String path) {
        unauthenticated(raw.send("GET", path, "", request -> request));
        unauthenticated(raw.send("GET", path, "", request -> request.header("Authorization", "Bearer " + WRONG_KEY)));
        unauthenticated(raw.send("GET", path, "", request -> request.header("Authorization", "Bearer nonsense")));
        unauthenticated(raw.send("GET", path, "", request -> request.header("Authorization", "Basic dTpw")));
        unauthenticated(raw.send("GET", path, "", request -> request.header("X-API-KEY", WRONG_KEY)));
        unauthenticated(
                raw.send("GET", path, "", request -> request.header("Authorization", "Bearer " + target.key() + "0")));
    }

    @Test
    void bothHeadersCarryAKey() {
        String key = target.key();
        for (String header : List.of("Bearer " + key, "bearer " + key)) {
            assertThat(raw.send("GET", "/v1/tiers", "", request -> request.header("Authorization", header))
                            .status())
                    .isEqualTo(200);
        }
        assertThat(raw.send("GET", "/v1/tiers", "", request -> request.header("X-API-KEY", key))
                        .status())
                .isEqualTo(200);
    }

    @Test
    void aRunWithoutAKeyIsNotEvenRead() {
        unauthenticated(raw.send("POST", "/v1/run", "{", request -> request));
    }

    @Test
    void aTenantIsNoAdministrator() {
        try (Raw tenant = new Raw(target.tenant("plain"))) {
            for (Raw.Answer answer : List.of(
                    tenant.send("GET", "/v1/keys", ""),
                    tenant.send("POST", "/v1/keys", "{}"),
                    tenant.send("DELETE", "/v1/keys/e2b_00000000", ""))) {
                assertThat(answer.status()).as(answer.toString()).isEqualTo(403);
                assertThat(answer.problem().code()).isEqualTo("forbidden");
                assertThat(answer.problem().detail()).contains("administrator");
            }
        }
    }

    @Test
    void aRevokedKeyIsWorthNothing() {
        KeyResponse made = admin.keys().create(new KeyRequest("to be revoked", "short-lived", null));
        String secret = Present.of(made.secret(), made);
        assertThat(secret).matches("e2b_[0-9a-f]{40}");
        assertThat(made.tenant()).isEqualTo("short-lived");
        assertThat(made.role()).isEqualTo("tenant");
        assertThat(admin.keys().list())
                .filteredOn(key -> key.id().equals(made.id()))
                .hasSize(1)
                .allSatisfy(key -> assertThat(key.secret()).isNull());
        try (Raw holder = new Raw(new Target(target.address(), secret))) {
            assertThat(holder.send("GET", "/v1/tiers", "").status()).isEqualTo(200);
            admin.keys().revoke(made.id());
            unauthenticated(holder.send("GET", "/v1/tiers", ""));
        }
    }

    @Test
    void keysHaveRules() {
        Refusal.of(() -> admin.keys().create(new KeyRequest(null, "Not A Tenant", null)))
                .is(400, "invalid_argument", "a-z");
        Refusal.of(() -> admin.keys().create(new KeyRequest(null, null, "king")))
                .is(400, "invalid_argument", "'tenant' or 'admin'");
        Refusal.of(() -> admin.keys().revoke("e2b_unknown")).is(404, "key_not_found");
    }

    /// The same words for a sandbox of somebody else and for one that never was, whatever is asked of it.
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            GET    |                             | ``
            DELETE |                             | ``
            POST   | /lease                      | {"leaseSeconds":60}
            GET    | /commands                   | ``
            POST   | /commands                   | {"language":"python","code":"1"}
            POST   | /commands/1/stdin           | {"text":"x"}
            POST   | /commands/1/signal          | {"signal":9}
            GET    | /files?path=a               | ``
            PUT    | /files?path=a               | x
            DELETE | /files?path=a               | ``
            GET    | /files/stat?path=a          | ``
            GET    | /files/list?path=a          | ``
            POST   | /files/mkdir                | {"path":"a"}
            POST   | /files/move                 | {"from":"a","to":"b"}
            GET    | /contexts                   | ``
            POST   | /contexts                   | {}
            POST   | /contexts/c1/execute        | {"code":"1"}
            POST   | /contexts/c1/interrupt      | ``
            DELETE | /contexts/c1                | ``
            """)
    void anotherTenantsSandboxDoesNotExist(String method, String suffix, String body) {
        String path = suffix == null ? "" : suffix;
        Sandbox sandbox = admin.sandboxes().create(Asking.sandbox(Dialect.WASM_PYTHON, 60));
        try (Raw other = new Raw(target.tenant("stranger"))) {
            String never = "i" + "0".repeat(20);
            Raw.Answer theirs = other.send(method, "/v1/sandboxes/" + sandbox.id() + path, body);
            Raw.Answer nobodys = other.send(method, "/v1/sandboxes/" + never + path, body);
            assertThat(theirs.status()).as(theirs.toString()).isEqualTo(404);
            assertThat(theirs.problem().code()).isEqualTo("sandbox_not_found");
            assertThat(theirs.body().replace(sandbox.id(), never)).isEqualTo(nobodys.body());
        } finally {
            sandbox.kill();
        }
    }
}
