package dev.glovebox.cell;

import dev.glovebox.cell.fs.MemoryFileSystem;
import dev.glovebox.cell.net.GuestNetwork;
import dev.glovebox.core.ResourceLimits;
import java.time.InstantSource;
import java.util.random.RandomGenerator;

/// What an interpreter gets when it becomes a sandbox's: all that it can reach.
///
/// @param random cryptographically strong
public record InterpreterHome(
        MemoryFileSystem files,
        ResourceLimits limits,
        InstantSource clock,
        RandomGenerator random,
        GuestNetwork network) {
    /// Without a network.
    public InterpreterHome(MemoryFileSystem files, ResourceLimits limits, InstantSource clock, RandomGenerator random) {
        this(files, limits, clock, random, GuestNetwork.CLOSED);
    }
}
