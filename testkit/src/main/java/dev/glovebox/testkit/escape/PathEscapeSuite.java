package dev.glovebox.testkit.escape;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Language;
import dev.glovebox.testkit.BackendBench;
import dev.glovebox.testkit.BackendBench.Ran;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Confuse the file system itself: loops, endless paths, names that are none, directories inside themselves.
public abstract class PathEscapeSuite extends EscapeTopic {
    private static final Attack ROOT = new Attack("""
            import os
            up = '/..' * 50
            same = sorted(os.listdir('/'))
            attempt('up', lambda: sorted(os.listdir(up)), harmless=lambda got: got == same)
            os.chdir('/')
            attempt('chdir', lambda: (os.chdir('../../..'), os.getcwd())[1], harmless=lambda got: got == '/')
            attempt('unlink', lambda: os.rmdir('/'))
            attempt('rename', lambda: os.rename('/', '/home/user/root'))
            """, """
            const fs = require('fs');
            const same = fs.readdirSync('/').sort().join();
            attempt('up', () => fs.readdirSync('/..'.repeat(50)).sort().join(), (got) => got === same);
            attempt('chdir', () => {
                process.chdir('/');
                process.chdir('../../..');
                return process.cwd();
            }, (got) => got === '/');
            attempt('unlink', () => fs.rmdirSync('/'));
            attempt('rename', () => fs.renameSync('/', '/home/user/root'));
            """);

    private static final Attack LINKS = new Attack("""
            import os
            os.chdir('/home/user')
            os.symlink('a', 'b')
            os.symlink('b', 'a')
            os.symlink('self/self', 'self')
            os.symlink('.', 'here')
            for i in range(60):
                os.symlink(f'chain{i + 1}', f'chain{i}')
            attempt('loop', lambda: open('a').read())
            attempt('self', lambda: os.stat('self'))
            attempt('here', lambda: open('here/' * 60 + 'a').read())
            attempt('chain', lambda: os.stat('chain0'))
            attempt('make', lambda: os.mkdir('a/x'))
            attempt('long', lambda: os.symlink('x' * 100_000, 'toolong'))
            """, """
            const fs = require('fs');
            // Not every library has links: then there is nothing to follow.
            const link = (to, at) => { try { fs.symlinkSync(to, at); } catch {} };
            link('a', 'b');
            link('b', 'a');
            link('self/self', 'self');
            link('.', 'here');
            for (let i = 0; i < 60; i++) {
                link('chain' + (i + 1), 'chain' + i);
            }
            attempt('loop', () => fs.readFileSync('a'));
            attempt('self', () => fs.statSync('self'));
            attempt('here', () => fs.readFileSync('here/'.repeat(60) + 'a'));
            attempt('chain', () => fs.statSync('chain0'));
            attempt('make', () => fs.mkdirSync('a/x'));
            attempt('long', () => fs.symlinkSync('x'.repeat(100000), 'toolong'));
            """);

    private static final Attack NAMES = new Attack("""
            import os
            os.chdir('/home/user')
            attempt('name', lambda: open('n' * 256, 'w'))
            attempt('path', lambda: open('/home/user/' + 'd/' * 5000 + 'f', 'w'))
            attempt('nul', lambda: open('a\\0b', 'w'))
            attempt('empty', lambda: open('', 'w'))
            attempt('dot', lambda: open('.', 'w'))
            attempt('dots', lambda: open('..', 'w'))
            attempt('mkdot', lambda: os.mkdir('.'))
            attempt('mkdots', lambda: os.mkdir('..'))
            attempt('slash', lambda: open('file/', 'w'))
            os.mkdir('d')
            attempt('inside', lambda: os.rename('d', 'd/d'))
            attempt('deep', lambda: [os.makedirs('x/' * 1500)])
            """, """
            const fs = require('fs');
            attempt('name', () => fs.writeFileSync('n'.repeat(256), ''));
            attempt('path', () => fs.writeFileSync('/home/user/' + 'd/'.repeat(5000) + 'f', ''));
            attempt('nul', () => fs.writeFileSync('a\\0b', ''));
            attempt('empty', () => fs.writeFileSync('', ''));
            attempt('dot', () => fs.writeFileSync('.', ''));
            attempt('dots', () => fs.writeFileSync('..', ''));
            attempt('mkdot', () => fs.mkdirSync('.'), () => true);
            attempt('mkdots', () => fs.mkdirSync('..'), () => true);
            attempt('slash', () => fs.writeFileSync('file/', ''), () => true);
            fs.mkdirSync('d');
            attempt('inside', () => fs.renameSync('d', 'd/d'));
            attempt('deep', () => fs.mkdirSync('x/'.repeat(1500), { recursive: true }));
            """);

    /// Names that would do something in a terminal or a log: the caller gets them as they are and must escape
    /// them.
    private static final Attack TERMINAL = new Attack("""
            open('/home/user/\\x1b[2J\\u202e\\r\\nevil', 'w').write('x')
            print('refused nothing: a name is a name')
            """, """
            require('fs').writeFileSync('/home/user/\\x1b[2J\\u202e\\r\\nevil', 'x');
            print('refused nothing: a name is a name');
            """);

    protected PathEscapeSuite(Supplier<BackendBench> benches) {
        super(benches);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void aboveTheRootIsTheRoot(Language language) {
        repelled(language, ROOT);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void linksThatLeadNowhereEnd(Language language) {
        repelled(language, LINKS);
        sandbox().list(path("/home/user"), 256);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void namesThatAreNoneAreRefused(Language language) {
        repelled(language, NAMES);
        sandbox().list(path("/"), 256);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void aHostileNameIsANameLikeAnyOther(Language language) {
        Ran ran = repelled(language, TERMINAL);
        assertThat(ran.stdout()).doesNotContain("\u001b");
        String name = "/home/user/\u001b[2J\u202e\r\nevil";
        assertThat(BackendBench.readText(sandbox(), name)).isEqualTo("x");
        sandbox().remove(path(name));
    }
}
