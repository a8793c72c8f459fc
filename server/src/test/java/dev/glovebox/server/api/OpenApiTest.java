package dev.glovebox.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.TierStatus;
import dev.glovebox.sdk.RecordJson;
import dev.glovebox.server.FakeGate;
import dev.glovebox.wire.api.Problem;
import dev.glovebox.wire.api.RunRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The description and the table of routes say the same.
final class OpenApiTest {
    private static final JsonMapper JSON = new JsonMapper();

    private final Api api = new Api(new ApiServices(
            new FakeGate(), () -> List.of(new TierStatus(Tier.WASM, true, "", "")), () -> "", false, () -> true));
    private final JsonNode document = JSON.readTree(RecordJson.write(
            OpenApi.describe(api.routes().subList(0, api.routes().size() - 1))));

    @Test
    void describesEveryRouteAndNothingElse() {
        Set<String> served = new HashSet<>();
        api.routes().forEach(route -> served.add(route.method() + " " + route.path()));
        Set<String> described = new HashSet<>();
        document.get("paths")
                .properties()
                .forEach(path -> path.getValue()
                        .properties()
                        .forEach(operation ->
                                described.add(operation.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey())));

        assertThat(described).isEqualTo(served).hasSize(43);
        assertThat(document.get("openapi").asString()).isEqualTo("3.1.0");
    }

    @Test
    void givesEveryOperationAnIdOfItsOwn() {
        Set<String> ids = new HashSet<>();
        document.get("paths")
                .forEach(path -> path.forEach(operation -> {
                    assertThat(ids.add(operation.get("operationId").asString())).isTrue();
                    assertThat(operation.get("responses").has("default")).isTrue();
                }));
        assertThat(ids).contains("postRun", "postSandboxesByIdLease");
    }

    @Test
    void resolvesEveryReference() {
        Set<String> schemas = new HashSet<>();
        document.get("components").get("schemas").properties().forEach(schema -> schemas.add(schema.getKey()));
        document.findValues("$ref")
                .forEach(reference ->
                        assertThat(schemas).contains(reference.asString().replace("#/components/schemas/", "")));
    }

    @Test
    void saysWhichFieldsMayBeLeftOut() {
        JsonNode run = document.get("components").get("schemas").get("RunRequest");
        assertThat(run.has("required")).isFalse();
        JsonNode problem = document.get("components").get("schemas").get("Problem");
        assertThat(problem.get("required").toString()).contains("code").doesNotContain("instance");
    }

    @Test
    void acceptsWhatTheRecordsWrite() {
        SchemaCheck check = new SchemaCheck(document);
        assertThat(check.errors("RunRequest", JSON.readTree(RecordJson.write(RunRequest.of("python", "x")))))
                .isEmpty();
        assertThat(check.errors("Problem", JSON.readTree(RecordJson.write(new Problem("t", "t", 1, "c", "d", null)))))
                .isEmpty();
        assertThat(check.errors("Problem", JSON.valueToTree(Map.of("status", "1", "odd", 2))))
                .hasSizeGreaterThan(3);
    }
}
