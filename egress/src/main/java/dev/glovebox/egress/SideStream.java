package dev.glovebox.egress;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/// What goes to one side of a connection. Tells that side's failures from those of the other, and whether it was
/// reset. One thread writes, another may ask.
final class SideStream extends FilterOutputStream {
    /// A write that has failed is over within microseconds; one that takes longer waits for the other end.
    private static final long FAILING_MILLIS = 200;

    private final ReentrantLock writing = new ReentrantLock();
    private boolean isReset;

    SideStream(OutputStream out) {
        super(out);
    }

    /// The other end takes no more. It may have sent something all the same, as servers do whom a body is too large
    /// for.
    static final class Gone extends IOException {
        private static final long serialVersionUID = 1L;

        Gone(IOException cause) {
            super(cause);
        }
    }

    /// A part of a write.
    private interface Step {
        void run() throws IOException;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        step(() -> out.write(bytes, offset, length));
    }

    @Override
    public void flush() throws IOException {
        step(out::flush);
    }

    private void step(Step step) throws Gone {
        writing.lock();
        try {
            step.run();
        } catch (IOException e) {
            isReset = isReset(e);
            throw new Gone(e);
        } finally {
            writing.unlock();
        }
    }

    /// What the kernel says is an exception of no particular class. It says it in other words if the other end had
    /// ended its direction before it took no more, regularly; where these words are of another language, an end is
    /// taken for a reset rather than the other way round. What TLS says is no reset: it knows of an end.
    private static boolean isReset(IOException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause.getClass() == IOException.class) {
                return !"Broken pipe".equals(cause.getMessage());
            }
        }
        return false;
    }

    /// Asked by who reads the other direction, at its end. The kernel tells of a reset once, to whoever comes first:
    /// if it is who writes, who reads is told of a regular end.
    boolean wasReset() throws InterruptedException {
        if (!writing.tryLock(FAILING_MILLIS, TimeUnit.MILLISECONDS)) {
            return false;
        }
        try {
            return isReset;
        } finally {
            writing.unlock();
        }
    }
}
