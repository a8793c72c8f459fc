package dev.glovebox.server.e2b.interpreter;

import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Execution;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.server.e2b.interpreter.CodeContext.Gateway;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A shell that reads one piece of code after the other from its standard input, so that variables, functions and the
/// directory stay. After each it writes a mark that the code cannot know beforehand. An interrupt, or code that ends
/// the
/// shell, ends its state; the next execution begins with a new one. Thread-safe.
final class BashKernel implements Kernel {
    private static final int MARK_BYTES = 16;
    /// Descriptors that code does not use by chance: it may send its own output elsewhere for good.
    private static final String SETUP = "exec 198>&1 199>&2\n";

    private static final int SIGNAL_KILL = 9;

    private final GuestPath directory;
    private final String mark;
    private volatile @Nullable BashSession session;

    BashKernel(GuestPath directory) {
        this.directory = directory;
        byte[] random = new byte[MARK_BYTES];
        new SecureRandom().nextBytes(random);
        this.mark = HexFormat.of().formatHex(random);
    }

    @Override
    public void open(Gateway gateway) {
        opened(gateway);
    }

    private synchronized BashSession opened(Gateway gateway) {
        BashSession known = session;
        if (known != null && !known.hasEnded()) {
            return known;
        }
        BashSession fresh = new BashSession(mark);
        Execution.ProcessSpec spec = new Execution.ProcessSpec(
                List.of("/bin/bash"), Optional.empty(), Map.of(), directory, true, gateway.limits());
        fresh.launch(gateway, new Command.StartProcess(gateway.sandbox(), spec));
        session = fresh;
        write(gateway, fresh, SETUP);
        return fresh;
    }

    private static void write(Gateway gateway, BashSession to, String text) {
        gateway.execute(
                new Command.WriteInput(gateway.sandbox(), to.process(), text.getBytes(StandardCharsets.UTF_8), false));
    }

    @Override
    public Answer execute(Gateway gateway, String code, Map<String, String> environment, ExecutionSink sink) {
        BashSession running = opened(gateway);
        running.begin(sink);
        try {
            sink.running(0);
            try {
                write(gateway, running, command(code, environment));
            } catch (GloveboxException e) {
                if (e.code() != ErrorCode.PROCESS_NOT_FOUND) {
                    throw e;
                }
            }
            int status = running.awaitStatus();
            return status == 0 ? Answer.FINE : Answer.failed("ExitError", "exit status " + status);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            interrupt(gateway);
            return Answer.failed("Interrupted", "the caller went away");
        } finally {
            running.finish();
        }
    }

    private String command(String code, Map<String, String> environment) {
        StringBuilder text = new StringBuilder();
        environment.forEach((name, value) ->
                text.append(name).append('=').append(quoted(value)).append(' '));
        text.append("eval ").append(quoted(code)).append(" </dev/null\n");
        // One line, so that the status is that of the code.
        text.append("{ builtin printf '\\036")
                .append(mark)
                .append(" %d\\n' $? >&198; builtin printf '\\036")
                .append(mark)
                .append(" 0\\n' >&199; }\n");
        return text.toString();
    }

    /// A text as one word of a shell that means itself.
    private static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    @Override
    public void interrupt(Gateway gateway) {
        BashSession running = session;
        if (running != null && !running.hasEnded()) {
            try {
                gateway.execute(new Command.SignalProcess(gateway.sandbox(), running.process(), SIGNAL_KILL));
            } catch (GloveboxException e) {
                if (e.code() != ErrorCode.PROCESS_NOT_FOUND) {
                    throw e;
                }
            }
        }
    }

    @Override
    public void restart(Gateway gateway) {
        close(gateway);
        open(gateway);
    }

    @Override
    public synchronized void close(Gateway gateway) {
        interrupt(gateway);
        session = null;
    }
}
