package dev.glovebox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.SandboxId;
import dev.glovebox.server.ControlAnswers.Answer;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// E2B's control plane over a real server; the sandboxes behind it are fakes.
@Timeout(60)
final class E2bControlIT {
    private static final JsonMapper JSON = new JsonMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final TestServer server = new TestServer();
    private String key = "";

    @BeforeEach
    void useTheTenantsKey() {
        key = server.tenantKey;
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private Answer ask(String method, String path, String body) throws IOException, InterruptedException {
        return ControlAnswers.ask(server, key, method, path, body);
    }

    private Answer get(String path) throws IOException, InterruptedException {
        return ask("GET", path, "");
    }

    private Answer create(String fields) throws IOException, InterruptedException {
        return ask("POST", "/v2/sandboxes", "{\"templateID\":\"base\"" + fields + "}");
    }

    private long secondsLeft(String id) throws IOException, InterruptedException {
        JsonNode detail = get("/sandboxes/" + id).json();
        return java.time.Duration.between(
                        server.gate.clock.instant(),
                        java.time.Instant.parse(detail.get("endAt").asString()))
                .toSeconds();
    }

    @Test
    void makesASandboxAsBothGenerationsDo() throws Exception {
        Answer second = create("");
        assertThat(second.status()).isEqualTo(201);
        assertThat(second.id()).matches("i[a-z0-9]{20}");
        assertThat(second.json().get("templateID").asString()).isEqualTo("base");
        assertThat(second.json().get("envdVersion").asString()).isEqualTo("0.6.13");
        SandboxId id = new SandboxId(second.id());
        assertThat(second.json().get("envdAccessToken").asString()).isEqualTo(server.tokens.access(id));
        assertThat(second.json().get("trafficAccessToken").asString()).isEqualTo(server.tokens.traffic(id));
        assertThat(second.json().has("domain")).isFalse();
        assertThat(secondsLeft(second.id())).isEqualTo(300);
        // As e2b 2.45 sends it.
        Answer first =
                ask("POST", "/sandboxes", "{\"templateID\":\"base\",\"secure\":true,\"allow_internet_access\":true}");
        assertThat(first.status()).isEqualTo(201);
        assertThat(first.json().has("envdAccessToken")).isTrue();
        assertThat(secondsLeft(first.id())).isEqualTo(15);
        Answer open = ask("POST", "/sandboxes", "{\"templateID\":\"base\",\"secure\":false}");
        assertThat(open.json().has("envdAccessToken")).isFalse();
    }

    @Test
    void tellsAllAboutASandbox() throws Exception {
        String id = create(",\"timeout\":600,\"metadata\":{\"user\":\"a b\"},\"envVars\":{\"A\":\"1\"}")
                .id();
        JsonNode detail = get("/sandboxes/" + id).json();
        assertThat(detail.get("state").asString()).isEqualTo("running");
        assertThat(detail.get("metadata").toString()).isEqualTo("{\"user\":\"a b\"}");
        assertThat(detail.get("alias").asString()).isEqualTo("base");
        assertThat(detail.get("cpuCount").asInt()).isEqualTo(2);
        assertThat(detail.get("allowInternetAccess").asBoolean()).isFalse();
        assertThat(detail.get("lifecycle").get("onTimeout").asString()).isEqualTo("kill");
        // As E2B's first clients name it.
        assertThat(get("/sandboxes/" + id + "-glovebox").id()).isEqualTo(id);
    }

    @ParameterizedTest
    @CsvSource({
        "base,gvisor",
        "base:jail,jail",
        "code-interpreter-v1:wasm,wasm",
        "code-interpreter-v1:isolate,isolate",
        "mine,gvisor"
    })
    void theTagChoosesTheTier(String template, String tier) throws Exception {
        String id = ask("POST", "/v2/sandboxes", "{\"templateID\":\"" + template + "\"}")
                .id();
        assertThat(get("/v1/sandboxes/" + id).json().get("tier").asString()).isEqualTo(tier);
        assertThat(get("/sandboxes/" + id).json().get("templateID").asString()).isEqualTo(template);
    }

    @Test
    void knowsOnlyTemplatesThatAreThere() throws Exception {
        for (String name : List.of("nope", "", "a/b", "-x", "x".repeat(100))) {
            Answer answer = ask("POST", "/v2/sandboxes", "{\"templateID\":\"" + name + "\"}");
            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.message()).matches("template '.*' not found");
        }
        assertThat(ask("POST", "/v2/sandboxes", "{\"templateID\":\"base:huge\"}")
                        .message())
                .contains("wasm, isolate, jail, gvisor");
        assertThat(ask("POST", "/v2/sandboxes", "{\"templateID\":\"mine:wasm\"}")
                        .message())
                .contains("Linux");
    }

    @Test
    void metadataChooseTheTierToo() throws Exception {
        String id = create(",\"metadata\":{\"glovebox.tier\":\"wasm\"}").id();
        assertThat(get("/v1/sandboxes/" + id).json().get("tier").asString()).isEqualTo("wasm");
        assertThat(ask(
                                "POST",
                                "/v2/sandboxes",
                                "{\"templateID\":\"base:jail\",\"metadata\":{\"glovebox.tier\":\"wasm\"}}")
                        .message())
                .contains("different tiers");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"timeout\":0|400|Timeout must be greater than 0",
                "\"timeout\":-1|400|Timeout must be greater than 0",
                "\"timeout\":86401|400|Timeout cannot be greater than 24 hours",
                "\"autoPause\":true|501|autoPause",
                "\"autoResume\":{\"enabled\":true}|501|autoResume",
                "\"autoPauseMemory\":false|400|autoPauseMemory",
                "\"mcp\":{\"github\":{\"token\":1.5}}|501|MCP",
                "\"iam\":{\"tokens\":{}}|501|iam",
                "\"volumeMounts\":[{\"name\":\"a\",\"path\":\"/a\"}]|501|volumes",
                "\"secure\":false|400|every sandbox is secured",
                "\"network\":{\"allowOut\":[\"a.example\"]}|400|ALL_TRAFFIC",
                "\"network\":{\"httpsPorts\":[8443]}|501|httpsPorts",
                "\"network\":{\"maskRequestHost\":\"a\\r\\nb\"}|400|maskRequestHost",
                "\"metadata\":{\"glovebox.e2b\":\"x\"}|400|belongs to Glovebox",
                "\"metadata\":{\"glovebox.tier\":\"browser\"}|400|tag",
                "\"nonsense\":1|400|nonsense",
            })
    void refusesInWordsWhatItCannotDo(String field, int status, String words) throws Exception {
        Answer answer = create("," + field);
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.message()).contains(words);
    }

    @Test
    void takesWhatIsTrueAnyway() throws Exception {
        Answer answer =
                create(",\"allow_internet_access\":false,\"autoPause\":false,\"autoResume\":{\"enabled\":false},"
                        + "\"network\":{\"denyOut\":[\"0.0.0.0/0\",\"8.8.8.8\",\"::/0\"],\"allowPublicTraffic\":false,"
                        + "\"maskRequestHost\":\"localhost:${PORT}\"},\"mcp\":null");
        assertThat(answer.status()).isEqualTo(201);
        JsonNode network = get("/sandboxes/" + answer.id()).json().get("network");
        assertThat(network.toString())
                .isEqualTo("{\"denyOut\":[\"0.0.0.0/0\",\"8.8.8.8\",\"::/0\"],\"allowPublicTraffic\":false,"
                        + "\"maskRequestHost\":\"localhost:${PORT}\"}");
    }

    @Test
    void changesHowLongASandboxLives() throws Exception {
        String one = "/sandboxes/" + create("").id();
        String id = one.substring(11);
        assertThat(ask("POST", one + "/timeout", "{\"timeout\":1000}").status()).isEqualTo(204);
        assertThat(secondsLeft(id)).isEqualTo(1000);
        assertThat(ask("POST", one + "/timeout", "{\"timeout\":50}").status()).isEqualTo(204);
        assertThat(secondsLeft(id)).isEqualTo(50);
        assertThat(ask("POST", one + "/refreshes", "{\"duration\":20}").status())
                .isEqualTo(204);
        assertThat(secondsLeft(id)).isEqualTo(50);
        assertThat(ask("POST", one + "/refreshes", "{\"duration\":200}").status())
                .isEqualTo(204);
        assertThat(secondsLeft(id)).isEqualTo(200);
        assertThat(ask("POST", one + "/refreshes", "").status()).isEqualTo(204);
        assertThat(ask("POST", one + "/refreshes", "{\"duration\":3601}").message())
                .contains("3600");
        assertThat(ask("POST", one + "/timeout", "{\"timeout\":0}").message()).contains("greater than 0");
        Answer connected = ask("POST", "/v2" + one + "/connect", "{\"timeout\":100}");
        assertThat(connected.status()).isEqualTo(200);
        assertThat(connected.json().get("envdAccessToken").asString())
                .isEqualTo(server.tokens.access(new SandboxId(id)));
        assertThat(secondsLeft(id)).isEqualTo(200);
        assertThat(ask("POST", one + "/connect", "{\"timeout\":400}").id()).isEqualTo(id);
        assertThat(secondsLeft(id)).isEqualTo(400);
    }

    @Test
    void saysTheSameOfADeadSandboxAndOfAnothersAndOfNone() throws Exception {
        String id = create("").id();
        String expected = "Sandbox \"%s\" doesn't exist or you don't have access to it";
        key = server.otherKey;
        for (String path : List.of("", "/timeout", "/connect", "/refreshes")) {
            Answer answer = path.isEmpty()
                    ? get("/sandboxes/" + id)
                    : ask("POST", "/sandboxes/" + id + path, path.equals("/timeout") ? "{\"timeout\":5}" : "");
            assertThat(answer.message()).isEqualTo(expected.formatted(id));
            assertThat(answer.status()).isEqualTo(404);
        }
        assertThat(ask("DELETE", "/sandboxes/" + id, "").message()).isEqualTo(expected.formatted(id));
        assertThat(get("/sandboxes/nothing").message()).isEqualTo(expected.formatted("nothing"));
        key = server.tenantKey;
        assertThat(ask("DELETE", "/sandboxes/" + id, "").status()).isEqualTo(204);
        assertThat(ask("DELETE", "/sandboxes/" + id, "").message()).isEqualTo(expected.formatted(id));
    }

    @Test
    void wantsAKey() throws Exception {
        key = "e2b_" + "0".repeat(40);
        Answer answer = get("/v2/sandboxes");
        assertThat(answer.status()).isEqualTo(401);
        assertThat(answer.message()).contains("API key");
        HttpRequest bearer = HttpRequest.newBuilder(server.uri("/v2/sandboxes"))
                .header("Authorization", "Bearer " + server.tenantKey)
                .build();
        assertThat(HTTP.send(bearer, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(200);
    }

    private List<String> ids(Answer answer) {
        return answer.json()
                .valueStream()
                .map(node -> node.get("sandboxID").asString())
                .toList();
    }

    @Test
    void listsPageByPage() throws Exception {
        List<String> made = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            made.add(create("").id());
        }
        List<String> newestFirst = made.reversed();
        for (String order : List.of("", "&order=desc", "&order=asc")) {
            List<String> seen = new ArrayList<>();
            String next = "";
            int pages = 0;
            do {
                Answer page = get("/v2/sandboxes?limit=3" + order + next);
                assertThat(page.response().headers().firstValue("X-Total-Running"))
                        .contains("7");
                seen.addAll(ids(page));
                next = page.response()
                        .headers()
                        .firstValue("x-next-token")
                        .map(token -> "&nextToken=" + token)
                        .orElse("");
                pages++;
            } while (!next.isEmpty());
            assertThat(pages).isEqualTo(3);
            assertThat(seen).isEqualTo(order.endsWith("asc") ? made : newestFirst);
        }
        assertThat(ids(get("/sandboxes"))).isEqualTo(newestFirst);
        key = server.otherKey;
        assertThat(ids(get("/v2/sandboxes"))).isEmpty();
    }

    @Test
    void listsWhatMatches() throws Exception {
        String odd = create(",\"metadata\":{\"k e\":\"v&1\",\"n\":\"1\"}").id();
        String even = create(",\"metadata\":{\"n\":\"2\"}").id();
        String wasm = ask("POST", "/v2/sandboxes", "{\"templateID\":\"code-interpreter-v1:wasm\"}")
                .id();
        assertThat(ids(get("/v2/sandboxes?metadata=k%252520e%3Dv%2525261"))).containsExactly(odd);
        assertThat(ids(get("/sandboxes?metadata=n%3D2"))).containsExactly(even);
        assertThat(ids(get("/v2/sandboxes?template=code-interpreter-v1"))).containsExactly(wasm);
        assertThat(ids(get("/v2/sandboxes?template=code-interpreter-v1:wasm"))).containsExactly(wasm);
        assertThat(ids(get("/v2/sandboxes?template=base"))).containsExactly(even, odd);
        assertThat(ids(get("/v2/sandboxes?state=paused"))).isEmpty();
        assertThat(ids(get("/v2/sandboxes?state=running,paused"))).hasSize(3);
        String after = get("/sandboxes/" + odd).json().get("startedAt").asString();
        assertThat(ids(get("/v2/sandboxes?startedAfter=" + URLEncoder.encode(after, StandardCharsets.UTF_8))))
                .containsExactly(wasm, even);
    }

    @ParameterizedTest
    @CsvSource({
        "limit=0",
        "limit=101",
        "limit=x",
        "order=up",
        "state=dead",
        "startedAfter=yesterday",
        "nextToken=abc",
        "metadata=x"
    })
    void refusesListsThatMakeNoSense(String query) throws Exception {
        Answer answer = get("/v2/sandboxes?" + query);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.message())
                .contains(query.startsWith("nextToken") ? "next token" : query.substring(0, query.indexOf(61)));
    }

    @Test
    void boundsABodyWhoeverMeasuresIt() throws Exception {
        String large = "x".repeat(2 * 1024 * 1024);
        assertThat(create(",\"metadata\":{\"a\":\"" + large + "\"}").message()).contains("1048576");
        HttpRequest chunked = HttpRequest.newBuilder(server.uri("/v2/sandboxes"))
                .header("X-API-KEY", key)
                .POST(HttpRequest.BodyPublishers.ofByteArrays(IntStream.range(0, 30)
                        .mapToObj(i -> "{\"templateID\":\"base\"}"
                                .substring(Math.min(21, i), Math.min(21, i + 1))
                                .getBytes(StandardCharsets.US_ASCII))
                        .toList()))
                .build();
        assertThat(HTTP.send(chunked, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(201);
    }

    @Test
    void tellsTheDomainToClientsThatCameByIt() throws Exception {
        try (RawHttp http = new RawHttp(server.port())) {
            String body = "{\"templateID\":\"base\"}";
            http.send("POST /v2/sandboxes HTTP/1.1\r\nHost: api.box.test:9999\r\nX-API-KEY: " + key
                    + "\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
            assertThat(JSON.readTree(http.reply().body()).get("domain").asString())
                    .isEqualTo("box.test:9999");
        }
    }

    @Test
    void answersWithAndWithoutASlashAtTheEndAndOtherPathsAsJson() throws Exception {
        String id = create("").id();
        assertThat(get("/v2/sandboxes/?limit=1").json()).hasSize(1);
        assertThat(get("/sandboxes/" + id + "/").id()).isEqualTo(id);
        assertThat(ask("POST", "/sandboxes/" + id + "/timeout/", "{\"timeout\":5}")
                        .status())
                .isEqualTo(204);
        for (String path :
                List.of("/v2/nowhere", "/sandboxes/a/b/c", "/sandboxes/..%2F..%2Fetc", "/templates/a/b/c/d/e")) {
            Answer answer = get(path);
            assertThat(answer.status()).as(path).isEqualTo(404);
            assertThat(answer.message()).isNotEmpty();
        }
        assertThat(get("/sandboxes/%E2%82%AC").message()).contains("Sandbox \"?\" doesn't exist");
        assertThat(get("/v1/nowhere").response().body()).contains("route_not_found");
    }

    @Test
    void refusesOtherMethods() throws Exception {
        Answer answer = ask("PUT", "/v2/sandboxes", "{}");
        assertThat(answer.status()).isEqualTo(405);
        assertThat(answer.message()).contains("GET, POST");
    }

    @Test
    void measures() throws Exception {
        String id = create("").id();
        create("");
        Answer metrics = get("/sandboxes/" + id + "/metrics");
        assertThat(metrics.json()).hasSize(1);
        JsonNode metric = metrics.json().get(0);
        // Half a second of one of two processors, in the second since it was made.
        assertThat(metric.get("cpuUsedPct").asDouble()).isEqualTo(25.0);
        assertThat(metric.get("cpuCount").asInt()).isEqualTo(2);
        assertThat(metric.get("memUsed").asLong()).isEqualTo(1000);
        assertThat(metric.get("memTotal").asLong()).isEqualTo(2000);
        assertThat(metric.get("diskUsed").asLong()).isEqualTo(10);
        assertThat(metric.get("diskTotal").asLong()).isEqualTo(20);
        long at = metric.get("timestampUnix").asLong();
        assertThat(metric.get("timestamp").asString())
                .isEqualTo(java.time.Instant.ofEpochSecond(at).toString());
        assertThat(get("/sandboxes/" + id + "/metrics?start=" + at + "&end=" + at)
                        .json())
                .hasSize(1);
        assertThat(get("/sandboxes/" + id + "/metrics?start=" + (at + 1)).json())
                .isEmpty();
        assertThat(get("/sandboxes/" + id + "/metrics?end=" + (at - 1)).json()).isEmpty();
        assertThat(get("/sandboxes/" + id + "/metrics?start=5&end=4").message()).contains("'start'");
        assertThat(get("/sandboxes/" + id + "/metrics?start=x").message()).contains("'start'");
        JsonNode many = get("/sandboxes/metrics?sandbox_ids=" + id + ",gone").json();
        assertThat(many.get("sandboxes").get(id).get("memUsed").asLong()).isEqualTo(1000);
        assertThat(many.get("sandboxes").has("gone")).isFalse();
        assertThat(get("/sandboxes/metrics").message()).contains("sandbox_ids");
        key = server.otherKey;
        assertThat(get("/sandboxes/" + id + "/metrics").status()).isEqualTo(404);
        assertThat(get("/sandboxes/metrics?sandbox_ids=" + id).json().get("sandboxes"))
                .isEmpty();
    }

    @Test
    void tellsWhatHappened() throws Exception {
        String id = create("").id();
        ask("POST", "/sandboxes/" + id + "/timeout", "{\"timeout\":77}");
        ask("POST", "/v2/sandboxes/" + id + "/connect", "{}");
        JsonNode first = get("/sandboxes/" + id + "/logs").json();
        assertThat(first.get("logs").valueStream().map(line -> line.get("line").asString()))
                .containsExactly("sandbox started", "it ends in 77 s", "a client connected");
        JsonNode fields = first.get("logEntries").get(0).get("fields");
        assertThat(fields.get("template").asString()).isEqualTo("base");
        assertThat(fields.get("tier").asString()).isEqualTo("gvisor");
        String second = "/v2/sandboxes/" + id + "/logs";
        assertThat(messages(get(second + "?limit=2"))).containsExactly("sandbox started", "it ends in 77 s");
        assertThat(messages(get(second + "?direction=backward&limit=1"))).containsExactly("a client connected");
        assertThat(messages(get(second + "?search=77"))).containsExactly("it ends in 77 s");
        assertThat(messages(get(second + "?level=warn"))).isEmpty();
        assertThat(messages(get(second + "?cursor=99999999999999"))).isEmpty();
        for (String bad : List.of("limit=1001", "direction=up", "level=loud", "cursor=x")) {
            assertThat(get(second + "?" + bad).message()).contains(bad.substring(0, bad.indexOf('=')));
        }
    }

    private List<String> messages(Answer answer) {
        return answer.json()
                .get("logs")
                .valueStream()
                .map(entry -> entry.get("message").asString())
                .toList();
    }

    @Test
    void tellsWhichTemplatesThereAre() throws Exception {
        for (String path : List.of("/templates", "/v2/templates")) {
            JsonNode templates = get(path).json();
            assertThat(templates
                            .valueStream()
                            .map(node -> node.get("templateID").asString()))
                    .containsExactly("base", "code", "mine");
            assertThat(templates.get(1).get("aliases").toString()).contains("code-interpreter-v1");
            assertThat(templates.get(2).get("public").asBoolean()).isTrue();
        }
        assertThat(get("/templates/aliases/code-interpreter-v1")
                        .json()
                        .get("templateID")
                        .asString())
                .isEqualTo("code");
        assertThat(get("/templates/aliases/nope").status()).isEqualTo(404);
        assertThat(get("/templates/mine").json().get("templateID").asString()).isEqualTo("mine");
        assertThat(get("/templates/nope").message()).isEqualTo("template 'nope' not found");
        assertThat(ask("DELETE", "/templates/nope", "").status()).isEqualTo(404);
        assertThat(ask("DELETE", "/templates/mine", "").message()).contains("glovebox template");
    }

    @ParameterizedTest
    @CsvSource({
        "POST,/sandboxes/{id}/pause,501,pause",
        "POST,/sandboxes/{id}/resume,409,running already",
        "POST,/sandboxes/{id}/fork,501,fork",
        "POST,/sandboxes/{id}/snapshots,501,snapshots",
        "POST,/sandboxes/gone/pause,404,exist",
        "GET,/snapshots,501,snapshots",
        "POST,/v3/templates,501,glovebox template build",
        "GET,/templates/a/files/b,501,glovebox template build",
        "POST,/v2/templates/a/builds/b,501,glovebox template build",
        "GET,/templates/a/builds/b/status,501,glovebox template build",
        "POST,/templates/tags,501,glovebox template build",
        "GET,/volumes,501,volumes",
        "DELETE,/volumes/a,501,volumes",
        "GET,/volumecontent/a/dir,501,volumes",
        "POST,/secrets,501,secrets",
        "GET,/secrets/a,501,secrets",
        "GET,/teams,501,teams",
    })
    void saysWhatIsNotThere(String method, String path, int status, String words) throws Exception {
        Answer answer = ask(method, path.replace("{id}", create("").id()), method.equals("POST") ? "{}" : "");
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.message()).contains(words);
    }

    @Test
    void saysThatItIsThere() throws Exception {
        assertThat(get("/health").status()).isEqualTo(204);
    }
}
