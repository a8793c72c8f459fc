package dev.glovebox.cell;

import dev.glovebox.cell.fs.Budget;
import dev.glovebox.cell.fs.MemoryFileSystem;
import dev.glovebox.cell.isolate.IsolateInterpreter;
import dev.glovebox.cell.isolate.IsolateOptions;
import dev.glovebox.cell.isolate.TypeScript;
import dev.glovebox.core.Language;
import dev.glovebox.core.ResourceLimits;
import java.time.InstantSource;
import java.util.random.RandomGenerator;

/// Makes interpreters of tier isolate. An isolate is made with its file system and its memory limit, so a warm
/// one brings both to its sandbox.
final class IsolateSource implements InterpreterSource {
    private final Language language;
    private final TypeScript typeScript;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final Budget budget;

    /// @param budget what the files of all sandboxes may hold together
    IsolateSource(
            Language language, TypeScript typeScript, InstantSource clock, RandomGenerator random, Budget budget) {
        this.language = language;
        this.typeScript = typeScript;
        this.clock = clock;
        this.random = random;
        this.budget = budget;
    }

    @Override
    public Interpreter create(InterpreterHome home) {
        IsolateInterpreter interpreter = create(home.files(), home.limits());
        interpreter.join(home.network());
        return interpreter;
    }

    private IsolateInterpreter create(MemoryFileSystem files, ResourceLimits limits) {
        return IsolateInterpreter.create(
                new IsolateOptions(language, limits.memoryBytes(), files, clock, random, typeScript));
    }

    @Override
    public Warm prepare() {
        MemoryFileSystem files = new MemoryFileSystem(ResourceLimits.DEFAULT, clock, random, budget);
        IsolateInterpreter interpreter = create(files, ResourceLimits.DEFAULT);
        interpreter.warm();
        return new Warm() {
            @Override
            public Interpreter claim(InterpreterHome home) {
                interpreter.join(home.network());
                return interpreter;
            }

            @Override
            public MemoryFileSystem files() {
                return files;
            }

            @Override
            public boolean fits(ResourceLimits limits) {
                return limits.memoryBytes() == ResourceLimits.DEFAULT.memoryBytes();
            }

            @Override
            public void close() {
                interpreter.close();
            }
        };
    }
}
