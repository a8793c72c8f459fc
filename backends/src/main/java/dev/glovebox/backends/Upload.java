package dev.glovebox.backends;

import dev.glovebox.core.ByteSource;
import dev.glovebox.wire.agent.Protocol;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/// Brings the content of a file to the agent: a short one in frames, the rest of a long one through the lane.
///
/// To be closed when the agent has answered: until then it may be reading. Not thread-safe.
final class Upload implements AutoCloseable {
    /// Most files are shorter, and the lane's memory need not be there for them.
    private static final int SENT_BYTES = 256 * 1024;

    private final AgentChannel channel;
    private final ByteSource content;
    private final Duration patience;
    private Optional<Lane> lane = Optional.empty();

    /// @param patience how long the agent may take nothing
    Upload(AgentChannel channel, ByteSource content, Duration patience) {
        this.channel = channel;
        this.content = content;
        this.patience = patience;
    }

    /// Whether the agent took all of it; it has closed the channel if not.
    boolean run(Supplier<Optional<Lanes>> lanes) throws InterruptedException {
        Sent sent = send(SENT_BYTES);
        if (sent != Sent.PART) {
            return sent == Sent.ALL;
        }
        lane = lanes.get().flatMap(Lanes::takeIn);
        return lane.isPresent() ? share(lane.get()) : send(Long.MAX_VALUE) == Sent.ALL;
    }

    @Override
    public void close() {
        lane.ifPresent(Lane::close);
    }

    private enum Sent {
        ALL,
        PART,
        REFUSED
    }

    private Sent send(long bytes) throws InterruptedException {
        long sent = 0;
        while (sent < bytes) {
            FrameBuffer frame = FrameBuffer.take();
            if (content.read(frame.payload()) < 0) {
                frame.release();
                return Sent.ALL;
            }
            sent += frame.length();
            if (!channel.give(Protocol.CONTENT, frame, patience)) {
                return Sent.REFUSED;
            }
        }
        return Sent.PART;
    }

    private boolean share(Lane taken) throws InterruptedException {
        int position = 0;
        taken.usedBy(channel);
        while (true) {
            int most = Math.min(Lane.PART_BYTES, Protocol.LANE_BYTES - position);
            int granted = channel.takeCredit(Protocol.CONTENT, most, patience);
            if (granted == 0) {
                return false;
            }
            ByteBuffer room = taken.at(new Lane.Place(position, granted));
            int count = content.read(room);
            if (count < granted) {
                channel.returnCredit(Protocol.CONTENT, granted - Math.max(0, count));
            }
            if (count < 0) {
                return true;
            }
            Lane.Place filled = new Lane.Place(position, count);
            channel.share(Protocol.CONTENT, filled);
            position = filled.end();
        }
    }
}
