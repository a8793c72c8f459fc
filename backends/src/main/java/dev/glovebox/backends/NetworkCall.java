package dev.glovebox.backends;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import dev.glovebox.core.PortPeer;
import dev.glovebox.core.egress.DialedNetwork;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.ProtocolException;
import dev.glovebox.wire.agent.RequestKind;
import dev.glovebox.wire.agent.Tag;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/// Follows a NETWORK request: takes one wish for a connection after the other, and has each carried by a thread of its
/// own. What a cell sends here may come from whoever escaped into it: a wish has a number, a host and a port, and
/// everything else about it is settled by the network of this sandbox. One use.
final class NetworkCall {
    private static final System.Logger LOG = System.getLogger(NetworkCall.class.getName());
    private static final Duration FOREVER = Duration.ofDays(36_500);
    /// A wish: a name has at most 253 characters.
    private static final int RECORD_BYTES_MAX = 1024;

    private static final int PORT_MAX = 65_535;

    private final AgentChannel channel;
    private final AgentConnection connection;
    private final AgentRequests requests;
    private final DialedNetwork network;
    private final Semaphore places;
    private final RecordReader records = new RecordReader(RECORD_BYTES_MAX);

    /// @param places for connections at once; a wish beyond waits, and with it the cell that has no credit left
    NetworkCall(
            AgentChannel channel,
            AgentConnection connection,
            AgentRequests requests,
            DialedNetwork network,
            Semaphore places) {
        this.channel = channel;
        this.connection = connection;
        this.requests = requests;
        this.network = network;
        this.places = places;
    }

    /// Returns when the channel is given up, or the sandbox ends.
    void run() {
        try (channel) {
            Optional<Frame> next = channel.take(FOREVER);
            while (next.isPresent() && next.get().type() == FrameType.DATA) {
                take(next.get());
                next = channel.take(FOREVER);
            }
            if (next.isPresent()) {
                Outcomes.check(Fields.decode(next.get().payload()));
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (ProtocolException broken) {
            throw requests.condemned(broken);
        } catch (GloveboxException over) {
            if (over.code() != ErrorCode.BACKEND_LOST) {
                LOG.log(System.Logger.Level.WARNING, "a cell does not take a sandbox''s network: {0}", over.code());
            }
        }
    }

    private void take(Frame frame) throws InterruptedException {
        if (frame.stream() != Protocol.RECORDS) {
            throw new ProtocolException("a network has no stream " + frame.stream());
        }
        java.util.List<Fields> wishes = new java.util.ArrayList<>();
        records.read(frame.payload(), wishes::add);
        for (Fields wish : wishes) {
            begin(wish);
        }
        channel.consumed(frame.stream(), frame.payload().length);
    }

    private void begin(Fields wish) throws InterruptedException {
        long number = wish.requiredNumber(Tag.CONNECTION);
        String host = wish.requiredText(Tag.HOST);
        long port = wish.requiredNumber(Tag.PORT);
        if (host.isEmpty() || host.length() > Limits.HOST_CHARS_MAX || port < 1 || port > PORT_MAX) {
            throw new ProtocolException("a connection is asked for with a host and a port");
        }
        places.acquire();
        Thread.ofVirtual().name("dial-" + number).start(() -> {
            try {
                new Dialed(number).carry(host, (int) port);
            } finally {
                places.release();
            }
        });
    }

    /// One connection from the wish to its end.
    private final class Dialed implements DialedNetwork.Refusals {
        private final long number;
        private Optional<AgentChannel> open = Optional.empty();
        private Optional<Fields> unsaid = Optional.empty();

        Dialed(long number) {
            this.number = number;
        }

        void carry(String host, int port) {
            Optional<PortPeer> peer = network.dial(host, port, this);
            try {
                Fields.Builder fields = Fields.builder().number(Tag.CONNECTION, number);
                if (peer.isEmpty()) {
                    Fields why = unsaid();
                    fields.text(Tag.RULE, why.text(Tag.RULE).orElse(""));
                    fields.text(Tag.REASON, why.text(Tag.REASON).orElse(""));
                }
                requests.exchange(RequestKind.OUTBOUND, fields.build(), opened -> {
                    if (peer.isEmpty()) {
                        return AgentRequests.awaitClose(
                                opened, requests.patience().request());
                    }
                    standsOn(opened);
                    new PortCall(opened, port, peer.get(), requests.patience().request()).await();
                    return Fields.builder().build();
                });
            } catch (GloveboxException _) {
                // The guest gave it up, or is gone; what breaks the protocol is condemned by now.
            } finally {
                peer.ifPresent(PortPeer::close);
            }
        }

        private synchronized Fields unsaid() {
            return unsaid.orElseGet(() -> Fields.builder().build());
        }

        private synchronized void standsOn(AgentChannel opened) {
            open = Optional.of(opened);
            unsaid.ifPresent(opened::control);
        }

        @Override
        public synchronized void refused(String rule, String words) {
            Fields why = Fields.builder()
                    .text(Tag.RULE, rule)
                    .text(Tag.REASON, words)
                    .build();
            if (open.isEmpty()) {
                unsaid = Optional.of(why);
            } else if (!connection.isLost()) {
                tell(open.get(), why);
            }
        }

        private static void tell(AgentChannel on, Fields why) {
            try {
                on.control(why);
            } catch (GloveboxException _) {
                // Nobody is left to be told.
            }
        }
    }
}
