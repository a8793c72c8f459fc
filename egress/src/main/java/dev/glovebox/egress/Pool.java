package dev.glovebox.egress;

import java.util.function.IntSupplier;

/// Something of which a server has only so much for the networks of all its sandboxes together. Half of it goes to
/// whoever comes first; of the other half each sandbox may have an even part, so that some cannot use up what all
/// need. Thread-safe.
final class Pool {
    private final long all;
    private final IntSupplier sandboxes;
    private long taken;

    /// @param sandboxes how many there are at the moment
    Pool(long all, IntSupplier sandboxes) {
        this.all = all;
        this.sandboxes = sandboxes;
    }

    /// What one sandbox takes of it.
    ///
    /// @param most that it may have, however much there is
    Share share(long most) {
        return new Share(most);
    }

    synchronized long taken() {
        return taken;
    }

    /// Of one sandbox. Thread-safe.
    final class Share {
        private final long most;
        private long own;

        private Share(long most) {
            this.most = most;
        }

        /// Takes so much, or nothing.
        boolean take(long amount) {
            synchronized (Pool.this) {
                if (!fits(amount)) {
                    return false;
                }
                add(amount);
                return true;
            }
        }

        /// Whether so much could be taken.
        boolean fits(long amount) {
            synchronized (Pool.this) {
                long after = taken + amount;
                return own + amount <= most
                        && after <= all
                        && (after <= all / 2 || own + amount <= all / 2 / Math.max(1, sandboxes.getAsInt()));
            }
        }

        /// Counts what is taken in any case; negative when it is given back.
        void add(long amount) {
            synchronized (Pool.this) {
                own += amount;
                taken += amount;
            }
        }

        void give(long amount) {
            add(-amount);
        }
    }
}
