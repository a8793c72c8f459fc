package dev.glovebox.testkit.escape;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Language;
import dev.glovebox.testkit.BackendBench;
import dev.glovebox.testkit.BackendBench.Ran;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Learn about the host from inside: its name, its user, its directories, its processes, its environment.
public abstract class HostFactsEscapeSuite extends EscapeTopic {
    private static final Attack FACTS = new Attack("""
            import os, platform, sys
            def tell(name, call):
                attempt(name, call, harmless=lambda got: True)
            tell('uname', lambda: str(os.uname()))
            tell('node', lambda: platform.node())
            tell('environ', lambda: str(dict(os.environ)))
            tell('argv', lambda: str(sys.argv) + str(sys.orig_argv))
            tell('path', lambda: str(sys.path) + sys.executable + sys.prefix)
            tell('ids', lambda: str((os.getpid(), os.getppid(), os.getuid())))
            tell('login', lambda: os.getlogin())
            tell('cpus', lambda: os.cpu_count())
            tell('modules', lambda: str([getattr(m, '__file__', '') for m in list(sys.modules.values())]))
            tell('fds', lambda: str(os.listdir('/proc/self/fd')))
            import gc
            strings = [o for o in gc.get_objects() if isinstance(o, (list, dict, tuple))]
            tell('objects', lambda: str(len(strings)) + ''.join(repr(o) for o in strings if 'HOSTWORD' in repr(o)))
            """, """
            const tell = (name, call) => attempt(name, call, () => true);
            tell('process', () => JSON.stringify([process.title, process.pid, process.argv, process.execPath, process.env,
                process.versions, process.release, process.cwd(), process.config]));
            for (const name of Object.getOwnPropertyNames(globalThis)) {
                tell('global ' + name, () => String(globalThis[name]).slice(0, 300));
            }
            tell('os', () => {
                const os = require('os');
                return JSON.stringify(Object.keys(os).map((key) => typeof os[key] === 'function' ? os[key]() : os[key]));
            });
            tell('stack', () => new Error('where').stack);
            tell('source', () => String(console.log) + String(require) + String(process.exit));
            """);

    protected HostFactsEscapeSuite(Supplier<BackendBench> benches) {
        super(benches);
    }

    /// Words that only the host knows.
    private static List<String> hostWords() throws IOException {
        List<String> words = new ArrayList<>();
        words.add(System.getProperty("user.dir"));
        words.add(System.getProperty("java.home"));
        words.add(System.getProperty("java.io.tmpdir") + "/");
        Path name = Path.of("/etc/hostname");
        if (Files.isReadable(name)) {
            words.add(Files.readString(name).strip());
        }
        System.getenv().forEach((variable, value) -> {
            if (value.length() > 20) {
                words.add(value);
            }
        });
        // A path that every Linux system has tells nothing.
        words.removeIf(word -> word.length() < 6 || word.equals("/usr/bin") || word.equals("/home/user"));
        return words;
    }

    @ParameterizedTest
    @MethodSource("languages")
    void nothingInsideKnowsTheHost(Language language) throws IOException {
        Ran ran = repelled(language, FACTS.with("HOSTWORD", System.getProperty("user.dir")));
        for (String word : hostWords()) {
            assertThat(ran.stdout()).doesNotContain(word);
        }
    }
}
