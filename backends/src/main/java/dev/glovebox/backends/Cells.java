package dev.glovebox.backends;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
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
import java.util.concurrent.TimeUnit;

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
        /// Changes whenever the home is used, so that the idle timer can tell that it was.
        long uses;
        /// Whether new sandboxes go to another cell: this one ends with its last.
        boolean retired;
        /// Whether the idle timer runs: one for each home, however often it falls idle.
        boolean timed;

        Home(CompletableFuture<Cell> cell) {
            this.cell = cell;
        }
    }

    private final AgentListener listener;
    private final CellLauncher launcher;
    private final int sparesWanted;
    private final CellTimes times;
    private final CellMemory memory = new CellMemory();
    private final Map<TenantId, Home> homes = new HashMap<>();
    private final ArrayDeque<CompletableFuture<Cell>> spares = new ArrayDeque<>();
    /// Cells whose process may be there, dying ones too.
    private final Set<Cell> all = new HashSet<>();
    private final List<CompletableFuture<Cell>> starting = new ArrayList<>();
    private boolean closed;

    Cells(AgentListener listener, CellLauncher launcher, int sparesWanted, CellTimes times) {
        this.listener = listener;
        this.launcher = launcher;
        this.sparesWanted = sparesWanted;
        this.times = times;
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
            if (home != null && isWorn(home.cell)) {
                retire(home);
                home = null;
            }
            if (home == null || isDead(home.cell)) {
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

    private static boolean isDead(CompletableFuture<Cell> cell) {
        return cell.isCompletedExceptionally() || (cell.isDone() && !cell.join().isAlive());
    }

    private static boolean isWorn(CompletableFuture<Cell> cell) {
        return cell.isDone() && !cell.isCompletedExceptionally() && cell.join().isWorn();
    }

    /// A cell that has worked much holds memory that it does not give back, and would end at its bound with all that
    /// is in it. So it takes no new sandboxes, and ends when its last one has. The lock is held.
    private void retire(Home home) {
        home.retired = true;
        if (home.sandboxes == 0) {
            THREADS.execute(() -> end(home.cell.join()));
        }
    }

    /// A cell ended by itself, or was condemned.
    private void died(Cell cell) {
        synchronized (this) {
            homes.values().removeIf(home -> isDead(home.cell));
        }
        CompletableFuture.delayedExecutor(times.refill().toMillis(), TimeUnit.MILLISECONDS, THREADS)
                .execute(this::refillSpares);
        end(cell);
    }

    private synchronized void forget(TenantId tenant, Home home) {
        homes.remove(tenant, home);
    }

    private synchronized void leave(TenantId tenant, Home home) {
        home.sandboxes--;
        home.uses++;
        if (home.sandboxes == 0 && home.retired) {
            THREADS.execute(() -> end(home.cell.join()));
        } else if (home.sandboxes == 0 && !home.timed) {
            time(tenant, home);
        }
    }

    private void time(TenantId tenant, Home home) {
        home.timed = true;
        long uses = home.uses;
        CompletableFuture.delayedExecutor(times.idle().toMillis(), TimeUnit.MILLISECONDS, THREADS)
                .execute(() -> endIfIdle(tenant, home, uses));
    }

    private void endIfIdle(TenantId tenant, Home home, long uses) {
        synchronized (this) {
            home.timed = false;
            if (home.sandboxes > 0 || closed) {
                return;
            }
            if (home.uses != uses) {
                time(tenant, home);
                return;
            }
            homes.remove(tenant, home);
        }
        if (home.cell.isDone() && !home.cell.isCompletedExceptionally()) {
            end(home.cell.join());
        }
    }

    private void end(Cell cell) {
        try {
            cell.close();
        } finally {
            synchronized (this) {
                all.remove(cell);
                memory.forget(cell);
            }
        }
    }

    /// A spare cell, or a new one; the spare is replaced at once.
    private CompletableFuture<Cell> claim() {
        CompletableFuture<Cell> spare;
        synchronized (this) {
            checkOpen();
            spare = spares.poll();
        }
        CompletableFuture<Cell> claimed = spare == null || isDead(spare) ? start() : spare;
        refillSpares();
        return claimed;
    }

    /// Starts the first cell before anybody asks for it, and none in its place when it is taken.
    synchronized void startAhead() {
        if (!closed) {
            spares.add(start());
        }
    }

    synchronized void refillSpares() {
        spares.removeIf(Cells::isDead);
        while (!closed && spares.size() < sparesWanted) {
            spares.add(start());
        }
    }

    private synchronized CompletableFuture<Cell> start() {
        CompletableFuture<Cell> cell = CompletableFuture.supplyAsync(this::startNow, THREADS);
        starting.removeIf(CompletableFuture::isDone);
        starting.add(cell);
        return cell;
    }

    private Cell startNow() {
        try {
            Cell cell = Cell.start(listener, launcher, times.start());
            boolean late;
            synchronized (this) {
                late = closed;
                if (!late) {
                    all.add(cell);
                    memory.watch(cell);
                }
            }
            if (late) {
                cell.close();
                throw stopping();
            }
            cell.onDeath(_ -> died(cell));
            return cell;
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

    /// Ends every cell and waits until they are gone. One that is still starting sees that it comes too late; it comes
    /// soonest if the listener is closed already.
    @Override
    public void close() {
        List<Cell> ending;
        List<CompletableFuture<Cell>> unborn;
        synchronized (this) {
            closed = true;
            ending = new ArrayList<>(all);
            unborn = new ArrayList<>(starting);
            spares.clear();
            homes.clear();
        }
        List<IllegalStateException> stuck = new ArrayList<>();
        for (Cell cell : ending) {
            try {
                end(cell);
            } catch (IllegalStateException outlives) {
                // The others must end all the same.
                stuck.add(outlives);
            }
        }
        unborn.forEach(cell -> cell.handle((_, _) -> true).join());
        if (!stuck.isEmpty()) {
            throw stuck.getFirst();
        }
    }
}
