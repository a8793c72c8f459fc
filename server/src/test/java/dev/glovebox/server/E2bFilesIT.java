package dev.glovebox.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// `/files` on port 49983, over a real server; the files are those of [FakeGate].
@Timeout(60)
final class E2bFilesIT {
    private static TestServer server;
    private static E2bClient client;

    @BeforeAll
    static void start() throws Exception {
        server = TestServer.forE2b();
        client = new E2bClient(server);
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    private static String query(String path) {
        return "/files?path=" + URLEncoder.encode(path, StandardCharsets.UTF_8);
    }

    private static HttpResponse<String> upload(String path, byte[] body, String type) throws Exception {
        return client.send(client.request(E2bClient.ENVD, path)
                .header("Content-Type", type)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body)));
    }

    private static void put(String path, String content) throws Exception {
        assertThat(upload(query(path), content.getBytes(StandardCharsets.UTF_8), "application/octet-stream")
                        .statusCode())
                .isEqualTo(200);
    }

    private static HttpResponse<String> get(String path, String... headers) throws Exception {
        HttpRequest.Builder request = client.request(E2bClient.ENVD, query(path));
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return client.send(request);
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    @Test
    void aFormBecomesFilesByTheirFullNames() throws Exception {
        Map<String, String> files = new LinkedHashMap<>();
        files.put("form/a b.txt", "one");
        files.put("/tmp/\u00e4%22.txt", "two");
        HttpResponse<String> response = upload("/files", E2bClient.multipart(files), "multipart/form-data; boundary=X");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body())
                .isEqualTo("[{\"path\":\"/home/user/form/a b.txt\",\"name\":\"a b.txt\",\"type\":\"file\"},"
                        + "{\"path\":\"/tmp/\u00e4\\\".txt\",\"name\":\"\u00e4\\\".txt\",\"type\":\"file\"}]");
        assertThat(get("/tmp/\u00e4\".txt").body()).isEqualTo("two");
        assertThat(get("form/a b.txt").body()).isEqualTo("one");
    }

    @Test
    void aPathInTheAddressWinsAndTakesOneFile() throws Exception {
        byte[] one = E2bClient.multipart(Map.of("ignored", "content"));
        assertThat(upload(query("~/named"), one, "multipart/form-data; boundary=X")
                        .body())
                .contains("/home/user/named");
        Map<String, String> two = new LinkedHashMap<>();
        two.put("a", "1");
        two.put("b", "2");
        HttpResponse<String> response =
                upload(query("named"), E2bClient.multipart(two), "multipart/form-data; boundary=\"X\"");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("\"code\":400").contains("/home/user/named");
    }

    @Test
    void packedBodiesAreUnpacked() throws Exception {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(E2bClient.multipart(Map.of("packed", "x".repeat(100_000))));
        }
        assertThat(client.send(client.request(E2bClient.ENVD, "/files")
                                .header("Content-Type", "multipart/form-data; boundary=X")
                                .header("Content-Encoding", "gzip")
                                .POST(HttpRequest.BodyPublishers.ofByteArray(packed.toByteArray())))
                        .statusCode())
                .isEqualTo(200);
        assertThat(get("packed").body()).hasSize(100_000);
        HttpResponse<String> broken = client.send(client.request(E2bClient.ENVD, query("broken"))
                .header("Content-Type", "application/octet-stream")
                .header("Content-Encoding", "gzip")
                .POST(HttpRequest.BodyPublishers.ofString("no gzip")));
        assertThat(broken.statusCode()).isEqualTo(400);
        HttpResponse<byte[]> sent = client.sendForBytes(
                client.request(E2bClient.ENVD, query("packed")).header("Accept-Encoding", "gzip"));
        assertThat(header(sent, "Content-Encoding")).isEqualTo("gzip");
        assertThat(new GZIPInputStream(new java.io.ByteArrayInputStream(sent.body())).readAllBytes())
                .hasSize(100_000);
        assertThat(header(get("packed", "Accept-Encoding", "gzip, deflate"), "Content-Encoding"))
                .isEmpty();
        assertThat(get("packed", "Accept-Encoding", "identity;q=0").statusCode())
                .isEqualTo(406);
    }

    @Test
    void partsAndVersionsOfFiles() throws Exception {
        put("numbers", "0123456789");
        HttpResponse<String> whole = get("numbers");
        assertThat(header(whole, "Content-Length")).isEqualTo("10");
        assertThat(header(whole, "Content-Disposition")).isEqualTo("inline; filename=\"numbers\"");
        assertThat(header(whole, "Content-Type")).isEqualTo("application/octet-stream");
        assertThat(header(whole, "X-Content-Type-Options")).isEqualTo("nosniff");
        HttpResponse<String> part = get("numbers", "Range", "bytes=2-4");
        assertThat(part.statusCode()).isEqualTo(206);
        assertThat(part.body()).isEqualTo("234");
        assertThat(header(part, "Content-Range")).isEqualTo("bytes 2-4/10");
        assertThat(get("numbers", "Range", "bytes=-3").body()).isEqualTo("789");
        HttpResponse<String> beyond = get("numbers", "Range", "bytes=10-");
        assertThat(beyond.statusCode()).isEqualTo(416);
        assertThat(header(beyond, "Content-Range")).isEqualTo("bytes */10");
        String tag = header(whole, "ETag");
        assertThat(get("numbers", "If-None-Match", tag).statusCode()).isEqualTo(304);
        assertThat(get("numbers", "If-None-Match", "\"other\"").statusCode()).isEqualTo(200);
        assertThat(get("numbers", "If-Modified-Since", header(whole, "Last-Modified"))
                        .statusCode())
                .isEqualTo(304);
        assertThat(get("numbers", "Range", "bytes=0-0", "If-Range", tag).statusCode())
                .isEqualTo(206);
        assertThat(get("numbers", "Range", "bytes=0-0", "If-Range", "\"other\"").statusCode())
                .isEqualTo(200);
    }

    @Test
    void anEmptyFileIsRead() throws Exception {
        put("empty", "");
        assertThat(get("empty").statusCode()).isEqualTo(200);
        assertThat(get("empty").body()).isEmpty();
    }

    @Test
    void whatIsWrongIsSaidInWords() throws Exception {
        assertThat(get("nowhere").statusCode()).isEqualTo(404);
        assertThat(get("nowhere").body())
                .isEqualTo("{\"code\":404,\"message\":\"path '/home/user/nowhere' does not exist\"}");
        assertThat(get("~other/x").statusCode()).isEqualTo(400);
        assertThat(get("a\0b").statusCode()).isEqualTo(400);
        assertThat(upload("/files", new byte[0], "application/octet-stream").statusCode())
                .isEqualTo(400);
        assertThat(upload(query("x"), new byte[0], "text/plain").statusCode()).isEqualTo(400);
        assertThat(upload("/files", "--X\r\n".getBytes(StandardCharsets.UTF_8), "multipart/form-data; boundary=X")
                        .statusCode())
                .isEqualTo(400);
        assertThat(upload("/files", new byte[0], "multipart/form-data").statusCode())
                .isEqualTo(400);
        assertThat(client.send(client.request(E2bClient.ENVD, query("x"))
                                .header("Content-Type", "application/octet-stream")
                                .header("X-Metadata-a", "b".repeat(5000))
                                .POST(HttpRequest.BodyPublishers.ofString("x")))
                        .statusCode())
                .isEqualTo(400);
    }

    private static String signed(String path, String operation, String user, String expiration) throws Exception {
        String text = path + ":" + operation + ":" + user + ":" + client.token()
                + (expiration.isEmpty() ? "" : ":" + expiration);
        String signature = "v1_"
                + Base64.getEncoder()
                        .withoutPadding()
                        .encodeToString(
                                MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        return query(path) + "&signature=" + URLEncoder.encode(signature, StandardCharsets.UTF_8)
                + (user.isEmpty() ? "" : "&username=" + user)
                + (expiration.isEmpty() ? "" : "&signature_expiration=" + expiration);
    }

    private static HttpResponse<String> open(String address) throws IOException, InterruptedException {
        return client.send(client.bare(E2bClient.ENVD, address));
    }

    @Test
    void aSignatureIsAsGoodAsTheToken() throws Exception {
        put("/home/user/signed", "content");
        String path = "/home/user/signed";
        long now = server.gate.clock.instant().getEpochSecond();
        assertThat(open(signed(path, "read", "", "")).body()).isEqualTo("content");
        assertThat(open(signed(path, "read", "root", "")).body()).isEqualTo("content");
        assertThat(open(signed(path, "read", "", Long.toString(now + 100))).statusCode())
                .isEqualTo(200);
        assertThat(open(signed(path, "read", "", Long.toString(now - 100))).body())
                .contains("signature is already expired");
        assertThat(open(signed(path, "write", "", "")).body()).contains("invalid signature");
        assertThat(open(signed("/home/user/other", "read", "", "").replace("other", "signed"))
                        .statusCode())
                .isEqualTo(401);
        assertThat(open(query(path)).body()).contains("missing signature query parameter");
        assertThat(client.send(client.bare(E2bClient.ENVD, signed(path, "read", "", ""))
                                .header("X-Access-Token", "wrong"))
                        .body())
                .contains("access token present in header but does not match");
        assertThat(client.send(client.bare(E2bClient.ENVD, signed(path, "write", "", ""))
                                .header("Content-Type", "multipart/form-data; boundary=X")
                                .POST(HttpRequest.BodyPublishers.ofByteArray(
                                        E2bClient.multipart(Map.of("any", "written")))))
                        .statusCode())
                .isEqualTo(200);
        assertThat(get(path).body()).isEqualTo("written");
    }

    @Test
    void filesArePutTogether() throws Exception {
        put("part1", "one ");
        put("part2", "two");
        HttpResponse<String> response = upload(
                "/files/compose",
                "{\"source_paths\":[\"part1\",\"part2\"],\"destination\":\"both\"}".getBytes(StandardCharsets.UTF_8),
                "application/json");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(get("both").body()).isEqualTo("one two");
        assertThat(get("part1").statusCode()).isEqualTo(404);
        assertThat(upload(
                                "/files/compose",
                                "{\"source_paths\":[\"none\"],\"destination\":\"both\"}"
                                        .getBytes(StandardCharsets.UTF_8),
                                "application/json")
                        .statusCode())
                .isEqualTo(404);
        assertThat(get("both").body()).isEqualTo("one two");
    }
}
