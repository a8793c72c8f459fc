package dev.glovebox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Language;
import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.SandboxHandle;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// With `fetch`.
class IsolateNetworkIT extends CellsNetworkScenarios {
    @Override
    Tier tier() {
        return Tier.ISOLATE;
    }

    @Override
    Language language() {
        return Language.JAVASCRIPT;
    }

    @Override
    String ask(String method, String url, String body, String... headers) {
        String pairs = Stream.of(headers)
                .map(header -> header.split(": ", 2))
                .map(pair -> "'" + pair[0] + "': '" + pair[1] + "'")
                .collect(Collectors.joining(", "));
        return """
                (async () => {
                    const response = await fetch("%s", { method: "%s", headers: { %s }%s });
                    console.log(response.status, await response.text());
                })().catch((error) => console.log("refused:", error.message));
                """.formatted(url, method, pairs, body.isEmpty() ? "" : ", body: `" + body + "`");
    }

    @Override
    String hang(String url) {
        return """
                console.log("ready");
                fetch("%s").catch(() => console.log("over"));
                """.formatted(url);
    }

    @Override
    String count(String url) {
        return """
                const response = await fetch("%s");
                let total = 0, found = 0;
                for await (const part of response.body) {
                    total += part.length;
                    for (const byte of part) if (byte === 120) found++;
                }
                console.log(total, found);
                """.formatted(url);
    }

    @Test
    void requestsRunSideBySideWithTimers() {
        try (SandboxHandle sandbox = create(grant())) {
            assertThat(run(sandbox, """
                    const slow = new AbortController();
                    const given = fetch("%s", { signal: slow.signal }).catch((error) => console.log(error.name));
                    const many = await Promise.all(Array.from({ length: 20 }, async (_, i) =>
                        (await (await fetch("%s?" + i)).text()).split(' ')[1]));
                    console.log(many.length, many[7]);
                    setTimeout(() => { console.log("timer"); slow.abort(); }, 50);
                    await given;
                    try {
                        await fetch("%s", { signal: AbortSignal.timeout(100) });
                    } catch (error) {
                        console.log(error.name);
                    }
                    """.formatted(plain("/slow"), plain("/hello"), plain("/slow"))))
                    .isEqualTo("20 /hello?7\ntimer\nAbortError\nTimeoutError\n");
        }
    }

    @Test
    void answersHaveWhatAResponseHas() {
        try (SandboxHandle sandbox = create(grant())) {
            assertThat(run(sandbox, """
                    const r = await fetch(new Request("%s", { headers: new Headers([["X-One", "q"]]) }));
                    console.log(r.ok, r.status, r.statusText, r.redirected, r.url === "%s", r.headers.get("content-length"));
                    console.log([...r.headers].length > 0, new TextDecoder().decode(await r.bytes()), r.bodyUsed);
                    await r.text().catch((error) => console.log(error.name));
                    const m = await fetch("%s", { redirect: "manual" });
                    console.log(m.status, m.headers.get("location"));
                    console.log(await Response.json({ a: 1 }).json());
                    """.formatted(
                                    plain("/redirect?/hello"), plain("/hello"), plain("/redirect?/hello"))))
                    .isEqualTo("true 200 OK true true 14\ntrue GET /hello q 0 true\nTypeError\n302 /hello\n{ a: 1 }\n");
        }
    }

    @Test
    void headersCannotBeSmuggled() {
        try (SandboxHandle sandbox = create(grant())) {
            assertThat(run(sandbox, """
                    const url = "%s";
                    const attempt = (init) => fetch(url, init).then(async (r) => console.log(await r.text()),
                        (error) => console.log(error.name));
                    await attempt({ headers: { A: "b\\r\\nX-One: two" } });
                    await attempt({ headers: { "A: b\\r\\nX-One": "two" } });
                    await attempt({ method: "GET / HTTP/1.1\\r\\nX-One: two\\r\\nA:" });
                    await attempt({ method: "CONNECT" });
                    await attempt({ method: "POST", body: "abc", headers: { "Content-Length": "1", "Transfer-Encoding": "chunked",
                        Host: "elsewhere", Connection: "keep-alive, X-One" } });
                    """.formatted(plain("/hello"))))
                    .isEqualTo("TypeError\nTypeError\nTypeError\nTypeError\nPOST /hello - 3\n");
        }
    }

    @Test
    void answersThatNobodyReadDoNotPileUp() {
        try (SandboxHandle sandbox = create(grant())) {
            assertThat(run(sandbox, """
                    let ok = 0;
                    for (let i = 0; i < 80; i++) ok += (await fetch("%s")).ok ? 1 : 0;
                    console.log(ok);
                    """.formatted(plain("/big")))).isEqualTo("80\n");
        }
    }

    @Test
    void manyPlannedAtOnceAreRefusedInWords() {
        try (SandboxHandle sandbox = create(grant())) {
            assertThat(run(sandbox, """
                    const all = await Promise.allSettled(Array.from({ length: 40 }, () =>
                        fetch("%s", { signal: AbortSignal.timeout(500) })));
                    console.log(all.filter((one) => one.reason.name === "TypeError").length, all[39].reason.message);
                    """.formatted(plain("/slow"))))
                    .startsWith("8 fetch failed: 32 requests are under way");
        }
    }
}
