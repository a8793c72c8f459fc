package dev.glovebox.egress;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;

/// Finds out which sockets have been broken off, among those that nobody reads from or writes to at the moment: no
/// read or write could tell. One look costs a few microseconds for each socket. Not thread-safe.
///
/// A selector asks the kernel nothing about a socket that is wanted for nothing. Wanted for `OP_CONNECT`, a socket that
/// stands is selected if and only if it "has an error pending", as that operation's documentation says: it was reset,
/// or both of its directions are over. But the kernel is asked by it whether the socket can be written to, which is
/// nearly always so: hence these sockets are not waited for, but looked at once in a while and let go again.
final class ResetWatch implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ResetWatch.class.getName());
    /// A selector asks for at most 1024 at once.
    private static final int BATCH = 256;

    private final Selector selector;

    ResetWatch() {
        try {
            selector = Selector.open();
        } catch (IOException e) {
            throw new UncheckedIOException("no selector for the network of sandboxes", e);
        }
    }

    /// Which of these are broken off.
    ///
    /// @param ends whose sockets are non-blocking; they are left as they were
    List<Splice.End> find(List<Splice.End> ends) {
        List<Splice.End> broken = new ArrayList<>();
        for (int from = 0; from < ends.size(); from += BATCH) {
            try {
                find(ends.subList(from, Math.min(ends.size(), from + BATCH)), broken);
            } catch (IOException e) {
                LOG.log(System.Logger.Level.WARNING, "connections of sandboxes could not be looked at", e);
            }
        }
        return broken;
    }

    private void find(List<Splice.End> batch, List<Splice.End> broken) throws IOException {
        try {
            for (Splice.End end : batch) {
                register(end);
            }
            selector.selectNow(key -> broken.add((Splice.End) key.attachment()));
        } finally {
            selector.keys().forEach(SelectionKey::cancel);
            // Only now are they let go: a socket that a selector has is not really closed when it is closed.
            selector.selectNow();
        }
    }

    private void register(Splice.End end) {
        try {
            end.channel().register(selector, SelectionKey.OP_CONNECT, end);
        } catch (ClosedChannelException _) {
            // Somebody else was faster.
        }
    }

    @Override
    public void close() {
        try {
            selector.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "a selector could not be closed", e);
        }
    }
}
