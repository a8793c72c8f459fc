package dev.glovebox.cell;

import dev.glovebox.cell.fs.MemoryFileSystem;
import dev.glovebox.core.ResourceLimits;
import org.jspecify.annotations.Nullable;

/// Makes interpreters of one language. Thread-safe.
public interface InterpreterSource extends AutoCloseable {

    /// One that belongs to nobody yet: it has done everything that needs no owner.
    interface Warm extends AutoCloseable {
        /// Makes it the sandbox's. Once, and instead of [#close()].
        Interpreter claim(InterpreterHome home);

        /// The file system that it was made with, which its sandbox must take for its own; null if it takes
        /// any.
        default @Nullable MemoryFileSystem files() {
            return null;
        }

        /// Whether the source would make the same today; if not, the pool replaces it when it has time.
        default boolean isCurrent() {
            return true;
        }

        /// Whether it can serve under these limits.
        default boolean fits(ResourceLimits limits) {
            return true;
        }

        @Override
        void close();
    }

    /// A new one for a sandbox, on the calling thread.
    Interpreter create(InterpreterHome home);

    /// A new one for the pool, probed: it has shown that it works. On the pool's own thread.
    Warm prepare();

    /// Runs typical code once, on nobody's behalf, so that V8 compiles well what all will use. Takes a second.
    default void exercise() {}

    /// Makes anew what later interpreters begin with, if it is time for that. On the pool's own thread. True if it
    /// was time. A failure leaves everything as it was.
    default boolean renew() {
        return false;
    }

    /// Maintenance between two preparations, for example closing what ended sandboxes left. True if something
    /// was done.
    default boolean tidy() {
        return false;
    }

    @Override
    default void close() {}
}
