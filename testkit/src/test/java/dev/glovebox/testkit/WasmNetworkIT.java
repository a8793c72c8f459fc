package dev.glovebox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.ContextId;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.SandboxHandle;
import dev.glovebox.core.egress.NetworkGrant;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// With `urllib.request` and `http.client`.
class WasmNetworkIT extends CellsNetworkScenarios {
    @Override
    Tier tier() {
        return Tier.WASM;
    }

    @Override
    Language language() {
        return Language.PYTHON;
    }

    @Override
    String ask(String method, String url, String body, String... headers) {
        String pairs = Stream.of(headers)
                .map(header -> header.split(": ", 2))
                .map(pair -> "'" + pair[0] + "': '" + pair[1] + "'")
                .collect(Collectors.joining(", "));
        String data = body.isEmpty() ? "None" : "'''" + body + "'''.encode()";
        return """
                import urllib.error, urllib.request
                request = urllib.request.Request("%s", data=%s, headers={%s}, method="%s")
                try:
                    with urllib.request.urlopen(request, timeout=20) as answer:
                        print(answer.status, answer.read().decode())
                except urllib.error.HTTPError as error:
                    print(error.code, error.read().decode())
                except OSError as error:
                    print("refused:", error)
                """.formatted(url, data, pairs, method);
    }

    @Override
    String hang(String url) {
        return """
                import urllib.request
                print("ready", flush=True)
                try:
                    urllib.request.urlopen("%s").read()
                except Exception:
                    print("over")
                """.formatted(url);
    }

    @Override
    String count(String url) {
        return """
                import urllib.request
                total = found = 0
                with urllib.request.urlopen("%s") as answer:
                    while part := answer.read(50000):
                        total += len(part)
                        found += part.count(b"x")
                print(total, found)
                """.formatted(url);
    }

    @Test
    void httpClientWorks() {
        try (SandboxHandle sandbox = create(grant())) {
            String host = secure("").substring("https://".length());
            assertThat(run(sandbox, """
                    import http.client
                    connection = http.client.HTTPSConnection("%s", timeout=20)
                    for path in ("/hello?1", "/hello?2"):
                        connection.request("PUT", path, body=b"abc", headers={"X-One": "x"})
                        answer = connection.getresponse()
                        print(answer.status, answer.read().decode(), answer.getheader("Content-Length"))
                    connection.close()
                    """.formatted(host)))
                    .isEqualTo("200 PUT /hello?1 x 3 16\n200 PUT /hello?2 x 3 16\n");
        }
    }

    @Test
    void headersCannotBeSmuggled() {
        try (SandboxHandle sandbox = create(grant())) {
            assertThat(run(sandbox, """
                    import urllib.request
                    try:
                        urllib.request.urlopen(urllib.request.Request("%s", headers={"A": "b\\r\\nX-One: two"}))
                    except ValueError as error:
                        print(type(error).__name__)
                    """.formatted(plain("/hello")))).isEqualTo("ValueError\n");
        }
    }

    @Test
    void aTimeoutIsHeeded() {
        try (SandboxHandle sandbox = create(grant())) {
            assertThat(run(sandbox, """
                    import urllib.request
                    try:
                        urllib.request.urlopen("%s", timeout=0.3)
                    except TimeoutError as error:
                        print("TimeoutError", error)
                    """.formatted(plain("/slow")))).isEqualTo("TimeoutError timed out\n");
        }
    }

    @Test
    void anInterruptEndsTheWaitAndTheContextLives() {
        try (SandboxHandle sandbox = create(NetworkGrant.CLOSED)) {
            ContextId context = new ContextId("c1");
            sandbox.openContext(context, Language.PYTHON, GuestPath.HOME);
            sandbox.replaceNetwork(grant());
            Recording recording = new Recording();
            var running = BackendBench.beside(() -> sandbox.execute(
                    context,
                    "kept = 1\nimport urllib.request\nurllib.request.urlopen('" + plain("/slow") + "')",
                    Map.of(),
                    ResourceLimits.DEFAULT,
                    recording));
            awaitSlow();
            sandbox.interrupt(context);
            assertThat(BackendBench.await(running).error().orElseThrow().name()).isEqualTo("KeyboardInterrupt");
            Recording next = new Recording();
            var result = sandbox.execute(
                    context,
                    "print(kept, urllib.request.urlopen('" + plain("/hello") + "').read().decode())",
                    Map.of(),
                    ResourceLimits.DEFAULT,
                    next);
            assertThat(next.stdout()).isEqualTo("1 GET /hello - 0\n");
            assertThat(result.outcome()).isEqualTo(new Outcome.Exited(0));
        }
    }
}
