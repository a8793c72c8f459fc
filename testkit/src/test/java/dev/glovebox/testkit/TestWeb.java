package dev.glovebox.testkit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/// A web server on loopback, with TLS and without, whose certificates are its own.
final class TestWeb implements AutoCloseable {
    private static final char[] PASSWORD = "changeit".toCharArray();

    private final HttpServer plain;
    private final HttpsServer secure;
    private final HttpsServer wrong;
    private final Semaphore slow = new Semaphore(0);
    private final StringBuilder pem = new StringBuilder();

    private TestWeb(HttpServer plain, HttpsServer secure, HttpsServer wrong) {
        this.plain = plain;
        this.secure = secure;
        this.wrong = wrong;
    }

    static TestWeb open(String name) throws IOException, GeneralSecurityException, InterruptedException {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        TestWeb web = new TestWeb(HttpServer.create(any, 50), HttpsServer.create(any, 50), HttpsServer.create(any, 50));
        web.secure.setHttpsConfigurator(new HttpsConfigurator(web.certified(name)));
        web.wrong.setHttpsConfigurator(new HttpsConfigurator(web.certified("somebody.example")));
        for (HttpServer server : new HttpServer[] {web.plain, web.secure, web.wrong}) {
            server.createContext("/", web::handle);
            server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            server.start();
        }
        return web;
    }

    private SSLContext certified(String name) throws IOException, GeneralSecurityException, InterruptedException {
        Path store = Files.createTempDirectory("web").resolve("store.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-alias",
                        "web",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=dns:" + name,
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        new String(PASSWORD))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (keytool.waitFor() != 0) {
            throw new IllegalStateException("keytool makes no certificate");
        }
        KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD);
        Files.delete(store);
        Files.delete(store.getParent());
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        pem.append("-----BEGIN CERTIFICATE-----\n")
                .append(Base64.getMimeEncoder()
                        .encodeToString(keys.getCertificate("web").getEncoded()))
                .append("\n-----END CERTIFICATE-----\n");
        return context;
    }

    /// Its certificates, all of them.
    String pem() {
        return pem.toString();
    }

    int port() {
        return plain.getAddress().getPort();
    }

    int securePort() {
        return secure.getAddress().getPort();
    }

    /// Where it shows somebody else's certificate.
    int wrongPort() {
        return wrong.getAddress().getPort();
    }

    /// Waits until somebody has asked for what never comes.
    void awaitSlow() {
        try {
            if (!slow.tryAcquire(30, TimeUnit.SECONDS)) {
                throw new AssertionError("nobody asked for /slow");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange;
                InputStream in = exchange.getRequestBody()) {
            String path = exchange.getRequestURI().getPath();
            byte[] body = in.readAllBytes();
            switch (path) {
                case "/hello" -> {
                    String header = exchange.getRequestHeaders().getFirst("X-One");
                    answer(
                            exchange,
                            200,
                            exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                                    + (header == null ? "-" : header) + " " + body.length);
                }
                case "/redirect" -> {
                    exchange.getResponseHeaders()
                            .set("Location", exchange.getRequestURI().getQuery());
                    exchange.sendResponseHeaders(302, -1);
                }
                case "/big" -> fill(exchange, 5_000_000, 5_000_000);
                case "/chunked" -> fill(exchange, 0, 300_000);
                case "/slow" -> {
                    slow.release();
                    Thread.sleep(60_000);
                }
                default -> answer(exchange, 404, "there is no " + path);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private static void fill(HttpExchange exchange, long announced, int size) throws IOException {
        exchange.sendResponseHeaders(200, announced);
        try (OutputStream out = exchange.getResponseBody()) {
            byte[] part = "x".repeat(10_000).getBytes(StandardCharsets.US_ASCII);
            for (int i = 0; i < size / part.length; i++) {
                out.write(part);
            }
        }
    }

    @Override
    public void close() {
        plain.stop(0);
        secure.stop(0);
        wrong.stop(0);
    }
}
