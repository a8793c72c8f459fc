package dev.glovebox.backends;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import dev.glovebox.core.TenantId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/// The cells of this server: one per tenant, one per sandbox where a policy asks for it, and spare ones for who comes
/// next. A cell never changes its tenant: it is ended with its last sandbox if it was for that one alone, and after a
/// while without any if it was a tenant's. Thread-safe.
final class Cells implements AutoCloseable {
    private static final Executor THREADS =
            task -> Thread.ofVirtual().name("cell-start").start(task);

    /// A tenant's cell: perhaps still starting.
    private static final class Home {
        final CompletableFuture<Cell> cell;
        int sandboxes;
        /// Changes whenever the home is used, so that an idle timer can tell that it was.
        long uses;

        Home(CompletableFuture<Cell> cell) {
            this.cell = cell;
        }
    }

    private final AgentListener listener;
    private final CellLauncher launcher;
    private final int sparesWanted;
    private final Map<TenantId, Home> homes = new HashMap<>();
    private final ArrayDeque<CompletableFuture<Cell>> spares = new ArrayDeque<>();
    private final Set<Cell> all = new HashSet<>();
    private boolean closed;

    Cells(AgentListener listener, CellLauncher launcher, int sparesWanted) {
        this.listener = listener;
        this.launcher = launcher;
        this.sparesWanted = sparesWanted;
    }

    /// A place for one sandbox in a cell; given back by [#released()].
    final class Place implements AgentSandbox.Host {
        private final Cell cell;
        private final Runnable onRelease;
        private boolean gone;

        private Place(Cell cell, Runnable onRelease) {
            this.cell = cell;
            this.onRelease = onRelease;
        }

        Cell cell() {
            return cell;
        }

        @Override
        public void released() {
            synchronized (Cells.this) {
                if (gone) {
                    return;
                }
                gone = true;
            }
            onRelease.run();
        }

        @Override
        public void condemn(String why) {
            cell.condemn(why);
        }
    }

    Place take(TenantId tenant, boolean alone) throws InterruptedException {
        if (alone) {
            Cell cell = join(claim());
            return new Place(cell, () -> end(cell));
        }
        Home home;
        synchronized (this) {
            home = homes.get(tenant);
            if (home == null || isDead(home)) {
                home = new Home(claim());
                homes.put(tenant, home);
            }
            home.sandboxes++;
            home.uses++;
        }
        Home taken = home;
        try {
            return new Place(join(home.cell), () -> leave(tenant, taken));
        } catch (RuntimeException failure) {
            forget(tenant, taken);
            throw failure;
        }
    }

    private static boolean isDead(Home home) {
        return home.cell.isCompletedExceptionally()
                || (home.cell.isDone() && !home.cell.join().isAlive());
    }

    /// A cell ended by itself, or was condemned.
    private void died(Cell cell) {
        synchronized (this) {
            all.remove(cell);
            homes.values().removeIf(home -> home.cell.isDone() && isDead(home));
        }
        refillSpares();
    }

    private synchronized void forget(TenantId tenant, Home home) {
        homes.remove(tenant, home);
    }

    private void leave(TenantId tenant, Home home) {
        long uses;
        synchronized (this) {
            home.sandboxes--;
            if (home.sandboxes > 0 || closed) {
                return;
            }
            uses = home.uses;
        }
        CompletableFuture.delayedExecutor(
                        Limits.CELL_IDLE_MAX.toMillis(), java.util.concurrent.TimeUnit.MILLISECONDS, THREADS)
                .execute(() -> endIfIdle(tenant, home, uses));
    }

    private void endIfIdle(TenantId tenant, Home home, long uses) {
        synchronized (this) {
            if (home.sandboxes > 0 || home.uses != uses || closed) {
                return;
            }
            homes.remove(tenant, home);
        }
        if (home.cell.isDone() && !home.cell.isCompletedExceptionally()) {
            end(home.cell.join());
        }
    }

    private void end(Cell cell) {
        synchronized (this) {
            all.remove(cell);
        }
        cell.close();
    }

    /// A spare cell, or a new one; the spare is replaced at once.
    private CompletableFuture<Cell> claim() {
        CompletableFuture<Cell> spare;
        synchronized (this) {
            checkOpen();
            spare = spares.poll();
        }
        CompletableFuture<Cell> claimed =
                spare != null && !spare.isCompletedExceptionally() && isUsable(spare) ? spare : start();
        refillSpares();
        return claimed;
    }

    private static boolean isUsable(CompletableFuture<Cell> spare) {
        return !spare.isDone() || spare.join().isAlive();
    }

    void refillSpares() {
        synchronized (this) {
            while (!closed && spares.size() < sparesWanted) {
                spares.add(start());
            }
        }
    }

    private CompletableFuture<Cell> start() {
        return CompletableFuture.supplyAsync(this::startNow, THREADS);
    }

    private Cell startNow() {
        try {
            Cell cell = Cell.start(listener, launcher);
            synchronized (this) {
                if (!closed) {
                    all.add(cell);
                }
            }
            if (isOpen()) {
                cell.onDeath(_ -> died(cell));
                return cell;
            }
            cell.close();
            throw stopping();
        } catch (InterruptedException _) {
            throw stopping();
        }
    }

    private static Cell join(CompletableFuture<Cell> cell) {
        try {
            return cell.join();
        } catch (CompletionException failure) {
            if (failure.getCause() instanceof GloveboxException refusal) {
                throw new GloveboxException(refusal.code(), String.valueOf(refusal.getMessage()), failure);
            }
            throw failure;
        }
    }

    private synchronized boolean isOpen() {
        return !closed;
    }

    private void checkOpen() {
        if (closed) {
            throw stopping();
        }
    }

    private static GloveboxException stopping() {
        return new GloveboxException(ErrorCode.OVERLOADED, "this server is stopping: try again when it is back");
    }

    /// Starts a cell to see whether it can be; says what is wrong, or nothing.
    String probe() {
        try {
            Cell cell = join(claim());
            end(cell);
            return "";
        } catch (RuntimeException failure) {
            return String.valueOf(failure.getMessage());
        }
    }

    synchronized List<Long> pids() {
        return all.stream().map(Cell::pid).sorted().toList();
    }

    void kill(TenantId tenant) {
        Home home;
        synchronized (this) {
            home = homes.get(tenant);
        }
        if (home != null) {
            home.cell.join().condemn("it was killed");
        }
    }

    @Override
    public void close() {
        List<Cell> ending;
        List<CompletableFuture<Cell>> starting;
        synchronized (this) {
            closed = true;
            ending = new ArrayList<>(all);
            all.clear();
            starting = new ArrayList<>(spares);
            homes.values().forEach(home -> starting.add(home.cell));
            spares.clear();
            homes.clear();
        }
        ending.forEach(Cell::close);
        // A cell that is still starting ends itself when it sees that it came too late.
        starting.forEach(cell -> cell.handle((_, _) -> true).join());
    }
}
