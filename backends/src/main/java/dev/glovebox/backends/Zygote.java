package dev.glovebox.backends;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Has the zygote of one template: the process that forks a kernel with numpy and pandas imported into each jail
/// (`docs/supervisor.md`). Started when the first jail is wanted, anew when it died, and now and then for a new hash
/// seed, which all its kernels share. No sandbox needs it: without one they are only colder. Thread-safe.
final class Zygote {
    private static final System.Logger LOG = System.getLogger(Zygote.class.getName());
    /// After a failure, so that a template that can have none does not keep a processor busy.
    private static final Duration PAUSE = Duration.ofMinutes(1);
    private static final Duration AGE_MAX = Duration.ofMinutes(10);

    /// One that was asked for.
    private final class Generation implements Supervisor.Events {
        private final Supervisor supervisor;
        private final Path image;
        private final String id;
        private boolean ready;
        private boolean over;
        private long since;

        Generation(Supervisor supervisor, Path image, String id) {
            this.supervisor = supervisor;
            this.image = image;
            this.id = id;
        }

        boolean isOf(Supervisor other, Path otherImage) {
            return supervisor == other && image.equals(otherImage);
        }

        @Override
        public void started(Supervisor.Started what) {
            begun(this);
        }

        @Override
        public void logged(String line) {
            LOG.log(System.Logger.Level.WARNING, "zygote {0}: {1}", id, line);
        }

        @Override
        public void over(String why) {
            ended(this, why);
        }
    }

    private @Nullable Generation current;
    private @Nullable Generation next;
    private long count;
    private long pausedUntil = System.nanoTime();
    private boolean closed;

    /// The id of one that is ready to fork for this template; if there is none, one is on its way.
    synchronized Optional<String> ready(Supervisor supervisor, Path image) {
        Generation now = current;
        boolean fits = now != null && now.isOf(supervisor, image) && !now.over;
        if (!fits || isOld(Objects.requireNonNull(now))) {
            begin(supervisor, image);
        }
        return fits ? Optional.of(Objects.requireNonNull(now).id) : Optional.empty();
    }

    /// The same, and waits for one that is on its way.
    synchronized Optional<String> await(Supervisor supervisor, Path image, Duration patience)
            throws InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        Optional<String> found = ready(supervisor, image);
        while (found.isEmpty() && next != null && System.nanoTime() < end) {
            TimeUnit.NANOSECONDS.timedWait(this, end - System.nanoTime());
            found = ready(supervisor, image);
        }
        return found;
    }

    private static boolean isOld(Generation generation) {
        return System.nanoTime() - generation.since > AGE_MAX.toNanos();
    }

    private void begin(Supervisor supervisor, Path image) {
        boolean isUnderWay = next != null && next.isOf(supervisor, image);
        if (closed || isUnderWay || System.nanoTime() < pausedUntil) {
            return;
        }
        Generation made = new Generation(supervisor, image, "zygote-" + ++count);
        next = made;
        // The events tell of its end, too.
        var _ = supervisor.start(StartRequest.zygote(made.id).put("template", image.toString()), made);
    }

    private synchronized void begun(Generation generation) {
        generation.ready = true;
        generation.since = System.nanoTime();
        if (next == generation) {
            Generation before = current;
            current = generation;
            next = null;
            if (before != null && !before.over) {
                // Its kernels live on.
                before.supervisor.kill(before.id);
            }
        }
        if (closed || current != generation) {
            generation.supervisor.kill(generation.id);
        }
        notifyAll();
    }

    private synchronized void ended(Generation generation, String why) {
        generation.over = true;
        if (next == generation) {
            next = null;
            pausedUntil = System.nanoTime() + PAUSE.toNanos();
        }
        if (!closed && (!generation.ready || current == generation)) {
            LOG.log(System.Logger.Level.WARNING, "zygote {0}: {1}", generation.id, why);
        }
        if (current == generation) {
            current = null;
        }
        notifyAll();
    }

    /// Ends it.
    synchronized void close() {
        closed = true;
        Generation last = current;
        if (last != null && !last.over) {
            last.supervisor.kill(last.id);
        }
    }
}
