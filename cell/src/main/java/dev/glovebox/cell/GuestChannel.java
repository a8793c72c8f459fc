package dev.glovebox.cell;

import dev.glovebox.core.Outcome;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.ProtocolException;
import dev.glovebox.wire.agent.Tag;
import java.util.Set;

/// The channel of a process or an execution.
final class GuestChannel implements Channel {
    private static final int SIGINT = 2;
    /// SIGHUP, SIGQUIT, SIGABRT, SIGKILL, SIGTERM: there is nothing in a guest that could handle them.
    private static final Set<Integer> FATAL = Set.of(1, 3, 6, 9, 15);

    private final GuestRun run;
    private final Inbox input;

    GuestChannel(GuestRun run, Inbox input) {
        this.run = run;
        this.input = input;
    }

    @Override
    public void data(int stream, byte[] bytes) {
        requireStdin(stream);
        input.offer(bytes);
    }

    @Override
    public void end(int stream) {
        requireStdin(stream);
        input.end();
    }

    private static void requireStdin(int stream) {
        if (stream != Protocol.STDIN) {
            throw new ProtocolException("a guest reads stream 0 only, not " + stream);
        }
    }

    @Override
    public void credit(int stream, int bytes) {
        run.output().grant(stream, bytes);
    }

    @Override
    public void control(Fields fields) {
        int signal = (int) Math.min(Integer.MAX_VALUE, fields.number(Tag.SIGNAL, 0));
        if (fields.flag(Tag.INTERRUPT) || signal == SIGINT) {
            run.interrupt();
        } else if (FATAL.contains(signal)) {
            run.end(new Outcome.Killed("signal " + signal));
        }
    }

    @Override
    public void cancel() {
        run.cancel();
    }
}
