package dev.glovebox.egress;

import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.HostName;
import dev.glovebox.core.egress.IpAddress;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/// Asks the name servers that the host uses: over UDP from a new port with a random number each time, over TCP
/// where the answer does not fit. Every question goes out anew, so that no tenant learns what another asked.
/// Thread-safe.
public final class DnsClient implements NameResolver {
    private static final int DNS_PORT = 53;
    private static final int MESSAGE_BYTES_MAX = 4096;
    private static final int ROUNDS = 2;
    private static final int CHAIN_MAX = 8;
    private static final Path CONFIGURATION = Path.of("/etc/resolv.conf");

    private final List<InetSocketAddress> servers;
    private final Duration wait;

    /// With the servers to ask, in this order.
    public DnsClient(List<InetSocketAddress> servers) {
        this.servers = List.copyOf(servers);
        wait = Limits.EGRESS_DNS_WAIT_MAX;
    }

    /// With those of `/etc/resolv.conf`; with none there, the one on this machine.
    public static DnsClient ofHost() throws IOException {
        List<InetSocketAddress> servers = new ArrayList<>();
        if (Files.isReadable(CONFIGURATION)) {
            for (String line : Files.readAllLines(CONFIGURATION)) {
                String[] words = line.strip().split("\\s+", -1);
                if (words.length >= 2 && words[0].equals("nameserver")) {
                    IpAddress.parse(words[1]).ifPresent(address -> servers.add(Sockets.address(address, DNS_PORT)));
                }
            }
        }
        if (servers.isEmpty()) {
            servers.add(Sockets.address(IpAddress.v4(0x7f_00_00_01), DNS_PORT));
        }
        return new DnsClient(servers);
    }

    @Override
    public Answer resolve(HostName name) throws IOException {
        Record question = Record.newRecord(Name.fromString(name.value() + "."), Type.A, DClass.IN);
        IOException failure = new IOException("there is no name server to ask");
        for (int round = 0; round < ROUNDS; round++) {
            for (InetSocketAddress server : servers) {
                try {
                    Message query = Message.newQuery(question);
                    Message answer = overUdp(server, query);
                    if (answer.getHeader().getFlag(Flags.TC)) {
                        answer = overTcp(server, query);
                    }
                    int rcode = answer.getRcode();
                    if (rcode == Rcode.NOERROR || rcode == Rcode.NXDOMAIN) {
                        return read(answer, question.getName());
                    }
                    failure = new IOException("the name server answers " + Rcode.string(rcode));
                } catch (SocketTimeoutException e) {
                    failure = new IOException("the name server does not answer", e);
                } catch (IOException e) {
                    failure = e;
                }
            }
        }
        throw failure;
    }

    private Message overUdp(InetSocketAddress server, Message query) throws IOException {
        byte[] bytes = query.toWire();
        long end = System.nanoTime() + wait.toNanos();
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(server);
            socket.send(new DatagramPacket(bytes, bytes.length));
            DatagramPacket packet = new DatagramPacket(new byte[MESSAGE_BYTES_MAX], MESSAGE_BYTES_MAX);
            while (true) {
                long left = (end - System.nanoTime()) / 1_000_000;
                if (left <= 0) {
                    throw new SocketTimeoutException("no answer in " + wait.toMillis() + " ms");
                }
                socket.setSoTimeout((int) left);
                socket.receive(packet);
                byte[] received = Arrays.copyOf(packet.getData(), packet.getLength());
                // Something else may come to this port: it is passed over, and the answer waited for.
                if (isFor(query, received)) {
                    return new Message(received);
                }
            }
        }
    }

    private static boolean isFor(Message query, byte[] received) {
        try {
            Message answer = new Message(received);
            return answer.getHeader().getID() == query.getHeader().getID()
                    && answer.getHeader().getFlag(Flags.QR)
                    && query.getQuestion().equals(answer.getQuestion());
        } catch (IOException _) {
            return false;
        }
    }

    private Message overTcp(InetSocketAddress server, Message query) throws IOException {
        byte[] bytes = query.toWire();
        try (Socket socket = new Socket()) {
            socket.connect(server, (int) wait.toMillis());
            socket.setSoTimeout((int) wait.toMillis());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            byte[] framed = new byte[bytes.length + 2];
            framed[0] = (byte) (bytes.length >>> Byte.SIZE);
            framed[1] = (byte) bytes.length;
            System.arraycopy(bytes, 0, framed, 2, bytes.length);
            out.write(framed);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] received = in.readNBytes(in.readUnsignedShort());
            if (!isFor(query, received)) {
                throw new IOException("the name server answers another question");
            }
            return new Message(received);
        }
    }

    /// The addresses at the end of the chain of other names that begins with the one asked for; what else the
    /// server adds is not believed.
    private static Answer read(Message answer, Name asked) {
        List<Record> records = answer.getSection(Section.ANSWER);
        List<IpAddress> addresses = new ArrayList<>();
        long ttl = Limits.EGRESS_DNS_TTL_MAX.toSeconds();
        Name name = asked;
        for (int i = 0; i < CHAIN_MAX && addresses.isEmpty(); i++) {
            Name next = name;
            for (Record record : records) {
                if (!record.getName().equals(name) || record.getDClass() != DClass.IN) {
                    continue;
                }
                if (record instanceof ARecord a) {
                    addresses.add(IpAddress.of(a.getAddress().getAddress()));
                    ttl = Math.min(ttl, record.getTTL());
                } else if (record instanceof CNAMERecord other) {
                    next = other.getTarget();
                    ttl = Math.min(ttl, record.getTTL());
                }
            }
            if (next.equals(name)) {
                break;
            }
            name = next;
        }
        return new Answer(addresses, ttl);
    }
}
