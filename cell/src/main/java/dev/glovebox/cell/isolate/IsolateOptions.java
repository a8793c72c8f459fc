package dev.glovebox.cell.isolate;

import dev.glovebox.cell.fs.MemoryFileSystem;
import dev.glovebox.core.Language;
import java.time.InstantSource;
import java.util.random.RandomGenerator;

/// What an [IsolateInterpreter] is made of.
///
/// @param language TYPESCRIPT if cells and programs may hold types; a program whose name ends in `.ts` may always
/// @param memoryBytes V8's heap, buffers and WebAssembly memories together
/// @param files the sandbox's; they outlive the interpreter
/// @param clock what `performance.timeOrigin` is read from
/// @param random cryptographically strong
/// @param typeScript the cell's
public record IsolateOptions(
        Language language,
        long memoryBytes,
        MemoryFileSystem files,
        InstantSource clock,
        RandomGenerator random,
        TypeScript typeScript) {}
