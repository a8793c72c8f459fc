package dev.glovebox.cell;

import dev.glovebox.core.Outcome;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An execution in a context.
final class ExecuteWork implements GuestRun.Work {
    private final Context context;
    private final String code;
    private final Map<String, String> environment;
    private @Nullable GuestRun run;

    ExecuteWork(Context context, String code, Map<String, String> environment) {
        this.context = context;
        this.code = code;
        this.environment = environment;
    }

    /// Says whose work it is, before the run is queued.
    void isOf(GuestRun itsRun) {
        run = itsRun;
    }

    @Override
    public int program() {
        return code.hashCode();
    }

    @Override
    public GuestRun.Acquired acquire(boolean mayTakeReady) {
        return new GuestRun.Acquired(context.interpreter(), context.pooled());
    }

    @Override
    public Outcome run(Interpreter interpreter, GuestStreams streams) {
        return interpreter.execute(context.name(), code, environment, streams);
    }

    @Override
    public boolean hasState() {
        return true;
    }

    @Override
    public void release(Interpreter interpreter, boolean alive) {
        over(alive);
    }

    @Override
    public void drop() {
        over(true);
    }

    private void over(boolean alive) {
        GuestRun mine = run;
        if (mine != null) {
            context.over(mine, alive);
        }
    }
}
