package dev.glovebox.cell.isolate;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.glovebox.cell.net.SocketNetwork;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Outcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// `fetch` in an isolate alone. What it reaches is decided elsewhere.
class IsolateFetchIT {
    private HttpServer server;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.createContext("/echo", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.createContext("/never", exchange -> {
            try {
                Thread.sleep(60_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void with(java.util.function.Consumer<TestIsolates> test) {
        TestIsolates.with(isolate -> {
            isolate.interpreter.join(new SocketNetwork(server.getAddress().getPort()));
            test.accept(isolate);
        });
    }

    @Test
    void bodiesGoThereAndBack() {
        with(isolate -> {
            Outcome outcome = isolate.run("main.mjs", """
                    for (const length of [0, 1, 65536, 65537, 1000000]) {
                        const body = new Uint8Array(length).fill(7);
                        const answer = await (await fetch("http://x.example/echo", { method: "POST", body })).bytes();
                        console.log(answer.length === length && answer.every((byte) => byte === 7));
                    }
                    console.log(await (await fetch("http://x.example/echo", { method: "PUT", body: '{"a":[1]}' })).json());
                    """);
            assertThat(isolate.err()).isEmpty();
            assertThat(isolate.out()).isEqualTo("true\n".repeat(5) + "{ a: [ 1 ] }\n");
            assertThat(outcome).isEqualTo(new Outcome.Exited(0));
        });
    }

    @Test
    void refusalsAreTypeErrorsWithTheRule() {
        with(isolate -> {
            isolate.run("main.js", """
                    const say = (error) => console.log(error.constructor === TypeError, error.message);
                    fetch("http://closed.example/").catch(say)
                        .then(() => fetch("file:///etc/passwd")).catch(say)
                        .then(() => fetch("http://a:b@x.example/")).catch(say)
                        .then(() => fetch("http://x.example/", { method: "GET", body: "x" })).catch(say);
                    """);
            assertThat(isolate.out().lines())
                    .hasSize(4)
                    .allMatch(line -> line.startsWith("true "))
                    .anyMatch(line -> line.contains("closed.example is not open (rule dns.closed)"));
        });
    }

    @Test
    void aCellThatWaitsCanBeInterruptedAndTheNextOneFetches() {
        with(isolate -> {
            isolate.interpreter.openContext("main", GuestPath.HOME);
            Outcome interrupted = isolate.watched(
                    Duration.ofMillis(300),
                    isolate.interpreter::interrupt,
                    () -> isolate.execute("await fetch('http://x.example/never')"));
            assertThat(interrupted).isEqualTo(new Outcome.Exited(1));
            assertThat(isolate.errors.getFirst().name()).isEqualTo("Interrupted");
            isolate.execute("(await fetch('http://x.example/echo', { method: 'POST', body: 'ab' })).text()");
            assertThat(isolate.result()).isEqualTo("'ab'");
        });
    }

    @Test
    void whoWaitsIsEndedAtItsLimit() {
        with(isolate -> {
            isolate.interpreter.openContext("main", GuestPath.HOME);
            Outcome outcome = isolate.executeWithin(Duration.ofMillis(300), "await fetch('http://x.example/never')");
            assertThat(outcome).isInstanceOf(Outcome.TimedOut.class);
        });
    }
}
