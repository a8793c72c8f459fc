package dev.glovebox.testkit.escape;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Execution;
import dev.glovebox.core.Language;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.backend.SandboxHandle;
import dev.glovebox.testkit.BackendBench;
import dev.glovebox.testkit.BackendBench.Ran;
import dev.glovebox.testkit.BackendTopic;
import dev.glovebox.testkit.GuestTask;
import java.util.List;
import java.util.function.Supplier;

/// One idea of an attack. An attacking program tries many ways and prints a line for each: `refused` and how,
/// or `ESCAPED` and what it got. It must print at least one line, and none of the second kind.
public abstract class EscapeTopic extends BackendTopic {
    /// Begins every Python attack: `attempt` calls something that must not succeed.
    private static final String PYTHON = """
            def attempt(name, call, harmless=lambda got: False):
                try:
                    got = call()
                except BaseException as error:
                    print('refused', name, type(error).__name__, str(error)[:200].replace('\\n', ' '), flush=True)
                else:
                    print('refused' if harmless(got) else 'ESCAPED', name, repr(got)[:200], flush=True)
            """;

    /// Begins every JavaScript attack. It keeps what it needs, because attacks break the rest.
    private static final String JAVASCRIPT = """
            const print = console.log.bind(console);
            const line = (text) => `${text}`.slice(0, 200).replace(/\\s+/g, ' ');
            const attempt = (name, call, harmless = () => false) => {
                let got;
                try {
                    got = call();
                } catch (error) {
                    print(`refused ${name} ${error && error.name} ${line(error && error.message)}`);
                    return;
                }
                print(`${harmless(got) ? 'refused' : 'ESCAPED'} ${name} ${line(String(got))}`);
            };
            """;

    protected EscapeTopic(Supplier<BackendBench> benches) {
        super(benches);
    }

    /// The same idea in the languages that tiers run.
    public record Attack(String python, String javaScript) {
        String in(Language language) {
            return switch (language) {
                case PYTHON -> PYTHON + python;
                case JAVASCRIPT, TYPESCRIPT -> JAVASCRIPT + javaScript;
                case WASM -> throw new IllegalArgumentException("attacks are programs of text");
            };
        }

        /// Whether the idea makes sense in this language.
        boolean isFor(Language language) {
            return !(language == Language.PYTHON ? python : javaScript).isEmpty();
        }

        /// Puts a text in place of a word, in all languages.
        Attack with(String word, String text) {
            return new Attack(python.replace(word, text), javaScript.replace(word, text));
        }
    }

    /// Runs an attack, which must come to nothing, and shows that the sandbox still works.
    protected final Ran repelled(Language language, Attack attack) {
        return repelled(sandbox(), language, attack);
    }

    protected final Ran repelled(SandboxHandle sandbox, Language language, Attack attack) {
        Ran ran = run(sandbox, language, attack);
        assertThat(lines(ran)).as(ran.toString()).isNotEmpty().allMatch(line -> line.startsWith("refused "));
        assertThat(ran.result().outcome()).as(ran.toString()).isEqualTo(new Outcome.Exited(0));
        livesOn(sandbox, language);
        return ran;
    }

    protected final Ran run(SandboxHandle sandbox, Language language, Attack attack) {
        return BackendBench.run(sandbox, spec(language, attack));
    }

    protected final Execution.ProcessSpec spec(Language language, Attack attack) {
        return bench().spec(language, attack.in(language));
    }

    protected static List<String> lines(Ran ran) {
        return ran.stdout().lines().toList();
    }

    /// Whatever an attack did, to its interpreter or to itself, the next program knows nothing of it.
    protected final void livesOn(SandboxHandle sandbox, Language language) {
        Ran next = run(sandbox, language, GuestTask.HELLO);
        assertThat(next.stdout()).as("the next program: " + next).isEqualTo("hello, wörld\n");
        assertThat(next.result().outcome()).isEqualTo(new Outcome.Exited(0));
    }
}
