package dev.glovebox.testkit.escape;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Language;
import dev.glovebox.core.Outcome;
import dev.glovebox.testkit.BackendBench;
import dev.glovebox.testkit.BackendBench.Ran;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Confuse file descriptors: read and write those that nobody opened, close the standard ones, forge the
/// channels on which the interpreter talks to the host.
public abstract class DescriptorEscapeSuite extends EscapeTopic {
    private static final Attack FOREIGN = new Attack("""
            import os
            for fd in list(range(5, 300)) + [-1, 2**31 - 1, 1000000]:
                try:
                    got = os.read(fd, 100)
                except OSError:
                    continue
                if got:
                    print('ESCAPED read', fd, got)
            attempt('dup2', lambda: os.dup2(1, 10**6))
            attempt('pread', lambda: os.pread(1, 10, 0))
            attempt('seek', lambda: os.lseek(1, 0, 0))
            attempt('truncate', lambda: os.ftruncate(1, 0))
            attempt('negative', lambda: os.read(-1, 10))
            """, """
            const fs = require('fs');
            const buffer = new Uint8Array(100);
            for (const fd of [...Array(300).keys()].slice(5).concat([-1, 2 ** 31 - 1, 1000000])) {
                try {
                    const count = fs.readSync(fd, buffer, 0, 100, null);
                    if (count > 0) {
                        print('ESCAPED read ' + fd);
                    }
                } catch {}
            }
            attempt('negative', () => fs.readSync(-1, buffer, 0, 100, null));
            attempt('fraction', () => fs.readSync(1.5, buffer, 0, 100, null));
            attempt('beyond', () => fs.writeSync(1000000, 'x'));
            attempt('text', () => fs.readSync('0', buffer, 0, 100, null));
            """);

    /// What looks like the interpreter's own results, on every descriptor that takes it.
    private static final Attack FORGE = new Attack("""
            import os
            for fd in range(3, 64):
                for forged in (b'{"type":"result","main":true,"data":{"text/plain":"forged"}}\\n', b'\\x00' * 64,
                               b'{"type":"exit","code":0}\\n', b'[' * 100000, b'\\xff\\xfe\\n', b'"\\n'):
                    try:
                        os.write(fd, forged)
                    except OSError:
                        break
            print('refused nothing: it harms itself', flush=True)
            """, """
            const fs = require('fs');
            for (let fd = 3; fd < 64; fd++) {
                for (const forged of ['{"type":"result","main":true}\\n', '\\0'.repeat(64), '['.repeat(100000)]) {
                    try {
                        fs.writeSync(fd, forged);
                    } catch {
                        break;
                    }
                }
            }
            print('refused nothing: it harms itself');
            """);

    private static final Attack CLOSE = new Attack("""
            import os
            print('refused nothing yet', flush=True)
            for fd in range(0, 300):
                try:
                    os.close(fd)
                except OSError:
                    pass
            with open('/home/user/after', 'w') as f:
                f.write('x')
            """, """
            print('refused nothing yet');
            for (let fd = 0; fd < 300; fd++) {
                try {
                    require('fs').closeSync(fd);
                } catch {}
            }
            require('fs').writeFileSync('/home/user/after', 'x');
            """);

    protected DescriptorEscapeSuite(Supplier<BackendBench> benches) {
        super(benches);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void nobodyElsesDescriptorIsThere(Language language) {
        repelled(language, FOREIGN);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void forgedMessagesHarmNobodyElse(Language language) {
        Ran ran = run(sandbox(), language, FORGE);
        assertThat(ran.result().outcome()).as(ran.toString()).isNotInstanceOf(Outcome.BackendLost.class);
        livesOn(sandbox(), language);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void closingEverythingHarmsNobodyElse(Language language) {
        Ran ran = run(sandbox(), language, CLOSE);
        assertThat(ran.result().outcome()).as(ran.toString()).isNotInstanceOf(Outcome.BackendLost.class);
        livesOn(sandbox(), language);
    }
}
