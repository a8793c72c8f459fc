package dev.glovebox.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.HostName;
import dev.glovebox.core.egress.IpAddress;
import dev.glovebox.core.egress.NetworkLimits;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.egress.TunnelName;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Opcode;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

class DnsAnswererTest {
    private static final IpAddress PUBLIC = IpAddress.parse("140.82.112.5").orElseThrow();
    private static final IpAddress INSIDE = IpAddress.parse("10.0.0.7").orElseThrow();
    private static final TunnelName DATABASE = new TunnelName("orders-db");

    private final Map<String, List<IpAddress>> internet = new HashMap<>(Map.of(
            "api.github.com", List.of(PUBLIC),
            "mixed.pypi.example", List.of(INSIDE, PUBLIC),
            "inside.pypi.example", List.of(INSIDE)));
    private final AtomicInteger lookUps = new AtomicInteger();
    private final AtomicLong now = new AtomicLong();
    private final List<String> log = new ArrayList<>();
    private final SandboxNames names = new SandboxNames(this::resolve, now::get);
    private final NetworkPolicy policy = new NetworkPolicy(
            NetworkPolicy.parse(List.of("api.github.com", "*.pypi.example", "down.example"), List.of("ALL_TRAFFIC"))
                    .allowOut(),
            NetworkPolicy.CLOSED.denyOut(),
            List.of(),
            Set.of(DATABASE),
            Optional.empty(),
            NetworkLimits.DEFAULT);
    private final DnsAnswerer answerer = new DnsAnswerer(
            policy::decideName,
            names,
            (kind, rule, words, name) ->
                    log.add(kind.verb() + " " + rule + name.map(it -> " " + it).orElse("")));

    private NameResolver.Answer resolve(HostName name) throws IOException {
        lookUps.incrementAndGet();
        if (name.value().equals("down.example")) {
            throw new IOException("nobody answers");
        }
        return new NameResolver.Answer(internet.getOrDefault(name.value(), List.of()), 60);
    }

    private static byte[] query(String name, int type) throws IOException {
        return Message.newQuery(Record.newRecord(Name.fromString(name), type, DClass.IN))
                .toWire();
    }

    private Message ask(String name, int type) throws IOException {
        byte[] query = query(name, type);
        Message answer = new Message(answerer.answer(query).orElseThrow());
        assertThat(answer.getHeader().getID())
                .isEqualTo(new Message(query).getHeader().getID());
        assertThat(answer.getHeader().getFlag(Flags.QR)).isTrue();
        assertThat(answer.getSection(Section.AUTHORITY)).isEmpty();
        assertThat(answer.getSection(Section.ADDITIONAL)).isEmpty();
        return answer;
    }

    private static List<String> addresses(Message answer) {
        return answer.getSection(Section.ANSWER).stream()
                .map(record -> ((ARecord) record).getAddress().getHostAddress())
                .toList();
    }

    @Test
    void answersWhatIsOpenAndRemembersIt() throws IOException {
        Message answer = ask("API.github.com.", Type.A);
        assertThat(answer.getRcode()).isEqualTo(Rcode.NOERROR);
        assertThat(addresses(answer)).containsExactly("140.82.112.5");
        assertThat(names.of(PUBLIC)).containsExactly(new HostName("api.github.com"));
        assertThat(log).containsExactly("egress.dns.allow allow_out api.github.com api.github.com");
    }

    @Test
    void whatIsNotOpenDoesNotExistAndIsNotAskedFor() throws IOException {
        assertThat(ask("evil.example.", Type.A).getRcode()).isEqualTo(Rcode.NXDOMAIN);
        assertThat(ask("evil.example.", Type.TXT).getRcode()).isEqualTo(Rcode.NXDOMAIN);
        assertThat(ask("github.com.", Type.A).getRcode()).isEqualTo(Rcode.NXDOMAIN);
        assertThat(lookUps).hasValue(0);
        assertThat(log).contains("egress.dns.deny dns.closed evil.example", "egress.dns.deny dns.closed github.com");
    }

    @Test
    void privateAddressesAreLeftOut() throws IOException {
        assertThat(addresses(ask("mixed.pypi.example.", Type.A))).containsExactly("140.82.112.5");
        assertThat(ask("inside.pypi.example.", Type.A).getRcode()).isEqualTo(Rcode.NXDOMAIN);
        assertThat(names.of(INSIDE)).isEmpty();
        assertThat(log).contains("egress.dns.deny dns.special inside.pypi.example");
    }

    @ParameterizedTest
    @ValueSource(ints = {Type.AAAA, Type.HTTPS, Type.SVCB, Type.TXT, Type.MX, Type.CNAME, Type.NS, Type.ANY, Type.SRV})
    void onlyAddressesAreAnswered(int type) throws IOException {
        Message answer = ask("api.github.com.", type);
        assertThat(answer.getRcode()).isEqualTo(Rcode.NOERROR);
        assertThat(answer.getSection(Section.ANSWER)).isEmpty();
        assertThat(lookUps).hasValue(0);
    }

    @Test
    void wordsInNamesAreBounded() throws IOException {
        assertThat(ask("a".repeat(41) + ".pypi.example.", Type.A).getRcode()).isEqualTo(Rcode.NXDOMAIN);
        assertThat(ask("a.b.c.d.pypi.example.", Type.A).getRcode()).isEqualTo(Rcode.NXDOMAIN);
        assertThat(lookUps).hasValue(0);
    }

    @Test
    void bytesThatNoNameHasAreRefused() throws IOException {
        for (String name : List.of("a\\000b.pypi.example.", "a\\.b.pypi.example.", "\\255.pypi.example.", ".")) {
            assertThat(ask(name, Type.A).getRcode()).as(name).isEqualTo(Rcode.NXDOMAIN);
        }
        assertThat(lookUps).hasValue(0);
    }

    @Test
    void tunnelsHaveAddressesOfTheirOwn() throws IOException {
        assertThat(addresses(ask("orders-db.tunnel.", Type.A))).containsExactly("198.18.0.1");
        assertThat(names.of(IpAddress.parse("198.18.0.1").orElseThrow())).containsExactly(DATABASE.host());
        assertThat(addresses(ask("orders-db.tunnel.", Type.A))).containsExactly("198.18.0.1");
        assertThat(ask("other.tunnel.", Type.A).getRcode()).isEqualTo(Rcode.NXDOMAIN);
        assertThat(lookUps).hasValue(0);
    }

    @Test
    void failuresAreTold() throws IOException {
        assertThat(ask("down.example.", Type.A).getRcode()).isEqualTo(Rcode.SERVFAIL);
        assertThat(ask("none.pypi.example.", Type.A).getRcode()).isEqualTo(Rcode.NXDOMAIN);
    }

    @Test
    void answersHoldForTheirTimeAndOldOnesStayKnown() throws IOException {
        ask("api.github.com.", Type.A);
        IpAddress other = IpAddress.parse("140.82.112.6").orElseThrow();
        internet.put("api.github.com", List.of(other));
        assertThat(addresses(ask("api.github.com.", Type.A))).containsExactly("140.82.112.5");
        assertThat(lookUps).hasValue(1);
        now.addAndGet(61_000_000_000L);
        assertThat(addresses(ask("api.github.com.", Type.A))).containsExactly("140.82.112.6");
        assertThat(names.of(PUBLIC)).isNotEmpty();
        assertThat(names.of(other)).isNotEmpty();
    }

    @Test
    void aNameThatTurnsInwardsIsNotFollowed() throws IOException {
        internet.put("rebind.pypi.example", List.of(PUBLIC));
        assertThat(addresses(ask("rebind.pypi.example.", Type.A))).containsExactly("140.82.112.5");
        internet.put("rebind.pypi.example", List.of(INSIDE));
        now.addAndGet(61_000_000_000L);
        assertThat(ask("rebind.pypi.example.", Type.A).getRcode()).isEqualTo(Rcode.NXDOMAIN);
        assertThat(names.of(INSIDE)).isEmpty();
    }

    @Test
    void memoryIsBounded() throws IOException {
        for (int i = 0; i < Limits.EGRESS_NAMES_MAX + 10; i++) {
            String name = "h" + i + ".pypi.example";
            internet.put(name, List.of(IpAddress.v4(0x08080000 + i)));
            names.lookUp(new HostName(name));
        }
        assertThat(names.of(IpAddress.v4(0x08080000))).isEmpty();
        assertThat(names.of(IpAddress.v4(0x08080000 + Limits.EGRESS_NAMES_MAX))).isNotEmpty();
        HostName rotating = new HostName("rotating.pypi.example");
        for (int i = 0; i < Limits.EGRESS_ADDRESSES_PER_NAME_MAX + 1; i++) {
            internet.put(rotating.value(), List.of(IpAddress.v4(0x09090000 + i)));
            now.addAndGet(61_000_000_000L);
            names.lookUp(rotating);
        }
        assertThat(names.of(IpAddress.v4(0x09090000))).isEmpty();
        assertThat(names.of(IpAddress.v4(0x09090001))).containsExactly(rotating);
    }

    @Test
    void questionsThatAreNoneAreRefused() throws IOException {
        Message update = new Message(query("api.github.com.", Type.A));
        update.getHeader().setOpcode(Opcode.UPDATE);
        assertThat(new Message(answerer.answer(update.toWire()).orElseThrow()).getRcode())
                .isEqualTo(Rcode.NOTIMP);
        Message two = new Message(query("api.github.com.", Type.A));
        two.addRecord(Record.newRecord(Name.fromString("b.pypi.example."), Type.A, DClass.IN), Section.QUESTION);
        assertThat(new Message(answerer.answer(two.toWire()).orElseThrow()).getRcode())
                .isEqualTo(Rcode.NOTIMP);
        byte[] chaos = Message.newQuery(Record.newRecord(Name.fromString("version.bind."), Type.TXT, DClass.CH))
                .toWire();
        assertThat(new Message(answerer.answer(chaos).orElseThrow()).getRcode()).isEqualTo(Rcode.NOTIMP);
        Message answer = new Message(query("api.github.com.", Type.A));
        answer.getHeader().setFlag(Flags.QR);
        assertThat(answerer.answer(answer.toWire())).isEmpty();
        assertThat(answerer.answer(new byte[5000])).isEmpty();
        assertThat(answerer.answer(new byte[3])).isEmpty();
        assertThat(lookUps).hasValue(0);
    }

    @Test
    void questionsAreLimited() throws IOException {
        int failed = 0;
        for (int i = 0; i < 5 * Limits.EGRESS_DNS_PER_SECOND; i++) {
            failed += ask("evil.example.", Type.A).getRcode() == Rcode.SERVFAIL ? 1 : 0;
        }
        assertThat(failed).isPositive();
        assertThat(log).contains("egress.dns.deny limit.dns");
    }

    @Test
    void randomBytesHurtNobody() throws IOException {
        Random random = new Random(6);
        byte[] good = query("api.github.com.", Type.A);
        for (int i = 0; i < 50_000; i++) {
            byte[] bytes = good.clone();
            for (int j = random.nextInt(6); j >= 0; j--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            Optional<byte[]> answer = answerer.answer(bytes);
            if (answer.isPresent()) {
                assertThat(new Message(answer.get()).getHeader().getFlag(Flags.QR))
                        .isTrue();
            }
        }
        assertThat(lookUps.get())
                .as("what was looked up is what the policy opens")
                .isLessThan(50_000);
        assertThat(log).noneMatch(line -> line.startsWith("egress.dns.allow") && line.contains("evil"));
    }

    /// A header with one question, and what stands behind it.
    private static byte[] packet(int flags, int questions, int answers, int additional, int... rest) {
        byte[] bytes = new byte[12 + rest.length];
        bytes[0] = 0x12;
        bytes[1] = 0x34;
        bytes[2] = (byte) (flags >>> 8);
        bytes[3] = (byte) flags;
        bytes[4] = (byte) (questions >>> 8);
        bytes[5] = (byte) questions;
        bytes[6] = (byte) (answers >>> 8);
        bytes[7] = (byte) answers;
        bytes[10] = (byte) (additional >>> 8);
        bytes[11] = (byte) additional;
        for (int i = 0; i < rest.length; i++) {
            bytes[12 + i] = (byte) rest[i];
        }
        return bytes;
    }

    private static int[] labels(int count, int length) {
        int[] bytes = new int[count * (length + 1) + 5];
        for (int i = 0; i < count; i++) {
            bytes[i * (length + 1)] = length;
            java.util.Arrays.fill(bytes, i * (length + 1) + 1, (i + 1) * (length + 1), 'a');
        }
        bytes[bytes.length - 3] = 1;
        bytes[bytes.length - 1] = 1;
        return bytes;
    }

    private static Map<String, byte[]> packets() {
        Map<String, byte[]> all = new java.util.LinkedHashMap<>();
        all.put("a name that points at itself", packet(0x100, 1, 0, 0, 0xc0, 12, 0, 1, 0, 1));
        all.put("a name that points behind itself", packet(0x100, 1, 0, 0, 0xc0, 14, 0, 1, 0, 1));
        all.put("a name that points at the header", packet(0x100, 1, 0, 0, 0xc0, 0, 0, 1, 0, 1));
        all.put("a name that points nowhere", packet(0x100, 1, 0, 0, 0xff, 0xff, 0, 1, 0, 1));
        all.put("a name that points back and forth", packet(0x100, 1, 0, 0, 1, 'a', 0xc0, 16, 0xc0, 12, 0, 1, 0, 1));
        all.put("half a pointer", packet(0x100, 1, 0, 0, 0xc0));
        all.put("a label of another kind", packet(0x100, 1, 0, 0, 0x41, 'a', 0, 0, 1, 0, 1));
        all.put("a name without an end", packet(0x100, 1, 0, 0, 1, 'a'));
        all.put("a label that is longer than the packet", packet(0x100, 1, 0, 0, 63, 'a'));
        all.put("no type", packet(0x100, 1, 0, 0, 1, 'a', 0));
        all.put("no class", packet(0x100, 1, 0, 0, 1, 'a', 0, 0, 1));
        all.put("only a header", packet(0x100, 0, 0, 0));
        all.put("half a header", new byte[11]);
        all.put("nothing", new byte[0]);
        all.put("questions that are not there", packet(0x100, 65_535, 0, 0, 1, 'a', 0, 0, 1, 0, 1));
        all.put("answers that are not there", packet(0x100, 1, 65_535, 0, 1, 'a', 0, 0, 1, 0, 1));
        all.put("additions that are not there", packet(0x100, 1, 0, 65_535, 1, 'a', 0, 0, 1, 0, 1));
        all.put("a name of 256 bytes", packet(0x100, 1, 0, 0, labels(4, 63)));
        all.put("a name of 1000 bytes", packet(0x100, 1, 0, 0, labels(20, 49)));
        all.put("a name of 128 labels", packet(0x100, 1, 0, 0, labels(128, 1)));
        for (int opcode = 1; opcode < 16; opcode++) {
            all.put("opcode " + opcode, packet(0x100 | opcode << 11, 1, 0, 0, 1, 'a', 0, 0, 1, 0, 1));
        }
        for (int dclass : new int[] {0, 2, 3, 4, 254, 255, 0x80, 256, 65_535}) {
            all.put("class " + dclass, packet(0x100, 1, 0, 0, 1, 'a', 0, 0, 1, dclass >>> 8, dclass));
        }
        return all;
    }

    @Test
    void packetsThatAreNoQuestionsAskNobody() throws IOException {
        for (Map.Entry<String, byte[]> packet : packets().entrySet()) {
            Optional<byte[]> answer = answerer.answer(packet.getValue());
            if (answer.isPresent()) {
                Message read = new Message(answer.get());
                assertThat(read.getHeader().getID()).as(packet.getKey()).isEqualTo(0x1234);
                assertThat(read.getSection(Section.ANSWER)).as(packet.getKey()).isEmpty();
                assertThat(read.getRcode()).as(packet.getKey()).isNotEqualTo(Rcode.NOERROR);
            }
        }
        assertThat(lookUps).hasValue(0);
        assertThat(log).noneMatch(line -> line.startsWith("egress.dns.allow"));
    }

    @Test
    void everyTypeIsAnsweredWithoutARecord() throws IOException {
        for (int type : new int[] {
            0, 2, 3, 10, 12, 13, 24, 25, 29, 41, 43, 46, 128, 249, 250, 251, 252, 253, 254, 257, 32_768, 65_280, 65_535
        }) {
            byte[] bytes = query("api.github.com.", Type.TXT);
            bytes[bytes.length - 4] = (byte) (type >>> 8);
            bytes[bytes.length - 3] = (byte) type;
            Message answer = new Message(answerer.answer(bytes).orElseThrow());
            assertThat(answer.getSection(Section.ANSWER)).as("type " + type).isEmpty();
            assertThat(answer.getSection(Section.ADDITIONAL)).as("type " + type).isEmpty();
        }
        assertThat(lookUps).hasValue(0);
    }

    @Test
    void nothingOfAQuestionComesBackButTheQuestion() throws IOException {
        Message asked = new Message(query("API.github.com.", Type.A));
        asked.addRecord(
                new ARecord(
                        Name.fromString("api.github.com."), DClass.IN, 9, java.net.InetAddress.getLoopbackAddress()),
                Section.ANSWER);
        asked.addRecord(new org.xbill.DNS.OPTRecord(4096, 0, 0), Section.ADDITIONAL);
        Message answer = new Message(answerer.answer(asked.toWire()).orElseThrow());
        assertThat(addresses(answer)).containsExactly("140.82.112.5");
        assertThat(answer.getSection(Section.ADDITIONAL)).isEmpty();
        assertThat(answer.getQuestion().getName()).hasToString("API.github.com.");
    }

    /// A client that did not say that it reads more reads 512 bytes (RFC 1035, section 4.2.1).
    @Test
    void answersFitIntoWhatEveryClientReads() throws IOException {
        String longest = "a".repeat(40) + "." + "b".repeat(40) + "." + "c".repeat(40) + ".pypi.example";
        for (String name : List.of("api.github.com", longest)) {
            List<IpAddress> many = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                many.add(IpAddress.v4(0x08080000 + i));
            }
            internet.put(name, many);
            byte[] answer = answerer.answer(query(name + ".", Type.A)).orElseThrow();
            assertThat(answer.length).isLessThanOrEqualTo(512);
            assertThat(addresses(new Message(answer))).hasSizeGreaterThan(10).startsWith("8.8.0.0", "8.8.0.1");
            assertThat(names.of(IpAddress.v4(0x08080000 + 60)))
                    .as("the others count as its too")
                    .isNotEmpty();
        }
    }
}
