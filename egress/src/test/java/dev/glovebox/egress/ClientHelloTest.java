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

    @Test
    void readsTheNameCutAtEveryByte() {
        byte[] real = real("api.github.com");
        byte[] message = Arrays.copyOfRange(real, 5, real.length);
        for (int at = 1; at < message.length; at++) {
            ClientHello pieces = new ClientHello();
            assertThat(pieces.feed(real, at)).as("at " + at).isEmpty();
            byte[] rest = Arrays.copyOfRange(real, at, real.length);
            assertThat(pieces.feed(rest, rest.length)).as("at " + at).contains(API);
            ByteArrayOutputStream two = new ByteArrayOutputStream();
            two.writeBytes(records(Arrays.copyOf(message, at), at));
            two.writeBytes(records(Arrays.copyOfRange(message, at, message.length), message.length));
            assertThat(feed(two.toByteArray(), 64)).as("records at " + at).contains(API);
        }
    }

    /// A server that takes another record for a part of the handshake would read another hello.
    @Test
    void nothingStandsBetweenTheRecords() {
        byte[] real = real("api.github.com");
        byte[] message = Arrays.copyOfRange(real, 5, real.length);
        byte[] half = Arrays.copyOf(message, 60);
        byte[] rest = Arrays.copyOfRange(message, 60, message.length);
        for (byte[] between : List.of(
                new byte[] {21, 3, 3, 0, 2, 1, 0},
                new byte[] {20, 3, 3, 0, 1, 1},
                new byte[] {23, 3, 3, 0, 1, 0},
                new byte[] {24, 3, 3, 0, 1, 0},
                new byte[] {22, 3, 3, 0, 0},
                new byte[] {22, 2, 0, 0, 1, 0})) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            all.writeBytes(records(half, half.length));
            all.writeBytes(between);
            all.writeBytes(records(rest, rest.length));
            assertThat(feed(all.toByteArray(), 64))
                    .as("type " + between[0])
                    .contains(new Handshake.Unreadable("its ClientHello is not in records of a TLS handshake"));
        }
    }

    @Test
    void whatFollowsIsKeptAndNotRead() {
        byte[] one = made(sni("api.github.com"));
        byte[] other = made(sni("evil.example"));
        ByteArrayOutputStream sameRecord = new ByteArrayOutputStream();
        sameRecord.write(one, 5, one.length - 5);
        sameRecord.write(other, 5, other.length - 5);
        for (byte[] more :
                List.of(other, new byte[] {0, 1, 2}, "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII))) {
            byte[] all = Arrays.copyOf(one, one.length + more.length);
            System.arraycopy(more, 0, all, one.length, more.length);
            AskedName asked = new AskedName(443);
            assertThat(asked.feed(all, all.length)).contains(API);
            assertThat(asked.bytes()).isEqualTo(all);
        }
        assertThat(feed(records(sameRecord.toByteArray(), sameRecord.size()), 64))
                .contains(API);
    }

    @Test
    void paddingIsReadUpToTheBound() {
        assertThat(feed(made(sni("api.github.com"), new Extension(21, new byte[12 * 1024])), 999))
                .contains(API);
        assertThat(feed(made(new Extension(21, new byte[12 * 1024]), sni("api.github.com")), 999))
                .contains(API);
        assertThat(feed(made(sni("api.github.com"), new Extension(21, new byte[16 * 1024 - 100])), 999))
                .contains(API);
        assertThat(feed(made(sni("api.github.com"), new Extension(21, new byte[16 * 1024])), 999))
                .get()
                .isInstanceOf(Handshake.Unreadable.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ".",
                "..",
                "api.github.com..",
                ".api.github.com",
                "[::1]",
                "::1",
                "fe80::1%eth0",
                "1.2.3.4.",
                "127.1",
                "0x7f.1",
                "2130706433",
                "017700000001",
                "api.github.com\n",
                "api.github.com ",
                "\tapi.github.com",
                "api.github.com/",
                "api@github.com",
                "api%2egithub.com",
                "api\\.github.com",
                "\u00ef\u00bd\u0081pi.github.com",
                "-api.github.com"
            })
    void oddNamesAreNone(String name) {
        assertThat(feed(made(sni(name)), 64))
                .contains(new Handshake.Unreadable("the name in its TLS handshake is no host name"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"XN--BCHER-KVA.Example", "xn--bcher-kva.example.", "Xn--bcher-Kva.EXAMPLE."})
    void otherAlphabetsComeAsTheirALabels(String name) {
        assertThat(feed(made(sni(name)), 64))
                .contains(new Handshake.Tls(Optional.of(new HostName("xn--bcher-kva.example")), false));
    }

    /// Lists of names whose lengths lie, and names of other kinds.
    @Test
    void listsOfNamesAreReadStrictly() {
        for (byte[] content : List.of(
                new byte[] {},
                new byte[] {0},
                new byte[] {0, 0},
                new byte[] {0, 4, 0, 0, 1, 'a', 'b'},
                new byte[] {0, 5, 0, 0, 1, 'a'},
                new byte[] {0, 4, 1, 0, 1, 'a'},
                new byte[] {0, 3, 0, 0, 0},
                new byte[] {0, 4, 0, 0, 2, 'a'},
                new byte[] {0, 5, 0, 0, 1, 'a', 'b'},
                new byte[] {0, 8, 1, 0, 1, 'a', 0, 0, 1, 'b'},
                new byte[] {0, 8, 0, 0, 1, 'a', 1, 0, 1, 'b'})) {
            assertThat(feed(made(new Extension(0, content)), 64))
                    .as(Arrays.toString(content))
                    .get()
                    .isInstanceOf(Handshake.Unreadable.class);
        }
    }

    @Test
    void aHelloWithoutAnythingIsNone() {
        for (int length = 0; length < 40; length++) {
            byte[] message = new byte[4 + length];
            message[0] = 1;
            message[3] = (byte) length;
            assertThat(feed(records(message, message.length), 64))
                    .as("" + length)
                    .get()
                    .satisfies(found -> assertThat(found.shownName()).isEmpty());
        }
    }
}
