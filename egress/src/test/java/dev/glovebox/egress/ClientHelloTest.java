package dev.glovebox.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.Handshake;
import dev.glovebox.core.egress.HostName;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientHelloTest {
    private static final Handshake API = new Handshake.Tls(Optional.of(new HostName("api.github.com")), false);

    /// What the JDK sends.
    static byte[] real(String name) {
        try {
            SSLEngine engine = SSLContext.getDefault().createSSLEngine(name, 443);
            engine.setUseClientMode(true);
            SSLParameters parameters = engine.getSSLParameters();
            parameters.setServerNames(List.of(new SNIHostName(name)));
            engine.setSSLParameters(parameters);
            ByteBuffer out = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
            engine.wrap(ByteBuffer.allocate(0), out);
            return Arrays.copyOf(out.array(), out.position());
        } catch (NoSuchAlgorithmException | SSLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] serverName(byte[] name) {
        ByteBuffer content = ByteBuffer.allocate(name.length + 5);
        content.putShort((short) (name.length + 3))
                .put((byte) 0)
                .putShort((short) name.length)
                .put(name);
        return content.array();
    }

    private record Extension(int type, byte[] content) {}

    private static Extension sni(String name) {
        return new Extension(0, serverName(name.getBytes(StandardCharsets.ISO_8859_1)));
    }

    /// A message made by hand, in one record.
    private static byte[] made(Extension... extensions) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (Extension extension : extensions) {
            all.writeBytes(ByteBuffer.allocate(4)
                    .putShort((short) extension.type)
                    .putShort((short) extension.content.length)
                    .array());
            all.writeBytes(extension.content);
        }
        ByteBuffer hello = ByteBuffer.allocate(4 + 34 + 1 + 4 + 2 + 2 + all.size());
        hello.put((byte) 1).put((byte) 0).putShort((short) (hello.capacity() - 4));
        hello.put(new byte[34]).put((byte) 0);
        hello.putShort((short) 2).putShort((short) 0x1301).put((byte) 1).put((byte) 0);
        hello.putShort((short) all.size()).put(all.toByteArray());
        return records(hello.array(), hello.capacity());
    }

    private static byte[] records(byte[] message, int size) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int at = 0; at < message.length; at += size) {
            int length = Math.min(size, message.length - at);
            out.writeBytes(new byte[] {22, 3, 1, (byte) (length >>> 8), (byte) length});
            out.write(message, at, length);
        }
        return out.toByteArray();
    }

    private static Optional<Handshake> feed(byte[] bytes, int piece) {
        ClientHello reader = new ClientHello();
        Optional<Handshake> found = Optional.empty();
        for (int at = 0; at < bytes.length && found.isEmpty(); at += piece) {
            byte[] part = Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + piece));
            found = reader.feed(part, part.length);
        }
        return found;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 100, 100_000})
    void readsTheNameHoweverItIsCut(int piece) {
        byte[] real = real("api.github.com");
        assertThat(feed(real, piece)).contains(API);
        byte[] message = Arrays.copyOfRange(real, 5, real.length);
        for (int size : new int[] {1, 3, 50, 16_384}) {
            assertThat(feed(records(message, size), piece)).contains(API);
        }
    }

    @Test
    void namesAreNormalised() {
        assertThat(feed(made(sni("API.GitHub.COM.")), 64)).contains(API);
    }

    @Test
    void waitsForMore() {
        byte[] real = real("api.github.com");
        assertThat(feed(Arrays.copyOf(real, real.length - 1), 64)).isEmpty();
        assertThat(feed(new byte[0], 1)).isEmpty();
    }

    @Test
    void saysWhenThereIsNoName() {
        assertThat(feed(made(), 64)).contains(new Handshake.Tls(Optional.empty(), false));
        assertThat(feed(made(new Extension(10, new byte[2])), 64)).contains(new Handshake.Tls(Optional.empty(), false));
    }

    @Test
    void seesEncryptedParts() {
        for (int type : new int[] {0xfe0d, 0xffce}) {
            assertThat(feed(made(sni("api.github.com"), new Extension(type, new byte[8])), 64))
                    .contains(new Handshake.Tls(Optional.of(new HostName("api.github.com")), true));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "1.2.3.4", "a b", "b\u00fccher.example", "a.com\u0000.b.com", "*.a.com", "a..b", "a.com:443"
            })
    void namesThatAreNoneAreRefused(String name) {
        assertThat(feed(made(sni(name)), 64))
                .contains(new Handshake.Unreadable("the name in its TLS handshake is no host name"));
    }

    @Test
    void aNameOfManyBytesIsNone() {
        assertThat(feed(made(sni("a".repeat(9_000))), 512)).get().isInstanceOf(Handshake.Unreadable.class);
    }

    @Test
    void twoNamesAreRefused() {
        assertThat(feed(made(sni("api.github.com"), sni("evil.example")), 64))
                .contains(new Handshake.Unreadable("its ClientHello is malformed"));
        ByteBuffer two = ByteBuffer.allocate(2 + 3 + 1 + 3 + 1);
        two.putShort((short) 8).put((byte) 0).putShort((short) 1).put((byte) 'a');
        two.put((byte) 0).putShort((short) 1).put((byte) 'b');
        assertThat(feed(made(new Extension(0, two.array())), 64)).get().isInstanceOf(Handshake.Unreadable.class);
    }

    @Test
    void lengthsThatLieAreRefused() {
        byte[] good = made(sni("api.github.com"));
        for (int at = 5; at < good.length; at++) {
            byte[] bad = good.clone();
            bad[at] = (byte) 0xff;
            assertThat(feed(bad, 64))
                    .as("byte " + at)
                    .satisfies(found -> assertThat(found.isEmpty()
                                    || found.get() instanceof Handshake.Unreadable
                                    || found.get() instanceof Handshake.Tls)
                            .isTrue());
        }
    }

    @Test
    void otherRecordsAndMessagesAreRefused() {
        byte[] good = made(sni("api.github.com"));
        for (int at : new int[] {0, 1, 5}) {
            byte[] bad = good.clone();
            bad[at] = 99;
            assertThat(feed(bad, 64)).get().isInstanceOf(Handshake.Unreadable.class);
        }
        assertThat(feed(new byte[] {22, 3, 1, 0, 0}, 5)).get().isInstanceOf(Handshake.Unreadable.class);
        assertThat(feed(new byte[] {22, 3, 1, (byte) 0xff, (byte) 0xff}, 5))
                .get()
                .isInstanceOf(Handshake.Unreadable.class);
    }

    @Test
    void thereIsAnEnd() {
        byte[] message = new byte[60_000];
        message[0] = 1;
        message[1] = 0;
        message[2] = (byte) 0xff;
        message[3] = (byte) 0xff;
        for (int size : new int[] {1, 16_384}) {
            assertThat(feed(records(message, size), 1000))
                    .contains(new Handshake.Unreadable(
                            "its ClientHello is longer than " + Limits.EGRESS_CLIENT_HELLO_BYTES_MAX + " bytes"));
        }
    }

    @Test
    void randomBytesHurtNobody() {
        Random random = new Random(4);
        byte[] good = real("api.github.com");
        for (int i = 0; i < 50_000; i++) {
            byte[] bytes;
            if (i % 2 == 0) {
                bytes = new byte[random.nextInt(200)];
                random.nextBytes(bytes);
                if (bytes.length > 6) {
                    bytes[0] = 22;
                    bytes[1] = 3;
                    bytes[5] = 1;
                }
            } else {
                bytes = Arrays.copyOf(good, random.nextInt(good.length) + 1);
                for (int j = random.nextInt(8); j > 0; j--) {
                    bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
                }
            }
            int piece = 1 + random.nextInt(100);
            Optional<Handshake> whole = feed(bytes, 1_000_000);
            assertThat(feed(bytes, piece)).isEqualTo(whole);
            whole.flatMap(Handshake::shownName)
                    .ifPresent(name -> assertThat(HostName.parse(name.value())).contains(name));
        }
    }
}
