package dev.glovebox.cell.isolate;

import dev.glovebox.cell.net.ConnectionFailed;
import dev.glovebox.cell.net.GuestNetwork;
import dev.glovebox.cell.net.HttpExchange;
import dev.glovebox.cell.net.HttpHead;
import dev.glovebox.cell.net.HttpRequest;
import dev.glovebox.core.Limits;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The requests that `fetch` has under way in one isolate. Each step of one blocks a thread of its own and
/// ends with one event, which the isolate's thread takes between two tasks; so a request holds one piece of a
/// body at a time, and the server is read no faster than the guest asks. Thread-safe.
final class Fetches {
    /// How a step ended.
    ///
    /// @param word `ok`, `head`, `piece`, `end` or `error`
    record Event(int id, String word, String text) {}

    private interface Step {
        Event run() throws IOException;
    }

    private static final class Fetch {
        final HttpExchange exchange;
        boolean isBusy;
        boolean isAnswered;
        byte[] piece = {};

        Fetch(HttpExchange exchange) {
            this.exchange = exchange;
        }
    }

    private final Runnable onEvent;
    private final Map<Integer, Fetch> open = new LinkedHashMap<>();
    private final ArrayDeque<Event> events = new ArrayDeque<>();
    private GuestNetwork network = GuestNetwork.CLOSED;
    private int lastId;

    /// @param onEvent called by other threads when there is an event to take
    Fetches(Runnable onEvent) {
        this.onEvent = onEvent;
    }

    synchronized void join(GuestNetwork joined) {
        network = joined;
    }

    synchronized boolean isOpen() {
        return network.isOpen();
    }

    /// Begins a request: connects, and sends its head. Event `ok`.
    int begin(HttpRequest request) throws ConnectionFailed {
        int id;
        GuestNetwork through;
        synchronized (this) {
            through = network;
            if (open.size() >= Limits.FETCHES_MAX && !dropOldest()) {
                throw new ConnectionFailed(
                        "", Limits.FETCHES_MAX + " requests are under way, which is the bound: await one");
            }
            id = ++lastId;
        }
        Fetch fetch;
        try {
            fetch = new Fetch(new HttpExchange(through, request));
        } catch (ConnectionFailed refused) {
            throw refused;
        } catch (IOException failure) {
            throw new ConnectionFailed("", String.valueOf(failure.getMessage()));
        }
        synchronized (this) {
            open.put(id, fetch);
        }
        step(id, fetch, () -> {
            fetch.exchange.begin();
            return new Event(id, "ok", "");
        });
        return id;
    }

    /// Makes room: an answer whose body nobody reads at the moment is given up.
    private boolean dropOldest() {
        Iterator<Fetch> all = open.values().iterator();
        while (all.hasNext()) {
            Fetch fetch = all.next();
            if (fetch.isAnswered && !fetch.isBusy) {
                all.remove();
                fetch.exchange.close();
                return true;
            }
        }
        return false;
    }

    /// Sends a part of the request's body. Event `ok`.
    void write(int id, byte[] bytes) throws ConnectionFailed {
        Fetch fetch = find(id);
        step(id, fetch, () -> {
            fetch.exchange.write(bytes);
            return new Event(id, "ok", "");
        });
    }

    /// Waits for the head of the answer. Event `head`: status, reason, and names and values, with NUL between.
    void head(int id) throws ConnectionFailed {
        Fetch fetch = find(id);
        step(id, fetch, () -> {
            HttpHead head = fetch.exchange.head();
            StringBuilder text = new StringBuilder();
            text.append(head.status()).append('\0').append(head.reason().replace('\0', ' '));
            for (HttpRequest.Header header : head.headers()) {
                text.append('\0')
                        .append(header.name())
                        .append('\0')
                        .append(header.value().replace('\0', ' '));
            }
            synchronized (this) {
                fetch.isAnswered = true;
            }
            return new Event(id, "head", text.toString());
        });
    }

    /// Reads a part of the answer's body. Event `piece`, or `end`; then the request is over.
    void read(int id) throws ConnectionFailed {
        Fetch fetch = find(id);
        step(id, fetch, () -> {
            byte[] bytes = new byte[HostCalls.TRANSFER_BYTES];
            int count = fetch.exchange.read(bytes);
            if (count < 0) {
                close(id);
                return new Event(id, "end", "");
            }
            synchronized (this) {
                fetch.piece = java.util.Arrays.copyOf(bytes, count);
            }
            return new Event(id, "piece", "");
        });
    }

    /// The part that a `piece` is about.
    synchronized byte[] take(int id) {
        Fetch fetch = open.get(id);
        if (fetch == null) {
            return new byte[0];
        }
        byte[] piece = fetch.piece;
        fetch.piece = new byte[0];
        return piece;
    }

    private synchronized Fetch find(int id) throws ConnectionFailed {
        Fetch fetch = open.get(id);
        if (fetch == null || fetch.isBusy) {
            throw new ConnectionFailed("", "the request was given up");
        }
        return fetch;
    }

    private void step(int id, Fetch fetch, Step step) {
        synchronized (this) {
            fetch.isBusy = true;
        }
        Thread.ofVirtual().name("fetch").start(() -> {
            Event event;
            try {
                event = step.run();
            } catch (ConnectionFailed refused) {
                close(id);
                event = new Event(id, "error", refused.sentence());
            } catch (IOException | RuntimeException failure) {
                close(id);
                event = new Event(id, "error", String.valueOf(failure.getMessage()));
            }
            synchronized (this) {
                fetch.isBusy = false;
                events.add(event);
            }
            onEvent.run();
        });
    }

    /// What happened next, if anything did.
    synchronized @Nullable Event takeEvent() {
        return events.poll();
    }

    /// Whether an event waits to be taken.
    synchronized boolean hasEvent() {
        return !events.isEmpty();
    }

    /// Gives a request up; a step under way ends with an error.
    void close(int id) {
        Fetch fetch;
        synchronized (this) {
            fetch = open.remove(id);
        }
        if (fetch != null) {
            fetch.exchange.close();
        }
    }

    /// Gives all up, and forgets what happened.
    void clear() {
        List<Integer> all;
        synchronized (this) {
            all = List.copyOf(open.keySet());
            events.clear();
        }
        all.forEach(this::close);
    }
}
