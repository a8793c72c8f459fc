package dev.glovebox.server.e2b.envd;

import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;

/// Sends a client what a process does, as it happens. Belongs to the thread that serves the request.
final class ProcessStream {
    private static final int CHUNK_BYTES_MAX = 32 * 1024;
    private static final int TERMINAL_CHUNK_BYTES_MAX = 16 * 1024;

    private static final byte[] STDOUT = ProcessService.ascii("{\"event\":{\"data\":{\"stdout\":\"");
    private static final byte[] STDERR = ProcessService.ascii("{\"event\":{\"data\":{\"stderr\":\"");
    private static final byte[] TERMINAL = ProcessService.ascii("{\"event\":{\"data\":{\"pty\":\"");
    private static final byte[] DATA_END = ProcessService.ascii("\"}}}");
    private static final byte[] KEEPALIVE = ProcessService.ascii("{\"event\":{\"keepalive\":{}}}");

    private final ConnectStream stream;
    private final Fanout.Reader reader;
    private final Duration keepalive;
    private final boolean hasTerminal;

    ProcessStream(ConnectStream stream, Fanout.Reader reader, Duration keepalive, boolean hasTerminal) {
        this.stream = stream;
        this.reader = reader;
        this.keepalive = keepalive;
        this.hasTerminal = hasTerminal;
    }

    /// To the end of the process.
    ///
    /// @param isTimed whether an end because its time was up is the time-out that the caller set
    void followToTimeout(boolean isTimed) throws InterruptedException {
        ProcessEvent.Ended ended = follow(Optional.empty());
        if (isTimed && ended.isTimeUp()) {
            throw deadlineExceeded("the process was ended at its time-out");
        }
        sendEnd(ended);
    }

    /// To the end of the process, or of the caller's patience.
    void followFor(Optional<Duration> patience) throws InterruptedException {
        sendEnd(follow(patience.map(time -> System.nanoTime() + time.toNanos())));
    }

    private ProcessEvent.Ended follow(Optional<Long> deadline) throws InterruptedException {
        while (true) {
            Duration left = deadline.map(at -> Duration.ofNanos(at - System.nanoTime()))
                    .filter(rest -> rest.compareTo(keepalive) < 0)
                    .orElse(keepalive);
            Optional<ProcessEvent> event = reader.next(left);
            switch (event.orElse(null)) {
                case null -> {
                    if (deadline.isPresent() && System.nanoTime() >= deadline.get()) {
                        throw deadlineExceeded("the call took as long as it may; the process goes on");
                    }
                    if (stream.hasBegun()) {
                        stream.sendParts(KEEPALIVE);
                    }
                }
                case ProcessEvent.Started(long pid) ->
                    stream.send(Map.of("event", Map.of("start", Map.of("pid", pid))));
                case ProcessEvent.Output output -> send(output);
                case ProcessEvent.Ended ended -> {
                    return ended;
                }
                case ProcessEvent.Failed(RuntimeException why) -> throw why;
            }
        }
    }

    private static ConnectFailure deadlineExceeded(String words) {
        return new ConnectFailure(ConnectCode.DEADLINE_EXCEEDED, words);
    }

    private void send(ProcessEvent.Output output) {
        byte[] head = hasTerminal ? TERMINAL : output.isError() ? STDERR : STDOUT;
        int chunk = hasTerminal ? TERMINAL_CHUNK_BYTES_MAX : CHUNK_BYTES_MAX;
        byte[] bytes = output.bytes();
        for (int from = 0; from < bytes.length; from += chunk) {
            int to = Math.min(bytes.length, from + chunk);
            byte[] part = from == 0 && to == bytes.length ? bytes : Arrays.copyOfRange(bytes, from, to);
            stream.sendParts(head, Base64.getEncoder().encode(part), DATA_END);
        }
    }

    private void sendEnd(ProcessEvent.Ended ended) {
        stream.send(Map.of("event", Map.of("end", ended.end())));
    }
}
