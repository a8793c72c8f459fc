package dev.glovebox.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.sdk.Glovebox;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/// Bodies of requests that a client cuts as it likes, and what the connection is good for afterwards.
final class BodiesIT {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String LONG = "0123456789".repeat(10_000);

    private static TestServer server;
    private static String files;

    @BeforeAll
    static void start() throws IOException {
        server = new TestServer();
        try (RawHttp http = new RawHttp(server.port())) {
            http.post("/v1/sandboxes", server.tenantKey, "application/json", "{\"tier\":\"wasm\"}");
            files = "/v1/sandboxes/"
                    + JSON.readTree(http.reply().body()).get("id").asString() + "/files";
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String put(String path, String headers) {
        return "PUT " + path + " HTTP/1.1\r\nHost: x\r\nX-API-KEY: " + server.tenantKey
                + "\r\nTransfer-Encoding: chunked\r\n" + headers + "\r\n";
    }

    private static String get(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: x\r\nX-API-KEY: " + server.tenantKey + "\r\n\r\n";
    }

    private static String chunk(String content) {
        return Integer.toHexString(content.length()).toUpperCase(java.util.Locale.ROOT) + "\r\n" + content + "\r\n";
    }

    private static byte[] stored(String name) {
        try (Glovebox glovebox = Glovebox.connect(URI.create("http://127.0.0.1:" + server.port()), server.tenantKey)) {
            return glovebox.sandboxes().get(files.split("/", 5)[3]).files().read(name);
        }
    }

    @Test
    void takesChunksHoweverTheyAreCut() throws IOException {
        String all =
                chunk("a") + chunk(LONG) + chunk("b".repeat(20_000)) + "0000003\r\nxyz\r\n" + chunk(LONG) + "0\r\n\r\n";
        try (RawHttp http = new RawHttp(server.port())) {
            http.send(put(files + "?path=/cut", ""));
            for (int from = 0; from < all.length(); from += 7_919) {
                http.send(all.substring(from, Math.min(all.length(), from + 7_919)));
            }
            assertThat(http.reply().status()).isEqualTo(200);
            assertThat(stored("/cut")).asString().isEqualTo("a" + LONG + "b".repeat(20_000) + "xyz" + LONG);
            // In one piece, with the next request right behind it.
            http.send(put(files + "?path=/whole", "") + all + get(files + "/stat?path=/whole"));
            assertThat(http.reply().status()).isEqualTo(200);
            RawHttp.Reply stat = http.reply();
            assertThat(JSON.readTree(stat.body()).get("sizeBytes").asInt())
                    .as(stat.toString())
                    .isEqualTo(220_004);
        }
    }

    @Test
    void answersWhoWaitsForA100AndWhoSendsNothing() throws IOException {
        try (RawHttp http = new RawHttp(server.port())) {
            http.send(put(files + "?path=/expected", "Expect: 100-continue\r\n"));
            assertThat(http.reply().status()).isEqualTo(100);
            http.send(chunk("now") + "0\r\n\r\n");
            assertThat(http.reply().status()).isEqualTo(200);
            http.send(put(files + "?path=/nothing", "") + "0\r\n\r\n");
            assertThat(http.reply().status()).isEqualTo(200);
        }
        assertThat(stored("/expected")).asString().isEqualTo("now");
        assertThat(stored("/nothing")).isEmpty();
    }

    @Test
    void keepsTheConnectionOfARefusedBody() throws IOException {
        try (RawHttp http = new RawHttp(server.port())) {
            http.send(put("/v1/sandboxes/i00000000000000000000/files?path=/x", "") + chunk(LONG) + "0\r\n\r\n"
                    + get(files + "/list?path=/"));
            assertThat(http.reply().status()).isEqualTo(404);
            assertThat(http.reply().status()).isEqualTo(200);
        }
    }

    @Test
    void closesOnAChunkThatIsNone() throws IOException {
        for (String bad : new String[] {"-5\r\nhello\r\n", "2\r\nhello\r\n", "+5\r\nhello\r\n", "\r\n\r\n"}) {
            try (RawHttp http = new RawHttp(server.port())) {
                http.send(put(files + "?path=/bad", "") + chunk("fine") + bad + get("/readyz"));
                String reply = refusal(http);
                assertThat(reply).as(bad).doesNotContain(" 200 ");
                assertThatThrownBy(http::reply).isInstanceOf(IOException.class);
            }
        }
        assertThatThrownBy(() -> stored("/bad")).hasMessageContaining("no such file");
    }

    private static String refusal(RawHttp http) {
        try {
            return http.reply().head();
        } catch (IOException closed) {
            return new String(new byte[0], StandardCharsets.UTF_8);
        }
    }
}
