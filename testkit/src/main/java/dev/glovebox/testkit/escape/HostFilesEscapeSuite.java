package dev.glovebox.testkit.escape;

import static dev.glovebox.testkit.Refusals.refusal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.ByteSource;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Language;
import dev.glovebox.testkit.BackendBench;
import dev.glovebox.testkit.BackendBench.Ran;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Reach a file of the host: by its absolute path, by `..`, by a link, by /proc, and by having the caller
/// follow.
public abstract class HostFilesEscapeSuite extends EscapeTopic {
    private static final String CANARY = "canary-of-the-host-7f3a";

    /// Ways to write the path of a file of the host.
    private static final Attack READ = new Attack("""
            import os
            host = 'CANARY_PATH'
            up = '../' * 40
            ways = [host, up + host[1:], '/home/user/' + up + host[1:], '/proc/self/root' + host, '/proc/1/root' + host,
                    '/proc/self/cwd/' + up + host[1:], '/dev/fd/../../' + host, 'file://' + host, '/./' + host,
                    host + '/', '/' + host, host.replace('/', '//'), '\\\\\\\\?\\\\' + host]
            for i, way in enumerate(ways):
                attempt(f'read{i}', lambda: open(way).read())
                attempt(f'stat{i}', lambda: os.stat(way))
            attempt('list', lambda: os.listdir(os.path.dirname(host)))
            os.symlink(host, '/home/user/absolute')
            os.symlink(up + host[1:], '/home/user/relative')
            os.symlink('/', '/home/user/root')
            for way in ['/home/user/absolute', '/home/user/relative', '/home/user/root' + host]:
                attempt('link', lambda: open(way).read())
                attempt('linked', lambda: os.stat(way))
            attempt('write', lambda: open(os.path.dirname(host) + '/from-inside', 'w').write('x'))
            """, """
            const fs = require('fs');
            const host = 'CANARY_PATH';
            const folder = host.slice(0, host.lastIndexOf('/'));
            const up = '../'.repeat(40);
            const ways = [host, up + host.slice(1), '/home/user/' + up + host.slice(1), '/proc/self/root' + host,
                '/proc/1/root' + host, 'file://' + host, '/.' + host, host + '/', '/' + host];
            ways.forEach((way, i) => {
                attempt('read' + i, () => fs.readFileSync(way, 'utf8'));
                attempt('stat' + i, () => fs.statSync(way));
                attempt('require' + i, () => require(way));
            });
            attempt('list', () => fs.readdirSync(folder));
            // Not every library has links: then there is nothing to follow.
            const link = (to, at) => { try { fs.symlinkSync(to, at); } catch {} };
            link(host, '/home/user/absolute');
            link(up + host.slice(1), '/home/user/relative');
            link('/', '/home/user/root');
            for (const way of ['/home/user/absolute', '/home/user/relative', '/home/user/root' + host]) {
                attempt('link', () => fs.readFileSync(way, 'utf8'));
                attempt('linked', () => fs.statSync(way));
            }
            attempt('write', () => fs.writeFileSync(folder + '/from-inside', 'x'));
            """);

    /// What it would show of the host if the sandbox had the host's own /proc, /etc and /sys.
    private static final Attack LOOK = new Attack("""
            for path in PATHS:
                attempt(path, lambda: open(path, 'rb').read(4096).decode('latin-1'), harmless=lambda got: True)
            """, """
            for (const path of PATHS) {
                attempt(path, () => require('fs').readFileSync(path, 'latin1'), () => true);
            }
            """);

    private static final List<String> TELLING = List.of(
            "/etc/hostname",
            "/etc/machine-id",
            "/etc/shadow",
            "/proc/self/environ",
            "/proc/self/cmdline",
            "/proc/self/maps",
            "/proc/self/mountinfo",
            "/proc/1/environ",
            "/sys/class/dmi/id/product_uuid");

    private static final Attack MAKE_LINKS = new Attack("""
            import os
            os.symlink('FOLDER', '/home/user/folder')
            os.symlink('FOLDER/canary', '/home/user/file')
            print('refused nothing yet')
            """, """
            try {
                require('fs').symlinkSync('FOLDER', '/home/user/folder');
                require('fs').symlinkSync('FOLDER/canary', '/home/user/file');
            } catch {}
            print('refused nothing yet');
            """);

    protected HostFilesEscapeSuite(Supplier<BackendBench> benches) {
        super(benches);
    }

    private static Path plant(Path folder) throws IOException {
        Path file = folder.resolve("canary");
        Files.writeString(file, CANARY);
        return file;
    }

    private static void untouched(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).as("files of the host").containsExactly(folder.resolve("canary"));
        }
        assertThat(Files.readString(folder.resolve("canary"))).isEqualTo(CANARY);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void aGuestReachesNoFileOfTheHost(Language language, @TempDir Path folder) throws IOException {
        Path canary = plant(folder);
        Ran ran = repelled(language, READ.with("CANARY_PATH", canary.toString()));
        assertThat(ran.stdout() + ran.stderr()).doesNotContain(CANARY);
        untouched(folder);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void aGuestSeesNothingThatTellsTheHost(Language language) {
        String list = "['" + String.join("', '", TELLING) + "']";
        Ran ran = repelled(language, LOOK.with("PATHS", list));
        for (String path : TELLING) {
            String secret = readHost(Path.of(path));
            if (secret.length() >= 8) {
                assertThat(ran.stdout()).as(path).doesNotContain(secret.substring(0, Math.min(60, secret.length())));
            }
        }
    }

    /// What the host says there; empty if it does not let even us see it.
    private static String readHost(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).strip();
        } catch (IOException _) {
            return "";
        }
    }

    @ParameterizedTest
    @MethodSource("languages")
    void theCallerFollowsNoLinkToTheHost(Language language, @TempDir Path folder) throws IOException {
        plant(folder);
        repelled(language, MAKE_LINKS.with("FOLDER", folder.toString()));
        refusal(() -> BackendBench.read(sandbox(), "/home/user/file")).is(ErrorCode.FILE_NOT_FOUND);
        refusal(() -> BackendBench.read(sandbox(), "/home/user/folder/canary")).is(ErrorCode.FILE_NOT_FOUND);
        refusal(() -> sandbox().list(path("/home/user/folder"), 1)).is(ErrorCode.FILE_NOT_FOUND);
        for (String path : List.of("/home/user/file", "/home/user/folder/new", "/home/user/folder/canary")) {
            // Whether it is refused or lands inside the sandbox: the host has no part in it.
            try {
                sandbox().write(path(path), ByteSource.of(bytes("overwritten")));
            } catch (GloveboxException refused) {
                assertThat(refused.code()).isNotEqualTo(ErrorCode.INTERNAL);
            }
        }
        untouched(folder);
        sandbox().list(path("/home/user"), 1).forEach(entry -> sandbox().remove(path(entry.path())));
        untouched(folder);
    }

    @Test
    void theCallersOwnPathsEndInTheSandbox(@TempDir Path folder) throws IOException {
        Path canary = plant(folder);
        for (String way : List.of(
                canary.toString(),
                "/home/user/../../../../.." + canary,
                "/proc/self/root" + canary,
                "/home/user/./.././../" + canary)) {
            refusal(() -> BackendBench.read(sandbox(), way)).is(ErrorCode.FILE_NOT_FOUND);
            refusal(() -> sandbox().move(path(way), path("/home/user/stolen"))).is(ErrorCode.FILE_NOT_FOUND);
            refusal(() -> sandbox().remove(path(way))).is(ErrorCode.FILE_NOT_FOUND);
        }
        assertThatThrownBy(() -> sandbox().remove(path("/"))).isInstanceOf(RuntimeException.class);
        untouched(folder);
    }
}
