package dev.glovebox.cell.wasi;

import dev.glovebox.cell.fs.MemoryFileSystem;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/// The WASI preview 1 host of one guest: everything that the guest can do besides computing. It is the
/// boundary of the sandbox, so all that it reaches is what its constructor is given: four streams, an
/// in-memory file system, a clock, random numbers, and the connections that the sandbox's rules allow. There
/// is no path to the host and no other process behind any of its functions.
///
/// The functions of the specification are called through [WasiFunction#invoke]. They are for the guest's thread
/// only; [#wake()] may be called by any. Descriptor 3 is the directory `/`.
public final class Wasi implements AutoCloseable {
    private static final String ROOT_NAME = "/";

    private final GuestMemory memory = new GuestMemory();
    private final DescriptorTable descriptors = new DescriptorTable();
    private final Semaphore wakeUps = new Semaphore(0);
    private final ProcessCalls process;
    private final ClockCalls clocks;
    private final FdCalls fds;
    private final TransferCalls transfers;
    private final PathCalls paths;
    private final PollCalls poll;
    private final SocketCalls sockets;

    /// @param random cryptographically strong, because programs make keys of it
    /// @param device opens connections
    public Wasi(
            WasiProgram program,
            WasiStreams streams,
            MemoryFileSystem files,
            GuestClock clock,
            RandomGenerator random,
            DialDevice device) {
        process = new ProcessCalls(memory, program, random);
        clocks = new ClockCalls(memory, clock);
        fds = new FdCalls(memory, descriptors);
        transfers = new TransferCalls(memory, descriptors);
        paths = new PathCalls(memory, descriptors, files, device);
        poll = new PollCalls(this, memory, descriptors, clocks);
        sockets = new SocketCalls(descriptors);
        descriptors.add(new Descriptor.Input(streams.input()));
        descriptors.add(new Descriptor.Output(streams.output(), FileType.UNKNOWN));
        descriptors.add(new Descriptor.Output(streams.error(), FileType.UNKNOWN));
        descriptors.add(new Descriptor.OpenDirectory(files.openRoot(), Rights.DIRECTORY, Rights.ALL, ROOT_NAME));
        if (streams.result() != null) {
            descriptors.add(new Descriptor.Output(streams.result(), FileType.CHARACTER_DEVICE));
        }
    }

    /// The guest's memory, to be given its buffer with [GuestMemory#refresh].
    public GuestMemory memory() {
        return memory;
    }

    /// Ends the sleep that the guest is in, or, if it is in none, its next one. For an interrupt that the guest
    /// itself handles: to it the time has simply passed.
    public void wake() {
        wakeUps.release();
    }

    /// Whether the guest holds a file open to write to it. The guest's thread, between two calls of it.
    public boolean hasOutputFile() {
        return descriptors.hasOutputFile();
    }

    /// Closes every descriptor, so that files that only this guest held are gone. The guest must not run any
    /// more.
    @Override
    public void close() {
        descriptors.closeAll();
    }

    /// Waits until the time has passed, somebody calls [#wake()], or the thread is interrupted.
    void sleep(long nanos) {
        try {
            if (wakeUps.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
                wakeUps.drainPermits();
            }
        } catch (InterruptedException _) {
            throw new GuestInterrupted();
        }
    }

    ProcessCalls process() {
        return process;
    }

    ClockCalls clocks() {
        return clocks;
    }

    FdCalls fds() {
        return fds;
    }

    TransferCalls transfers() {
        return transfers;
    }

    PathCalls paths() {
        return paths;
    }

    PollCalls poll() {
        return poll;
    }

    SocketCalls sockets() {
        return sockets;
    }
}
