package dev.glovebox.server.e2b.control;

import dev.glovebox.core.Command;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Sandbox;
import dev.glovebox.core.SandboxId;
import dev.glovebox.server.e2b.E2bSandbox;
import dev.glovebox.server.e2b.SandboxLog;
import dev.glovebox.server.e2b.UsageHistory.Sample;
import dev.glovebox.wire.e2b.SandboxLogs;
import dev.glovebox.wire.e2b.SandboxMetric;
import dev.glovebox.wire.e2b.SandboxMetrics;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// What sandboxes used and what happened to them.
final class ObservationCalls {
    private static final int SANDBOXES_MAX = 100;
    private static final int LOG_LIMIT_MAX = 1000;

    private ObservationCalls() {}

    private static E2bSandbox sandbox(ControlCall call, SandboxId id) {
        return call.services().sandboxes().remember(call.execute(new Command.GetSandbox(id)));
    }

    static void metrics(ControlCall call) {
        E2bSandbox sandbox = sandbox(call, call.sandbox());
        Instant start = call.query("start")
                .map(text -> Instant.ofEpochSecond(number("start", text)))
                .orElse(Instant.EPOCH);
        // The last second counts whole.
        Instant end = call.query("end")
                .map(text -> Instant.ofEpochSecond(number("end", text)).plusMillis(999))
                .orElse(Instant.MAX);
        if (end.isBefore(start)) {
            throw ControlError.invalid("the query parameter 'start' must not be after 'end'");
        }
        if (sandbox.usage().between(Instant.EPOCH, Instant.MAX).isEmpty()) {
            UsageSampler.measure(
                    call.services().gate(), sandbox, call.services().clock());
        }
        call.json(
                200,
                sandbox.usage().between(start, end).stream()
                        .map(sample -> metric(sandbox.made(), sample))
                        .toList());
    }

    private static long number(String name, String text) {
        if (!text.matches("[0-9]{1,12}")) {
            throw ControlError.invalid("the query parameter '" + name + "' is a time in whole seconds since 1970");
        }
        return Long.parseLong(text);
    }

    private static SandboxMetric metric(Sandbox sandbox, Sample sample) {
        return new SandboxMetric(
                sample.at().truncatedTo(ChronoUnit.MILLIS).toString(),
                sample.at().getEpochSecond(),
                E2bSandbox.processors(sandbox),
                Math.round(sample.cpuShare() * 10_000) / 100.0,
                sample.usage().memoryBytes(),
                sample.usage().memoryBytesMax(),
                0,
                sample.usage().diskBytes(),
                sample.usage().diskBytesMax());
    }

    /// The latest measurement of each; sandboxes that are not there are left out.
    static void metricsOfMany(ControlCall call) {
        List<String> ids = Arrays.stream(call.query("sandbox_ids").orElse("").split(",", -1))
                .filter(id -> !id.isEmpty())
                .toList();
        if (ids.isEmpty() || ids.size() > SANDBOXES_MAX) {
            throw ControlError.invalid(
                    "the query parameter 'sandbox_ids' holds 1 to " + SANDBOXES_MAX + " ids, with commas");
        }
        Map<String, SandboxMetric> found = new LinkedHashMap<>();
        for (String id : ids) {
            latest(call, id).ifPresent(metric -> found.put(id, metric));
        }
        call.json(200, new SandboxMetrics(found));
    }

    private static Optional<SandboxMetric> latest(ControlCall call, String id) {
        try {
            E2bSandbox sandbox = sandbox(call, new SandboxId(id));
            List<Sample> samples = sandbox.usage().between(Instant.EPOCH, Instant.MAX);
            return samples.isEmpty() ? Optional.empty() : Optional.of(metric(sandbox.made(), samples.getLast()));
        } catch (GloveboxException _) {
            return Optional.empty();
        }
    }

    static void logs(ControlCall call) {
        E2bSandbox sandbox = sandbox(call, call.sandbox());
        long start = call.query("start").map(text -> millis("start", text)).orElse(0L);
        List<SandboxLogs.Entry> entries = sandbox.log().entries().stream()
                .filter(entry -> entry.at().toEpochMilli() >= start)
                .limit(limit(call))
                .map(ObservationCalls::entry)
                .toList();
        call.json(
                200,
                new SandboxLogs(
                        entries.stream()
                                .map(entry -> new SandboxLogs.Line(entry.timestamp(), entry.message()))
                                .toList(),
                        entries));
    }

    static void logsSecond(ControlCall call) {
        E2bSandbox sandbox = sandbox(call, call.sandbox());
        boolean backward = backward(call);
        Optional<Long> cursor = call.query("cursor").map(text -> millis("cursor", text));
        SandboxLog.Level level =
                call.query("level").map(ObservationCalls::level).orElse(SandboxLog.Level.DEBUG);
        String search = call.query("search").orElse("");
        List<SandboxLog.Entry> all = sandbox.log().entries();
        Stream<SandboxLog.Entry> wanted = (backward ? all.reversed() : all)
                .stream()
                        .filter(entry -> cursor.isEmpty()
                                || (backward
                                        ? entry.at().toEpochMilli() <= cursor.get()
                                        : entry.at().toEpochMilli() >= cursor.get()))
                        .filter(entry -> entry.level().compareTo(level) >= 0)
                        .filter(entry -> entry.message().contains(search));
        call.json(
                200,
                new SandboxLogs.Second(
                        wanted.limit(limit(call)).map(ObservationCalls::entry).toList()));
    }

    private static boolean backward(ControlCall call) {
        return switch (call.query("direction").orElse("forward")) {
            case "forward" -> false;
            case "backward" -> true;
            default -> throw ControlError.invalid("the query parameter 'direction' is forward or backward");
        };
    }

    private static long millis(String name, String text) {
        if (!text.matches("[0-9]{1,15}")) {
            throw ControlError.invalid("the query parameter '" + name + "' is a time in milliseconds since 1970");
        }
        return Long.parseLong(text);
    }

    private static int limit(ControlCall call) {
        String text = call.query("limit").orElse(Integer.toString(LOG_LIMIT_MAX));
        if (!text.matches("[0-9]{1,4}") || Integer.parseInt(text) > LOG_LIMIT_MAX) {
            throw ControlError.invalid("the query parameter 'limit' is a number up to " + LOG_LIMIT_MAX);
        }
        return Integer.parseInt(text);
    }

    private static SandboxLog.Level level(String word) {
        return Arrays.stream(SandboxLog.Level.values())
                .filter(level -> word(level).equals(word))
                .findFirst()
                .orElseThrow(() ->
                        ControlError.invalid("the query parameter 'level' is one of debug, info, warn and error"));
    }

    private static String word(SandboxLog.Level level) {
        return level.name().toLowerCase(Locale.ROOT);
    }

    private static SandboxLogs.Entry entry(SandboxLog.Entry entry) {
        return new SandboxLogs.Entry(entry.at().toString(), word(entry.level()), entry.message(), entry.fields());
    }
}
