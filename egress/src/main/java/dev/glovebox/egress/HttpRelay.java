package dev.glovebox.egress;

import dev.glovebox.core.Limits;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Carries the requests of one connection, each checked and written anew, and the answers as they are. The
/// other side is connected to when the first request is found good. One thread runs it, another carries the
/// answers; it is over when both are, or when a guest that was answered does not close.
final class HttpRelay {
    private final Streams guest;
    private final RequestRewriter rewriter;
    private final Host host;
    private final Timers timers;
    private final Connection connection;
    private final CompletableFuture<Boolean> upgrade = new CompletableFuture<>();
    /// Whether the host has answered all that it will, and the guest has been given it.
    private volatile boolean isAnswered;
    /// Reached when nothing of the guest's is passed on any more.
    private final CountDownLatch requestsOver = new CountDownLatch(1);

    /// The side that requests go to.
    interface Host {
        Streams connect() throws IOException;
    }

    /// An open connection.
    interface Streams {
        InputStream in();

        OutputStream out();

        /// Nothing more is written.
        void end() throws IOException;
    }

    /// Both sides together.
    interface Connection {
        /// When something was read from either side, in nanoseconds.
        long lastMove();

        /// Closes both at once.
        ///
        /// @param isReset whether they shall see that it was broken off, instead of a regular end
        void close(boolean isReset);
    }

    HttpRelay(Streams guest, RequestRewriter rewriter, Host host, Timers timers, Connection connection) {
        this.guest = guest;
        this.rewriter = rewriter;
        this.host = host;
        this.timers = timers;
        this.connection = connection;
    }

    /// Returns when all is over.
    ///
    /// @throws HttpRefusal if a request is not passed on: the guest has been told if it was the first
    void run() throws IOException, HttpRefusal {
        HttpFeed feed = new HttpFeed(guest.in());
        Optional<RequestRewriter.Outgoing> first;
        try {
            first = next(feed, true);
        } catch (HttpRefusal refusal) {
            Refusals.overHttp(guest.out(), refusal.rule(), refusal.reason());
            guest.end();
            throw refusal;
        }
        if (first.isEmpty()) {
            return;
        }
        Streams peer = host.connect();
        SideStream toHost = new SideStream(peer.out());
        Thread answers = Thread.ofVirtual()
                .start(() -> carryAnswers(peer, toHost, first.get().isUpgrade()));
        OutputStream out = new BufferedOutputStream(toHost, 16 * 1024);
        try {
            carryAndSkip(feed, first.get(), peer, out);
        } catch (IOException e) {
            if (!isAnswered) {
                throw e;
            }
        } finally {
            requestsOver.countDown();
        }
        join(answers);
    }

    private void carryAndSkip(HttpFeed feed, RequestRewriter.Outgoing first, Streams peer, OutputStream out)
            throws IOException, HttpRefusal {
        try {
            if (carryRequests(feed, first, out)) {
                end(peer);
            }
        } catch (SideStream.Gone _) {
            // It may have answered all the same, as servers do whom a body is too large for.
        }
        // What still comes is for nobody, but it is read: so the guest's end is noticed, and its answer not lost.
        feed.skip();
    }

    private static void end(Streams peer) throws SideStream.Gone {
        try {
            peer.end();
        } catch (IOException e) {
            throw new SideStream.Gone(e);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// Returns whether the guest ended its side.
    private boolean carryRequests(HttpFeed feed, RequestRewriter.Outgoing first, OutputStream out)
            throws IOException, HttpRefusal {
        Optional<RequestRewriter.Outgoing> request = Optional.of(first);
        while (request.isPresent()) {
            out.write(request.get().head());
            out.flush();
            if (request.get().isUpgrade() && upgrade.join()) {
                feed.rest(out);
                return true;
            }
            feed.body(request.get().body(), out);
            if (request.get().isLast()) {
                return false;
            }
            request = next(feed, false);
        }
        return true;
    }

    /// The next request; it may be long in coming, but not once it has begun.
    private Optional<RequestRewriter.Outgoing> next(HttpFeed feed, boolean isFirst) throws IOException, HttpRefusal {
        if (!feed.awaitByte()) {
            return Optional.empty();
        }
        Optional<byte[]> head;
        try (Timers.Timer _ = timers.after(Limits.EGRESS_HANDSHAKE_MAX, () -> connection.close(false))) {
            head = feed.head();
        }
        if (head.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(rewriter.rewrite(HttpHead.parse(head.get(), head.get().length), isFirst));
    }

    private void carryAnswers(Streams peer, SideStream toHost, boolean isUpgrade) {
        boolean isReset = true;
        boolean isGuestThere = true;
        try {
            SideStream toGuest = new SideStream(guest.out());
            HttpFeed feed = new HttpFeed(peer.in());
            if (isUpgrade) {
                carryUpgrade(feed, toGuest);
            }
            feed.rest(toGuest);
            isReset = toHost.wasReset();
            isAnswered = !isReset;
            if (isAnswered) {
                guest.end();
            }
        } catch (SideStream.Gone _) {
            isGuestThere = false;
        } catch (IOException | HttpRefusal _) {
            // The guest sees that the connection is broken off.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } finally {
            upgrade.complete(false);
            if (isGuestThere) {
                linger(isReset);
            }
            // Whatever the guest still sends, nobody answers: its thread must not wait for it.
            connection.close(isReset);
        }
    }

    /// Until it is known what becomes of it.
    private void carryUpgrade(HttpFeed feed, OutputStream toGuest) throws IOException, HttpRefusal {
        boolean isDecided = false;
        while (!isDecided) {
            byte[] head = feed.head().orElseThrow(() -> new IOException("the host ended without an answer"));
            toGuest.write(head);
            toGuest.flush();
            int status = status(head);
            isDecided = status == 101 || status >= 200;
            if (isDecided) {
                upgrade.complete(status == 101);
            }
        }
    }

    /// A socket that is closed while bytes come in, or that is reset, takes with it what the guest has not read yet
    /// (RFC 9112, section 9.6). So the guest has a while to read and to close.
    private void linger(boolean isReset) {
        long nanos = Limits.EGRESS_LINGER_MAX.toNanos();
        if (isReset) {
            nanos -= System.nanoTime() - connection.lastMove();
        }
        try {
            if (isReset && requestsOver.getCount() == 0) {
                // It ended its side before, which does not say that it has read.
                TimeUnit.NANOSECONDS.sleep(nanos);
            } else {
                var _ = requestsOver.await(nanos, TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static int status(byte[] head) throws IOException {
        String line = new String(head, 0, Math.min(head.length, 13), StandardCharsets.ISO_8859_1);
        if (!line.matches("HTTP/1\\.[01] [1-5][0-9][0-9] ?\r?")) {
            throw new IOException("the host does not answer with HTTP/1");
        }
        return Integer.parseInt(line.substring(9, 12));
    }
}
