package dev.glovebox.egress;

import dev.glovebox.core.Limits;
import dev.glovebox.egress.SandboxMeter.Way;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Two sockets whose bytes go over to each other. Each direction ends for itself; what breaks one side breaks
/// the other. After [#start] it belongs to its loop's thread.
final class Splice {
    /// A connection is left for the others after so many pieces, though it has more.
    private static final int PIECES_PER_TURN = 8;
    /// What is read of a guest that already has the server hold much: small enough to keep for every
    /// connection.
    private static final int SMALL_BYTES = 4 * 1024;

    private final SpliceLoop loop;
    private final SandboxMeter meter;
    private final Ended ended;
    private final long bytesMax;
    private final long idleNanosMax;
    private final End guest;
    private final End peer;
    private final Flow out;
    private final Flow in;
    private long lastMove = System.nanoTime();
    private boolean isBroken;
    private long brokenSince;
    private boolean isOver;

    /// Told once, by the loop's thread.
    interface Ended {
        void ended(String rule, String words, long sent, long received);
    }

    /// What one connection may use.
    ///
    /// @param bytes both directions together; 0 is no bound
    record Bounds(long bytes, Duration idle) {}

    Splice(SpliceLoop loop, SandboxMeter meter, SocketChannel guest, SocketChannel peer, Bounds bounds, Ended ended) {
        this.loop = loop;
        this.meter = meter;
        this.ended = ended;
        bytesMax = bounds.bytes();
        idleNanosMax = bounds.idle().toNanos();
        this.guest = new End(guest);
        this.peer = new End(peer);
        out = new Flow(Way.OUT, this.guest, this.peer);
        in = new Flow(Way.IN, this.peer, this.guest);
        this.guest.read = out;
        this.guest.written = in;
        this.peer.read = in;
        this.peer.written = out;
    }

    /// From any thread; once.
    ///
    /// @param first what was read from the guest already
    /// @param firstGone run once, when these bytes need no memory any more
    void start(byte[] first, Runnable firstGone) {
        out.gone = firstGone;
        loop.execute(() -> {
            loop.add(this);
            try {
                guest.key = loop.register(guest.channel, guest);
                peer.key = loop.register(peer.channel, peer);
                guest.channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                peer.channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                out.begin(first);
            } catch (IOException | RuntimeException _) {
                end("broken", "", true);
            }
        });
    }

    /// Ends it; from any thread.
    void cut(String rule, String words) {
        loop.execute(() -> end(rule, words, true));
    }

    void endIfIdle(long now) {
        if (now - lastMove > idleNanosMax) {
            end(
                    "limit.idle",
                    "no byte was moved for " + Duration.ofNanos(idleNanosMax).toSeconds() + " s",
                    true);
        }
    }

    /// Adds the sockets that could break without being noticed.
    void addUnwatched(List<End> to) {
        guest.addUnwatched(to);
        peer.addUnwatched(to);
    }

    /// One of the two was found to be broken off, and this again each second. The other side has a while to take what
    /// came before; whoever reads all of it comes upon the break by itself.
    private void broken() {
        long now = System.nanoTime();
        if (!isBroken) {
            isBroken = true;
            brokenSince = now;
        } else if (now - brokenSince >= Limits.EGRESS_LINGER_MAX.toNanos()) {
            end("broken", "", true);
        }
    }

    void end(String rule, String words, boolean isReset) {
        if (isOver) {
            return;
        }
        isOver = true;
        loop.remove(this);
        guest.close(isReset);
        peer.close(isReset);
        out.release();
        in.release();
        ended.ended(rule, words, out.moved, in.moved);
    }

    private void update() {
        if (!isOver) {
            guest.update();
            peer.update();
        }
    }

    /// One of the two sockets.
    final class End {
        private final SocketChannel channel;
        private @Nullable SelectionKey key;
        private @Nullable Flow read;
        private @Nullable Flow written;

        private End(SocketChannel channel) {
            this.channel = channel;
        }

        void ready() {
            SelectionKey selected = key;
            if (isOver || selected == null || !selected.isValid()) {
                return;
            }
            int ready = selected.readyOps();
            if ((ready & SelectionKey.OP_WRITE) != 0 && written != null) {
                written.pump();
            }
            if ((ready & SelectionKey.OP_READ) != 0 && read != null) {
                read.pump();
            }
            Splice.this.update();
        }

        private void update() {
            SelectionKey selected = key;
            Flow reading = read;
            Flow writing = written;
            if (selected == null || reading == null || writing == null || !selected.isValid()) {
                return;
            }
            int wanted = (reading.wantsRead() ? SelectionKey.OP_READ : 0)
                    | (writing.held != null ? SelectionKey.OP_WRITE : 0);
            if (selected.interestOps() != wanted) {
                selected.interestOps(wanted);
            }
        }

        /// If nothing is wanted of it now, no read or write tells that it broke. With its output ended, "broken" could
        /// as well mean that it has ended regularly, with bytes left to read: then it is not asked.
        private void addUnwatched(List<End> to) {
            SelectionKey selected = key;
            if (selected != null
                    && selected.isValid()
                    && selected.interestOps() == 0
                    && written != null
                    && !written.isEnded) {
                to.add(this);
            }
        }

        SocketChannel channel() {
            return channel;
        }

        /// It was found to be broken off.
        void broken() {
            if (!isOver) {
                Splice.this.broken();
            }
        }

        void fail() {
            end("broken", "", true);
        }

        private void close(boolean isReset) {
            Sockets.close(channel, isReset);
        }
    }

    /// One direction.
    private final class Flow {
        private final Way way;
        private final End from;
        private final End to;
        private @Nullable ByteBuffer held;
        private boolean isHeldLarge;
        private @Nullable Runnable gone;
        private boolean isPaused;
        private boolean isEnded;
        private long moved;

        private Flow(Way way, End from, End to) {
            this.way = way;
            this.from = from;
            this.to = to;
        }

        private boolean wantsRead() {
            return held == null && !isPaused && !isEnded;
        }

        private void begin(byte[] first) {
            if (first.length > 0) {
                held = ByteBuffer.wrap(first);
                count(first.length);
            } else {
                release();
            }
            pump();
            update();
        }

        private void pump() {
            try {
                for (int i = 0; i < PIECES_PER_TURN && !isOver; i++) {
                    if ((held != null && !drain()) || isPaused || isEnded || !move()) {
                        return;
                    }
                }
            } catch (IOException _) {
                end("broken", "", true);
            }
        }

        /// Writes what is held; false if some is left.
        private boolean drain() throws IOException {
            ByteBuffer buffer = held;
            if (buffer != null) {
                if (to.channel.write(buffer) > 0) {
                    lastMove = System.nanoTime();
                }
                if (buffer.hasRemaining()) {
                    return false;
                }
                release();
            }
            return true;
        }

        /// One piece from here to there; false if there is no more for now.
        private boolean move() throws IOException {
            boolean isLarge = meter.mayHold();
            int wanted = isLarge ? SpliceLoop.BUFFER_BYTES : SMALL_BYTES;
            int allowed = (int) meter.allow(way, wanted);
            if (allowed == 0) {
                pause();
                return false;
            }
            ByteBuffer buffer = loop.scratch().limit(allowed);
            int read = from.channel.read(buffer);
            meter.giveBack(way, allowed - Math.max(0, read));
            if (read < 0) {
                isEnded = true;
                to.channel.shutdownOutput();
                if (out.isEnded && in.isEnded) {
                    end("closed", "", false);
                }
                return false;
            }
            if (read == 0) {
                return false;
            }
            count(read);
            if (isOver) {
                return false;
            }
            to.channel.write(buffer.flip());
            if (buffer.hasRemaining()) {
                hold(buffer, isLarge);
                return false;
            }
            return read == allowed;
        }

        private void count(int bytes) {
            moved += bytes;
            meter.moved(way, bytes);
            lastMove = System.nanoTime();
            if (meter.isUsedUp()) {
                end("limit.bytes", "the sandbox has used up the bytes that its policy gives it", true);
            } else if (bytesMax != 0 && out.moved + in.moved > bytesMax) {
                end("limit.tunnel_bytes", "the connection has used up the bytes that the tunnel gives it", true);
            }
        }

        private void hold(ByteBuffer rest, boolean isLarge) {
            ByteBuffer kept = isLarge ? loop.takeBuffer() : ByteBuffer.allocate(rest.remaining());
            if (isLarge) {
                meter.holds(SpliceLoop.BUFFER_BYTES);
            }
            isHeldLarge = isLarge;
            held = kept.put(rest).flip();
        }

        private void release() {
            ByteBuffer kept = held;
            held = null;
            if (kept != null && isHeldLarge) {
                meter.holds(-SpliceLoop.BUFFER_BYTES);
                loop.giveBuffer(kept);
            }
            isHeldLarge = false;
            Runnable told = gone;
            gone = null;
            if (told != null) {
                told.run();
            }
        }

        private void pause() {
            isPaused = true;
            loop.schedule(Math.max(meter.nanosUntilAllowed(way), 1_000_000), () -> {
                isPaused = false;
                if (!isOver) {
                    pump();
                    update();
                }
            });
        }
    }
}
