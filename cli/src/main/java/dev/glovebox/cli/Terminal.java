package dev.glovebox.cli;

import dev.glovebox.wire.api.TerminalSet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// The terminal that we run in, through `stty`: its size, and raw input while a guest has it. What it was before comes
/// back when this is closed, and when the process ends otherwise than by SIGKILL.
final class Terminal implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 5;

    private static final TerminalSet USUAL = new TerminalSet(80, 24);

    private final String before;
    private final Thread restoring;

    private Terminal(String before) {
        this.before = before;
        this.restoring = new Thread(this::restore, "terminal");
    }

    /// Its size; empty if our input is no terminal. Some terminals, such as those that a program made, have none: they
    /// are taken for the usual size.
    static Optional<TerminalSet> size() {
        return stty("size").map(text -> text.strip().split(" ", -1)).flatMap(Terminal::parse);
    }

    static Optional<TerminalSet> parse(String[] words) {
        try {
            int rows = Integer.parseInt(words[0]);
            int columns = Integer.parseInt(words[1]);
            return Optional.of(rows > 0 && columns > 0 ? new TerminalSet(columns, rows) : USUAL);
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            return Optional.empty();
        }
    }

    /// Hands every key on as it is typed, Ctrl-C too.
    static Optional<Terminal> raw() {
        Optional<Terminal> terminal = stty("-g").map(text -> new Terminal(text.strip()));
        terminal.ifPresent(now -> {
            Runtime.getRuntime().addShutdownHook(now.restoring);
            stty("raw", "-echo");
        });
        return terminal;
    }

    private void restore() {
        stty(before);
    }

    @Override
    public void close() {
        restore();
        Runtime.getRuntime().removeShutdownHook(restoring);
    }

    private static Optional<String> stty(String... arguments) {
        List<String> command = new ArrayList<>(List.of("stty"));
        command.addAll(List.of(arguments));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectInput(ProcessBuilder.Redirect.INHERIT)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            boolean isDone = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
            return isDone && process.exitValue() == 0 ? Optional.of(said) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
