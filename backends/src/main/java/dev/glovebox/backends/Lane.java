package dev.glovebox.backends;

import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.ProtocolException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// One direction of [Lanes], for one transfer at a time; closing it gives its memory back and lets the next one in, as
/// soon as the agent has closed the channel of the transfer: one that was given up still reads and writes here until it
/// hears of it. What the agent writes there it may change at any time. Not thread-safe.
final class Lane implements AutoCloseable {
    /// As much at once, so that both ends have something to do.
    static final int PART_BYTES = Protocol.LANE_BYTES / 4;

    private final ByteBuffer memory;
    private final Runnable given;
    private @Nullable AgentChannel user;

    /// @param given is run when it is closed
    Lane(ByteBuffer memory, Runnable given) {
        this.memory = memory;
        this.given = given;
    }

    /// Where bytes lie in a lane; what a SHARED frame says.
    record Place(int position, int length) {
        static final int BYTES = 2 * Integer.BYTES;

        Place {
            if (position < 0 || length < 1 || length > Protocol.LANE_BYTES || position > Protocol.LANE_BYTES - length) {
                throw new ProtocolException(Integer.toUnsignedString(length) + " bytes at "
                        + Integer.toUnsignedString(position) + " do not lie in a lane");
            }
        }

        static Place decode(ByteBuffer bytes) {
            return new Place(bytes.getInt(), bytes.getInt());
        }

        byte[] encode() {
            return ByteBuffer.allocate(BYTES).putInt(position).putInt(length).array();
        }

        /// Where the next bytes lie.
        int end() {
            return (position + length) % Protocol.LANE_BYTES;
        }
    }

    /// Says which channel it is for, before the agent hears of it there.
    void usedBy(AgentChannel channel) {
        user = channel;
    }

    ByteBuffer at(Place place) {
        return memory.slice(place.position(), place.length());
    }

    @Override
    public void close() {
        if (user == null) {
            given.run();
        } else {
            user.whenClosed(given);
        }
    }
}
