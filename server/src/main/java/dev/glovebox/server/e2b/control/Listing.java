package dev.glovebox.server.e2b.control;

import dev.glovebox.core.Command;
import dev.glovebox.core.Limits;
import dev.glovebox.core.Page;
import dev.glovebox.core.Sandbox;
import dev.glovebox.core.SandboxState;
import dev.glovebox.server.e2b.SandboxFacts;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// What a list is asked for, and its answer. A tenant has few enough sandboxes that all are read and sorted here.
///
/// @param states empty for all
/// @param limit how many on one page
record Listing(
        Map<String, String> metadata,
        Set<String> states,
        boolean ascending,
        Optional<Instant> startedAfter,
        Optional<String> template,
        int limit,
        Optional<ListCursor> after) {
    private static final int LIMIT_MAX = 100;
    private static final Set<String> STATES = Set.of("running", "paused");

    /// A page.
    ///
    /// @param running how many run of all that match, on whatever page
    record Found(List<Sandbox> sandboxes, Optional<String> next, int running) {}

    /// Reads the query parameters.
    static Listing of(Function<String, Optional<String>> query) {
        Optional<ListCursor> after =
                query.apply("nextToken").filter(text -> !text.isEmpty()).map(ListCursor::parse);
        boolean ascending = ascending(query.apply("order"));
        if (after.isPresent() && after.get().ascending() != ascending) {
            throw ControlError.invalid("Invalid next token: it is of a list in the other order");
        }
        return new Listing(
                query.apply("metadata").map(MetadataFilter::parse).orElse(Map.of()),
                states(query.apply("state")),
                ascending,
                query.apply("startedAfter").map(Listing::time),
                query.apply("template").filter(text -> !text.isEmpty()),
                query.apply("limit").map(Listing::limit).orElse(LIMIT_MAX),
                after);
    }

    private static boolean ascending(Optional<String> order) {
        return switch (order.orElse("desc")) {
            case "asc" -> true;
            case "desc" -> false;
            default -> throw ControlError.invalid("the query parameter 'order' is asc or desc");
        };
    }

    private static Set<String> states(Optional<String> text) {
        Set<String> states = new HashSet<>(
                text.map(words -> Arrays.asList(words.split(",", -1))).orElse(List.of()));
        if (!STATES.containsAll(states)) {
            throw ControlError.invalid("the query parameter 'state' is running, paused or both, with a comma");
        }
        return states;
    }

    private static Instant time(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException _) {
            throw ControlError.invalid("the query parameter 'startedAfter' is a time such as 2026-11-30T12:00:00Z");
        }
    }

    private static int limit(String text) {
        if (!text.matches("[0-9]{1,3}") || Integer.parseInt(text) < 1 || Integer.parseInt(text) > LIMIT_MAX) {
            throw ControlError.invalid("the query parameter 'limit' is a number from 1 to " + LIMIT_MAX);
        }
        return Integer.parseInt(text);
    }

    Found find(ControlCall call) {
        List<Sandbox> matching = all(call, metadata).stream()
                .filter(this::matches)
                .sorted(ListCursor.order(ascending))
                .toList();
        List<Sandbox> rest = matching.stream()
                .filter(sandbox -> after.isEmpty() || after.get().isBefore(sandbox))
                .toList();
        int running = (int) matching.stream()
                .filter(sandbox -> sandbox.state() instanceof SandboxState.Running)
                .count();
        if (rest.size() <= limit) {
            return new Found(rest, Optional.empty(), running);
        }
        List<Sandbox> page = rest.subList(0, limit);
        return new Found(
                page, Optional.of(ListCursor.of(page.getLast(), ascending).text()), running);
    }

    /// All of a tenant that are alive and whose metadata match.
    static List<Sandbox> all(ControlCall call, Map<String, String> metadata) {
        List<Sandbox> all = new ArrayList<>();
        Optional<String> cursor = Optional.empty();
        do {
            Page<Sandbox> page = call.execute(new Command.ListSandboxes(metadata, Limits.PAGE_SIZE_MAX, cursor));
            all.addAll(page.items());
            cursor = page.next();
        } while (cursor.isPresent());
        return all;
    }

    private boolean matches(Sandbox sandbox) {
        return (states.isEmpty() ? STATES : states).contains(sandbox.state().word())
                && startedAfter
                        .filter(time -> !sandbox.createdAt().isAfter(time))
                        .isEmpty()
                && template.filter(asked -> !Views.template(sandbox, SandboxFacts.of(sandbox))
                                .matches(asked))
                        .isEmpty();
    }
}
