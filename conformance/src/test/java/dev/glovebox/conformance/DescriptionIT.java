package dev.glovebox.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.conformance.Dialect.Task;
import dev.glovebox.sdk.Glovebox;
import dev.glovebox.wire.api.TierResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// What the server says of itself: its description, its metrics, its health, its tiers.
class DescriptionIT {
    private static final Set<String> METHODS = Set.of("get", "put", "post", "delete", "patch");
    private static final Set<String> PUBLIC = Set.of("GET /healthz", "GET /readyz", "GET /openapi.json");

    private final Target target;
    private final Raw raw;

    DescriptionIT(Target target) {
        this.target = target;
        this.raw = new Raw(target);
    }

    @AfterEach
    void close() {
        raw.close();
    }

    private JsonNode description() {
        Raw.Answer answer = raw.send("GET", "/openapi.json", "", request -> request);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.media()).startsWith("application/json");
        return JsonMapper.shared().readTree(answer.body());
    }

    @Test
    void describesItselfAsOpenApiAndEveryReferenceResolves() {
        JsonNode description = description();
        assertThat(description.path("openapi").asString()).startsWith("3.1");
        assertThat(description.path("info").path("title").asString()).isNotBlank();
        List<String> references = new ArrayList<>();
        description.findValues("$ref").forEach(reference -> references.add(reference.asString()));
        assertThat(references).hasSizeGreaterThan(30).allSatisfy(reference -> {
            assertThat(reference).startsWith("#/");
            assertThat(description.at(reference.substring(1)).isMissingNode())
                    .as(reference)
                    .isFalse();
        });
    }

    @Test
    void everyDescribedRouteIsServed() {
        JsonNode paths = description().path("paths");
        Set<String> described = new TreeSet<>();
        for (var path : paths.properties()) {
            for (String method : path.getValue().propertyNames()) {
                if (METHODS.contains(method)) {
                    String name = method.toUpperCase(java.util.Locale.ROOT) + " " + path.getKey();
                    described.add(name);
                    String real = path.getKey().replaceAll("\\{[a-z]+}", "i" + "0".repeat(20));
                    Raw.Answer answer =
                            raw.send(method.toUpperCase(java.util.Locale.ROOT), real, "", request -> request);
                    boolean isOpen = PUBLIC.contains(name) || name.equals("GET /metrics");
                    assertThat(answer.status()).as(name).isIn(isOpen ? List.of(200, 401) : List.of(401));
                }
            }
        }
        assertThat(described)
                .contains(
                        "POST /v1/run",
                        "POST /v1/sandboxes",
                        "GET /v1/sandboxes",
                        "GET /v1/sandboxes/{id}",
                        "DELETE /v1/sandboxes/{id}",
                        "POST /v1/sandboxes/{id}/lease",
                        "POST /v1/sandboxes/{id}/commands",
                        "PUT /v1/sandboxes/{id}/files",
                        "POST /v1/sandboxes/{id}/contexts",
                        "POST /v1/keys")
                .containsAll(PUBLIC);
    }

    /// But for what E2B's clients find, at paths that do not begin with the native API's.
    @Test
    void nothingIsServedThatIsNotDescribed() {
        for (String path : List.of("/v1", "/v1/", "/metrics/", "/openapi", "/v1/run/x", "/admin", "/v1/audit")) {
            assertThat(raw.send("GET", path, "").status()).as(path).isEqualTo(404);
        }
    }

    @Test
    void showsMetricsToTheAdministrator() {
        try (Glovebox client = target.connect()) {
            client.run(Asking.of(Dialect.WASM_PYTHON, Task.HELLO).run());
        }
        Raw.Answer answer = raw.send("GET", "/metrics", "");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.media()).startsWith("text/plain");
        assertThat(answer.body())
                .contains(
                        "glovebox_runs_seconds_bucket{",
                        "language=\"python\"",
                        "outcome=\"exited\"",
                        "tier=\"wasm\"",
                        "glovebox_pool_claims_total",
                        "glovebox_sandboxes_live",
                        "jvm_memory_used_bytes",
                        "process_files_open_files");
        assertThat(answer.body()).as("no key, no tenant").doesNotContain("e2b_", "tenant=");
    }

    @Test
    void isHealthyAndReady() {
        for (String path : List.of("/healthz", "/readyz")) {
            Raw.Answer answer = raw.send("GET", path, "", request -> request);
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo("{\"status\":\"ok\"}");
        }
    }

    @Test
    void tellsWhichTiersWorkAndWhyOthersDoNot() {
        try (Glovebox client = target.connect()) {
            List<TierResponse> tiers = client.tiers();
            assertThat(tiers)
                    .filteredOn(TierResponse::available)
                    .extracting(TierResponse::tier)
                    .contains("wasm", "isolate");
            assertThat(tiers).filteredOn(tier -> !tier.available()).isNotEmpty().allSatisfy(tier -> {
                assertThat(tier.why()).isNotBlank();
                assertThat(tier.remedy()).isNotBlank();
            });
        }
    }
}
