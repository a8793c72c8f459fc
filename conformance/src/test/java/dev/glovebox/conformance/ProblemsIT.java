package dev.glovebox.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.wire.api.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What makes no sense is refused as RFC 9457 says: with a code, and with the bound in words.
class ProblemsIT {
    private static final String RUN = "/v1/run";
    private static final int MIB = 1 << 20;

    private final Target target;
    private final Raw raw;

    ProblemsIT(Target target) {
        this.target = target;
        this.raw = new Raw(target);
    }

    @AfterEach
    void close() {
        raw.close();
    }

    private Problem refused(Raw.Answer answer, int status, String code) {
        assertThat(answer.status()).as(answer.toString()).isEqualTo(status);
        assertThat(answer.media()).isEqualTo("application/problem+json");
        Problem problem = answer.problem();
        assertThat(problem.status()).isEqualTo(status);
        assertThat(problem.code()).as(problem.detail()).isEqualTo(code);
        assertThat(problem.type()).isEqualTo("urn:glovebox:problem:" + code);
        assertThat(problem.title()).isEqualTo(code.replace('_', ' '));
        assertThat(problem.detail()).isNotBlank().doesNotContain("Exception", "dev.glovebox", "tools.jackson", "\n");
        return problem;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {}                                                                | 400 | invalid_argument | 'code' or 'module'
            []                                                                | 400 | invalid_argument | object
            {                                                                 | 400 | invalid_argument | not valid JSON
            {"language":"python"}                                             | 400 | invalid_argument | 'code' or 'module'
            {"code":"1"}                                                      | 400 | invalid_argument | 'language'
            {"language":"python","code":"1","module":"AA=="}                  | 400 | invalid_argument | exclude
            {"language":"cobol","code":"1"}                                   | 400 | invalid_argument | python, javascript, typescript, wasm
            {"language":"python","tier":"lead","code":"1"}                    | 400 | invalid_argument | there is no tier
            {"language":"python","tier":"microvm","code":"1"}                 | 501 | tier_unavailable | glovebox doctor
            {"language":"python","tier":"isolate","code":"1"}                 | 501 | unsupported      | does not run python
            {"language":"typescript","tier":"wasm","code":"1"}                | 501 | unsupported      | does not run typescript
            {"language":"python","code":"1","colour":"red"}                   | 400 | invalid_argument | 'colour'
            {"language":"python","code":"1","code":"2"}                       | 400 | invalid_argument | twice
            {"language":"python","code":1}                                    | 400 | invalid_argument | 'code' must be a string
            {"language":"python","code":"1"} {}                               | 400 | invalid_argument | follows the end
            {"language":"python","code":"1","limits":{"wallMillis":0}}        | 400 | invalid_argument | 1..86400000
            {"language":"python","code":"1","limits":{"wallMillis":86400001}} | 400 | invalid_argument | 1..86400000
            {"language":"python","code":"1","limits":{"memoryBytes":1000}}    | 400 | invalid_argument | 16777216
            {"language":"python","code":"1","limits":{"fileCount":0}}         | 400 | invalid_argument | 1..100000
            {"language":"python","code":"1","limits":{"wallMillis":1e99}}     | 400 | invalid_argument | whole number
            {"language":"python","code":"1","env":{"A=B":"x"}}                | 400 | invalid_argument | environment
            {"language":"python","code":"1","files":{"a":{"text":"x","base64":"AA=="}}} | 400 | invalid_argument | exactly one
            {"language":"python","code":"1","files":{"a":{"base64":"!!"}}}    | 400 | invalid_argument | base64
            {"module":"!!"}                                                   | 400 | invalid_argument | base64
            """)
    void refusesARunThatMakesNoSense(String body, int status, String code, String words) {
        assertThat(refused(raw.send("POST", RUN, body), status, code).detail()).contains(words);
    }

    @Test
    void refusesWhatIsTooLarge() {
        String code = "#".repeat(4 * MIB + 1);
        Problem problem =
                refused(raw.send("POST", RUN, "{\"language\":\"python\",\"code\":\"" + code + "\"}"), 413, "too_large");
        assertThat(problem.detail()).contains(Integer.toString(4 * MIB));
        String argument = "a".repeat(128 * 1024 + 1);
        Problem arguments = refused(
                raw.send("POST", RUN, "{\"language\":\"python\",\"code\":\"1\",\"args\":[\"" + argument + "\"]}"),
                400,
                "invalid_argument");
        assertThat(arguments.detail()).contains(Integer.toString(128 * 1024));
        String nested = "[".repeat(10_000);
        assertThat(refused(raw.send("POST", RUN, nested), 400, "invalid_argument")
                        .detail())
                .isNotBlank();
    }

    @Test
    void refusesABodyBeyondTheBoundWithoutReadingIt() throws IOException {
        String head = "POST /v1/run HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + target.key()
                + "\r\nContent-Type: application/json\r\nContent-Length: " + 70L * MIB + "\r\n\r\n{";
        assertThat(wire(head)).startsWith("HTTP/1.1 413").contains("too_large", Integer.toString(64 * MIB));
    }

    @Test
    void refusesWhatIsNotHttp() throws IOException {
        assertThat(wire("\u0016\u0003\u0001 this is not HTTP at all\r\n\r\n"))
                .doesNotContain("HTTP/1.1 200", "Exception");
        assertThat(wire("GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + "y".repeat(20_000) + "\r\n\r\n"))
                .startsWith("HTTP/1.1 4")
                .contains("application/problem+json", "16384");
        assertThat(wire("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
                .as("the server lives on")
                .startsWith("HTTP/1.1 200");
    }

    private String wire(String request) throws IOException {
        try (Socket socket =
                new Socket(target.address().getHost(), target.address().getPort())) {
            socket.setSoTimeout(10_000);
            OutputStream out = socket.getOutputStream();
            out.write(request.getBytes(StandardCharsets.ISO_8859_1));
            out.flush();
            InputStream in = socket.getInputStream();
            byte[] answer = in.readNBytes(12);
            if (answer.length < 12) {
                return new String(answer, StandardCharsets.ISO_8859_1);
            }
            StringBuilder text = new StringBuilder(new String(answer, StandardCharsets.ISO_8859_1));
            byte[] buffer = new byte[8192];
            int count = in.read(buffer);
            if (count > 0) {
                text.append(new String(buffer, 0, count, StandardCharsets.ISO_8859_1));
            }
            return text.toString();
        }
    }

    @Test
    void refusesPathsAndMethodsThatAreNotThere() {
        refused(raw.send("GET", "/v1/nowhere", ""), 404, "route_not_found");
        refused(raw.send("GET", "/", ""), 404, "route_not_found");
        Raw.Answer answer = raw.send("PATCH", RUN, "{}");
        assertThat(refused(answer, 405, "method_not_allowed").detail()).contains("POST");
        assertThat(answer.headers().firstValue("Allow")).contains("POST");
    }

    @Test
    void refusesIdsThatCannotBe() {
        refused(raw.send("GET", "/v1/sandboxes/nonsense", ""), 404, "sandbox_not_found");
        refused(raw.send("GET", "/v1/sandboxes/i" + "a".repeat(20), ""), 404, "sandbox_not_found");
        assertThat(raw.send("DELETE", "/v1/sandboxes/..%2f..%2fetc", "").status())
                .isEqualTo(404);
        refused(raw.send("DELETE", "/v1/keys/nonsense", ""), 404, "key_not_found");
    }

    @Test
    void refusesPagesThatCannotBe() {
        assertThat(refused(raw.send("GET", "/v1/sandboxes?limit=1001", ""), 400, "invalid_argument")
                        .detail())
                .contains("'limit'", "1000");
        refused(raw.send("GET", "/v1/sandboxes?limit=0", ""), 400, "invalid_argument");
        refused(raw.send("GET", "/v1/sandboxes?limit=many", ""), 400, "invalid_argument");
        refused(raw.send("GET", "/v1/sandboxes?cursor=%27;--", ""), 400, "invalid_argument");
        assertThat(refused(raw.send("GET", "/v1/sandboxes?metadata=noequals", ""), 400, "invalid_argument")
                        .detail())
                .contains("name=value");
    }

    @Test
    void refusesMetadataBeyondTheBounds() {
        String long2049 = "v".repeat(2049);
        assertThat(refused(
                                raw.send("POST", "/v1/sandboxes", "{\"metadata\":{\"k\":\"" + long2049 + "\"}}"),
                                400,
                                "invalid_argument")
                        .detail())
                .contains("2048");
        StringBuilder many = new StringBuilder("{\"metadata\":{");
        for (int i = 0; i < 65; i++) {
            many.append(i == 0 ? "" : ",").append("\"k").append(i).append("\":\"v\"");
        }
        assertThat(refused(raw.send("POST", "/v1/sandboxes", many + "}}"), 400, "invalid_argument")
                        .detail())
                .contains("64");
    }
}
