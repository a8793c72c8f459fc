package dev.glovebox.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.wire.api.Content;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/// Framing of HTTP/1.1 bodies, server-sent events and contents.
final class WireFormatTest {
    private static InputStream bytes(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void readsChunksWithExtensionsAndTrailers() throws IOException {
        InputStream in = bytes("3;x=y\r\nabc\r\n0A\r\n0123456789\r\n0\r\nT: v\r\n\r\nrest");
        FramedInput body = FramedInput.chunked(in);
        assertThat(new String(body.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("abc0123456789");
        assertThat(body.isConsumed()).isTrue();
        assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("rest");
    }

    @Test
    void readsALengthAndNothingMore() throws IOException {
        InputStream in = bytes("abcdef");
        FramedInput body = FramedInput.ofLength(in, 4);
        assertThat(body.readAllBytes()).hasSize(4);
        assertThat(body.isConsumed()).isTrue();
        assertThat(in.available()).isEqualTo(2);
    }

    @Test
    void refusesWhatIsCutOrMisframed() {
        assertThatThrownBy(() -> FramedInput.ofLength(bytes("abc"), 4).readAllBytes())
                .isInstanceOf(EOFException.class);
        for (String broken :
                new String[] {"5\r\nabc", "zz\r\nabc", "3\r\nabcd\r\n0\r\n\r\n", "-1\r\nabc", "3\r\nabc\r\n"}) {
            assertThatThrownBy(() -> FramedInput.chunked(bytes(broken)).readAllBytes())
                    .as(broken)
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void readsEventsAndPassesCommentsOver() throws IOException {
        EventReader events =
                new EventReader(bytes(": hello\n\nevent: a\ndata: 1\n\n: x\n\nevent: b\ndata: 2\n\nevent: c"));
        EventReader.Event first = events.next();
        assertThat(first.name()).isEqualTo("a");
        assertThat(first.data()).asString().isEqualTo("1");
        assertThat(events.next().name()).isEqualTo("b");
        assertThatThrownBy(events::next).isInstanceOf(EOFException.class);
    }

    @Test
    void keepsBytesThatAreNoText() {
        byte[] odd = {(byte) 0xff, 0, 'a'};
        assertThat(Contents.of(odd).text()).isNull();
        assertThat(Contents.bytes(Contents.of(odd))).isEqualTo(odd);
        assertThat(Contents.bytes(Contents.of("é".getBytes(StandardCharsets.UTF_8))))
                .asString()
                .isEqualTo("é");
        assertThatThrownBy(() -> Contents.bytes(new Content("a", "YQ=="))).hasMessageContaining("exactly one");
        assertThatThrownBy(() -> Contents.bytes(new Content(null, null))).hasMessageContaining("exactly one");
        assertThatThrownBy(() -> Contents.bytes(new Content(null, "%%%"))).hasMessageContaining("base64");
    }

    @Test
    void knowsAddresses() {
        assertThat(Endpoint.of(URI.create("http://localhost:7070")).host()).isEqualTo("localhost:7070");
        assertThat(Endpoint.of(URI.create("http://[::1]:1")).host()).isEqualTo("[::1]:1");
        assertThat(Endpoint.of(URI.create("unix:/run/x.sock")).name()).isEqualTo("/run/x.sock");
        assertThatThrownBy(() -> Endpoint.of(URI.create("ftp://x"))).hasMessageContaining("http://host:port");
    }

    @Test
    void letsNoKeyBreakAHeader() {
        assertThatThrownBy(() -> Glovebox.connect(URI.create("http://localhost:1"), "a\r\nX: y"))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
