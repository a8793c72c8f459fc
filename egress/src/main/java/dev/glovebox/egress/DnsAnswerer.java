package dev.glovebox.egress;

import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.EgressDecision;
import dev.glovebox.core.egress.EgressEvent;
import dev.glovebox.core.egress.HostName;
import dev.glovebox.core.egress.IpAddress;
import dev.glovebox.core.egress.TunnelName;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Header;
import org.xbill.DNS.Message;
import org.xbill.DNS.Opcode;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/// Answers a sandbox's DNS queries: with IPv4 addresses of names that its policy opens, and with nothing else.
/// What is not open does not exist, at once, so that programs do not wait. Answers hold nothing of the servers'
/// but addresses: no texts, no other names, no keys for encrypted handshakes. Thread-safe; blocks while a name
/// is looked up.
final class DnsAnswerer {
    /// The largest query that a resolver's library sends; RFC 6891 allows more, and nobody asks longer.
    private static final int QUERY_BYTES_MAX = 1232;

    /// What every client reads (RFC 1035, section 4.2.1): of a name's many addresses the first ones do.
    private static final int ANSWER_BYTES_MAX = 512;
    /// Header, type and class of the question.
    private static final int QUESTION_BYTES = 12 + 4;
    /// An address as a record, whose name is a pointer to the question's.
    private static final int ADDRESS_BYTES = 2 + 10 + 4;

    private static final int BURSTS = 4;
    private static final String TOO_MANY = "more than " + Limits.EGRESS_DNS_PER_SECOND + " look-ups a second";

    private final Function<HostName, EgressDecision.Settled> policy;
    private final SandboxNames names;
    private final Log log;
    private final TokenBucket rate =
            new TokenBucket(Limits.EGRESS_DNS_PER_SECOND, BURSTS * Limits.EGRESS_DNS_PER_SECOND, System::nanoTime);

    /// Where queries are recorded.
    interface Log {
        void record(EgressEvent.Kind kind, String rule, String words, Optional<HostName> name);
    }

    DnsAnswerer(Function<HostName, EgressDecision.Settled> policy, SandboxNames names, Log log) {
        this.policy = policy;
        this.names = names;
        this.log = log;
    }

    /// The answer to a query; empty if it deserves none.
    Optional<byte[]> answer(byte[] query) {
        if (query.length > QUERY_BYTES_MAX) {
            deny("dns.malformed", "a query of " + query.length + " bytes is longer than " + QUERY_BYTES_MAX);
            return Optional.empty();
        }
        Message asked;
        try {
            asked = new Message(query);
        } catch (IOException | RuntimeException _) {
            deny("dns.malformed", "a query cannot be read");
            return Optional.empty();
        }
        if (asked.getHeader().getFlag(Flags.QR)) {
            return Optional.empty();
        }
        return Optional.of(answer(asked).toWire());
    }

    private Message answer(Message asked) {
        Record question = asked.getQuestion();
        if (asked.getHeader().getOpcode() != Opcode.QUERY
                || asked.getSection(Section.QUESTION).size() != 1
                || question == null
                || question.getDClass() != DClass.IN) {
            deny("dns.malformed", "a query is not one question about the internet");
            return reply(asked, Rcode.NOTIMP);
        }
        if (!rate.tryTake()) {
            deny("limit.dns", TOO_MANY);
            return reply(asked, Rcode.SERVFAIL);
        }
        Optional<HostName> name = nameOf(question);
        if (name.isEmpty()) {
            deny("dns.malformed", "a query is not for a host name");
            return reply(asked, Rcode.NXDOMAIN);
        }
        return answer(asked, question, name.get());
    }

    private Message answer(Message asked, Record question, HostName name) {
        EgressDecision.Settled decision = policy.apply(name);
        if (decision instanceof EgressDecision.Deny deny) {
            log.record(EgressEvent.Kind.NAME_DENIED, deny.rule(), deny.reason(), Optional.of(name));
            return reply(asked, Rcode.NXDOMAIN);
        }
        int type = question.getType();
        if (type != Type.A) {
            return withoutAddress(asked, name, decision.rule(), type);
        }
        try {
            return switch (lookUp(name, decision.rule())) {
                case Found(List<IpAddress> addresses, long ttlSeconds) -> reply(asked, question, addresses, ttlSeconds);
                case Nothing(int rcode, String _, String _) -> reply(asked, rcode);
            };
        } catch (IOException e) {
            throw new IllegalStateException("an address has 4 bytes", e);
        }
    }

    /// What a sandbox gets to know of a name.
    sealed interface Answer {}

    /// @param addresses at least one
    record Found(List<IpAddress> addresses, long ttlSeconds) implements Answer {}

    /// @param rcode what a query is answered with
    /// @param rule what decided; empty if there is just nothing
    record Nothing(int rcode, String rule, String words) implements Answer {}

    /// The same for a sandbox that does not speak DNS.
    Answer find(HostName name) {
        if (!rate.tryTake()) {
            deny("limit.dns", TOO_MANY);
            return new Nothing(Rcode.SERVFAIL, "limit.dns", TOO_MANY);
        }
        EgressDecision.Settled decision = policy.apply(name);
        if (decision instanceof EgressDecision.Deny deny) {
            log.record(EgressEvent.Kind.NAME_DENIED, deny.rule(), deny.reason(), Optional.of(name));
            return new Nothing(Rcode.NXDOMAIN, deny.rule(), deny.reason());
        }
        return lookUp(name, decision.rule());
    }

    private Answer lookUp(HostName name, String rule) {
        TunnelName tunnel = TunnelName.of(name).orElse(null);
        if (tunnel != null) {
            log.record(EgressEvent.Kind.NAME_ALLOWED, rule, "", Optional.of(name));
            return new Found(List.of(names.tunnel(tunnel)), 1);
        }
        try {
            SandboxNames.LookedUp found = names.lookUp(name);
            if (found.addresses().isEmpty() && found.withheld() > 0) {
                String words = "all addresses of " + name + " are private, local or the like";
                log.record(EgressEvent.Kind.NAME_DENIED, "dns.special", words, Optional.of(name));
                return new Nothing(Rcode.NXDOMAIN, "dns.special", words);
            }
            String words = found.addresses().isEmpty() ? "there is no such name" : "";
            log.record(EgressEvent.Kind.NAME_ALLOWED, rule, words, Optional.of(name));
            return found.addresses().isEmpty()
                    ? new Nothing(Rcode.NXDOMAIN, "", words + ": " + name)
                    : new Found(found.addresses(), found.ttlSeconds());
        } catch (IOException e) {
            log.record(EgressEvent.Kind.NAME_ALLOWED, rule, "the name servers fail", Optional.of(name));
            return new Nothing(Rcode.SERVFAIL, "", "the name servers fail: " + name);
        }
    }

    /// The name is there, but not what is asked about it. IPv6 addresses and service bindings are asked for
    /// beside every IPv4 address; all else would be a message to or from the name's servers.
    private Message withoutAddress(Message asked, HostName name, String rule, int type) {
        if (type == Type.AAAA || type == Type.HTTPS || type == Type.SVCB) {
            log.record(
                    EgressEvent.Kind.NAME_ALLOWED,
                    rule,
                    Type.string(type) + ": IPv4 addresses only",
                    Optional.of(name));
        } else {
            log.record(
                    EgressEvent.Kind.NAME_DENIED,
                    "dns.type",
                    "only addresses are answered, not " + HostName.printable(Type.string(type)),
                    Optional.of(name));
        }
        return reply(asked, Rcode.NOERROR);
    }

    private static Optional<HostName> nameOf(Record question) {
        String text = question.getName().toString();
        // A backslash begins dnsjava's way to show a byte that no host name has.
        return text.indexOf('\\') >= 0 ? Optional.empty() : HostName.parse(text);
    }

    private void deny(String rule, String words) {
        log.record(EgressEvent.Kind.NAME_DENIED, rule, words, Optional.empty());
    }

    private static Message reply(Message asked, int rcode) {
        Header header = new Header(asked.getHeader().getID());
        header.setOpcode(asked.getHeader().getOpcode());
        header.setFlag(Flags.QR);
        header.setFlag(Flags.RA);
        if (asked.getHeader().getFlag(Flags.RD)) {
            header.setFlag(Flags.RD);
        }
        header.setRcode(rcode);
        Message reply = new Message();
        reply.setHeader(header);
        Record question = asked.getQuestion();
        if (question != null) {
            reply.addRecord(question, Section.QUESTION);
        }
        return reply;
    }

    private static Message reply(Message asked, Record question, List<IpAddress> addresses, long ttl)
            throws IOException {
        Message reply = reply(asked, Rcode.NOERROR);
        int fit = (ANSWER_BYTES_MAX - QUESTION_BYTES - question.getName().length()) / ADDRESS_BYTES;
        for (IpAddress address : addresses.subList(0, Math.min(fit, addresses.size()))) {
            reply.addRecord(
                    new ARecord(question.getName(), DClass.IN, ttl, InetAddress.getByAddress(address.bytes())),
                    Section.ANSWER);
        }
        return reply;
    }
}
