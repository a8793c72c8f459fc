package dev.glovebox.cell;

import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Status;
import dev.glovebox.wire.agent.Tag;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/// CONTEXT_OPEN: gets an interpreter, on a guest thread because that may compute, and opens the context in it.
final class ContextOpening implements GuestScheduler.Task, Channel {
    /// What the request asks for.
    record Wanted(String name, Language language, GuestPath directory) {}

    private final Sandbox sandbox;
    private final Wanted wanted;
    private final CellServices services;
    private final ChannelOutput output;
    private final Runnable forget;
    private final AtomicBoolean over = new AtomicBoolean();

    ContextOpening(Sandbox sandbox, Wanted wanted, CellServices services, ChannelOutput output, Runnable forget) {
        this.sandbox = sandbox;
        this.wanted = wanted;
        this.services = services;
        this.output = output;
        this.forget = forget;
    }

    @Override
    public int program() {
        return EndlessPrograms.UNKNOWN;
    }

    @Override
    public void run(GuestScheduler.Turn turn) {
        if (over.get()) {
            return;
        }
        long began = System.nanoTime();
        try {
            GuestRun.Acquired acquired =
                    sandbox.acquire(wanted.language(), sandbox.settings().limits(), turn.mayTakeReady());
            Context context = null;
            try {
                Context[] self = new Context[1];
                context = new Context(wanted.name(), acquired, services.scheduler(), () -> sandbox.remove(self[0]));
                self[0] = context;
                acquired.interpreter().openContext(wanted.name(), wanted.directory());
                sandbox.add(context);
            } catch (RuntimeException e) {
                acquired.interpreter().close();
                throw e;
            }
            finish(Fields.builder()
                    .number(Tag.STATUS, Status.OK.code())
                    .flag(Tag.POOLED, acquired.pooled())
                    .number(Tag.PHASE_MICROS, TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - began))
                    .build());
        } catch (GloveboxException e) {
            finish(failed(Statuses.of(e.code()), Statuses.words(e)));
        } catch (RuntimeException e) {
            services.log().error("no context", e);
            finish(failed(Status.FAILED, "no context could be opened; the cell's log says why"));
        }
    }

    @Override
    public void refuse(String why) {
        finish(failed(Status.TOO_MANY, why));
    }

    @Override
    public void cancel() {
        if (services.scheduler().withdraw(this)) {
            finish(failed(Status.CANCELLED, "cancelled by the host"));
        }
    }

    private void finish(Fields close) {
        if (over.compareAndSet(false, true)) {
            forget.run();
            output.finish(close);
        }
    }

    private static Fields failed(Status status, String message) {
        return Fields.builder()
                .number(Tag.STATUS, status.code())
                .text(Tag.MESSAGE, message)
                .build();
    }
}
