package dev.glovebox.testkit.escape;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Language;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.backend.SandboxHandle;
import dev.glovebox.testkit.BackendBench;
import dev.glovebox.testkit.BackendBench.Ran;
import dev.glovebox.testkit.BackendBench.Running;
import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/// Take over another process: the agent that serves the host, one that has more rights, one of the host.
public abstract class LinuxProcessEscapeSuite extends LinuxEscapeTopic {
    /// The agent is PID 1; the stem, where there is one, is its first child. Not as root of an emulated kernel, who may
    /// look into it: it holds nothing that its sandbox has not.
    private static final String AGENT = """
            import glob, signal, time
            def foreign():
                for directory in glob.glob('/proc/[0-9]*'):
                    try:
                        if os.stat(directory).st_uid != os.getuid() or directory == '/proc/1':
                            yield int(directory[6:])
                    except OSError:
                        pass
            for pid in sorted(set(foreign()) | {1}):
                for request in (16, 0x4206, 0x4207):
                    attempt('ptrace', lambda: call('ptrace', request, pid, 0, 0), harmless=inside)
                for name in ('mem', 'environ', 'maps', 'smaps', 'auxv', 'syscall', 'stack', 'io', 'personality', 'pagemap',
                             'numa_maps', 'clear_refs', 'timers', 'patch_state'):
                    attempt(name, lambda: get(f'/proc/{pid}/{name}'), harmless=nothing)
                for name in ('fd', 'fdinfo', 'map_files', 'cwd', 'root'):
                    attempt(name, lambda: os.listdir(f'/proc/{pid}/{name}'), harmless=nothing)
                for name in ('exe', 'cwd', 'root', 'ns/mnt', 'fd/0', 'fd/3'):
                    attempt(name, lambda: os.readlink(f'/proc/{pid}/{name}'), harmless=inside)
                for name in ('exe', 'mem', 'clear_refs', 'oom_score_adj', 'comm', 'timerslack_ns', 'coredump_filter', 'setgroups'):
                    attempt(name, lambda: put(f'/proc/{pid}/{name}', '0'), harmless=inside)
                local = (ctypes.c_uint64 * 2)(ctypes.addressof(ctypes.create_string_buffer(8)), 8)
                remote = (ctypes.c_uint64 * 2)(0x400000, 8)
                attempt('readv', lambda: call('process_vm_readv', pid, local, 1, remote, 1, 0), harmless=inside)
                attempt('writev', lambda: call('process_vm_writev', pid, local, 1, remote, 1, 0), harmless=inside)
                attempt('kcmp', lambda: call('kcmp', os.getpid(), pid, 0, 0, 0), harmless=inside)
                attempt('getfd', lambda: call('pidfd_getfd', call('pidfd_open', pid, 0), 0, 0), harmless=inside)
                attempt('madvise', lambda: call('process_madvise', call('pidfd_open', pid, 0), remote, 1, 20, 0), harmless=inside)
                attempt('prlimit', lambda: __import__('resource').prlimit(pid, 7, (1, 1)), harmless=inside)
                attempt('priority', lambda: os.setpriority(os.PRIO_PROCESS, pid, 19), harmless=inside)
                attempt('affinity', lambda: os.sched_setaffinity(pid, {0}), harmless=inside)
            """;

    /// Signals of every kind to whoever is not ours; not as root, who could rightly end its own sandbox.
    private static final String SIGNALS = """
            import glob
            for pid in sorted(int(path[6:]) for path in glob.glob('/proc/[0-9]*')):
                if pid == os.getpid():
                    continue
                for number in range(1, 65):
                    attempt(f'kill {pid} {number}', lambda: os.kill(pid, number))
                attempt('pidfd', lambda: call('pidfd_send_signal', call('pidfd_open', pid, 0), 9, None, 0))
            if os.getpgid(0) != 2:
                attempt('group', lambda: os.killpg(2, 9))
            """;

    private static final String DESCRIPTORS = """
            # The third may be the program's own text, or the interpreter's channel to the agent.
            def known(fd, target):
                kind = target.split(':')[0].rstrip('0123456789')
                if target.startswith(('/proc/', '/home/user', '/tmp/')):
                    return True
                return fd < 3 and kind in ('pipe', 'socket', 'host', '/dev/null', '/dev/pts/') or fd == 3 and kind in ('socket', '/memfd')
            for name in sorted(os.listdir('/proc/self/fd'), key=int):
                try:
                    target = os.readlink('/proc/self/fd/' + name)
                except OSError:
                    continue
                print('refused' if known(int(name), target) else 'ESCAPED', 'fd', name, target)
            for fd in range(3, 1024):
                try:
                    os.fstat(fd)
                    target = os.readlink(f'/proc/self/fd/{fd}')
                except OSError:
                    continue
                print('refused' if known(fd, target) else 'ESCAPED', 'open', fd, target)
            for fd in (0, 1, 2):
                attempt('directory', lambda: os.listdir(f'/proc/self/fd/{fd}/..'))
                attempt('at', lambda: os.open('..', os.O_RDONLY, dir_fd=fd))
                attempt('fchdir', lambda: os.fchdir(fd))
            """;

    /// In the jail there is no way to another user. Where root inside is allowed this shows that there is one.
    private static final String USERS = """
            import stat
            attempt('setuid', lambda: os.setuid(0))
            attempt('seteuid', lambda: os.seteuid(0))
            attempt('setresuid', lambda: os.setresuid(0, 0, 0))
            attempt('setgid', lambda: os.setgid(0))
            attempt('setgroups', lambda: os.setgroups([0]))
            attempt('chown', lambda: os.chown('/home/user', 0, 0))
            attempt('capset', lambda: call('capset', (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(*[0xffffffff] * 6)))
            attempt('passwd', lambda: put('/etc/passwd', 'root::0:0::/:/bin/sh'))
            attempt('sudoers', lambda: put('/etc/sudoers', 'user ALL=(ALL) NOPASSWD: ALL'))
            attempt('preload', lambda: put('/etc/ld.so.preload', '/home/user/x.so'))
            found = []
            for at, directories, files in os.walk('/'):
                directories[:] = [d for d in directories if at != '/' or d not in ('proc', 'sys')]
                for name in files:
                    path = os.path.join(at, name)
                    try:
                        if os.lstat(path).st_mode & (stat.S_ISUID | stat.S_ISGID):
                            found.append(path)
                    except OSError:
                        pass
            print('refused', len(found), 'programs with a set-id bit')
            def become(path):
                ways = {'sudo': ['-n', 'id', '-u'], 'su': ['-c', 'id -u'], 'mount': ['-t', 'tmpfs', 'x', '/mnt'],
                        'newgrp': ['root'], 'sg': ['root', 'id -u']}
                arguments = ways.get(os.path.basename(path), ['--help'])
                done = subprocess.run([path] + arguments, stdin=subprocess.DEVNULL, capture_output=True, timeout=2)
                if done.stdout.strip() == b'0' or (os.path.basename(path) == 'mount' and done.returncode == 0):
                    return 'root'
                raise OSError(f'status {done.returncode}')
            for path in found:
                attempt(path, lambda: become(path), harmless=inside)
            # A program of one's own with the bit, run from each place that can be written.
            for place in ('/home/user', '/tmp', '/dev/shm', '/var/tmp'):
                def own():
                    path = place + '/own'
                    with open('/usr/bin/id', 'rb') as source, open(path, 'wb') as copy:
                        copy.write(source.read())
                    os.chmod(path, 0o6755)
                    if subprocess.run([path, '-u'], capture_output=True).stdout.strip() != b'0':
                        raise OSError('still the same user')
                attempt(place, own)
            with open('/proc/self/status') as status:
                print('refused', [line.strip() for line in status if line.startswith(('NoNewPrivs', 'CapEff'))])
            """;

    private static final String HOLD = """
            import time
            call('ptrace', 16, 1, 0, 0)
            time.sleep(60)
            """;

    protected LinuxProcessEscapeSuite(Supplier<BackendBench> benches) {
        super(benches);
    }

    @Test
    void theAgentIsOutOfReach() {
        assertRefused(attackWith(sandbox(), AGENT));
        answers(sandbox());
    }

    @Test
    void noSignalReachesTheAgent() {
        assertRefused(attackWith(sandbox(), SIGNALS));
        answers(sandbox());
    }

    @Test
    void nothingOfTheHostsIsOpen() {
        repelled(DESCRIPTORS);
    }

    @Test
    void nobodyBecomesRootOfTheHost() {
        assertRefused(attackWith(sandbox(), USERS));
        answers(sandbox());
    }

    @Test
    void everyProcessThatTheGuestMayKillIsItsOwn() throws Exception {
        Process bystander = new ProcessBuilder("sleep", "600").start();
        try {
            bash(sandbox(), "kill -9 " + bystander.pid() + "; kill -9 -1; for p in $(seq 2 5000); do kill -9 $p; done");
            assertThat(bystander.isAlive()).as("a process of the host").isTrue();
            answers(sandbox());
        } finally {
            bystander.destroyForcibly();
        }
    }

    /// Root may end the sandbox that is its own: then that is an outcome, and nobody else feels it.
    @Test
    void rootMayEndItsOwnSandboxAndNoOther() {
        SandboxHandle beside = create(bench().request());
        SandboxHandle victim = create(bench().request());
        Ran ran = bash(
                victim,
                "sudo -n kill -9 1; sudo -n kill -9 -1; sudo -n sh -c 'for p in /proc/[0-9]*; do kill -9 ${p#/proc/}; done'");
        if (ran.result().outcome() instanceof Outcome.BackendLost) {
            assertThat(isEmulated()).as(ran.toString()).isTrue();
        } else {
            livesOrIsLost(victim);
        }
        answers(beside);
        answers(create(bench().request()));
    }

    /// Or hold it: then its calls end at their limits, and nobody else's.
    @Test
    void rootMayHoldItsOwnAgentAndNoOther() {
        SandboxHandle beside = create(bench().request());
        SandboxHandle victim = create(bench().request());
        String hold = attack(HOLD).in(Language.PYTHON);
        Running running = BackendBench.startBeside(
                victim, withLimits(command("sudo", "-n", "python3", "-c", hold), wall(Duration.ofSeconds(3))));
        for (int i = 0; i < 20; i++) {
            answers(beside);
        }
        Outcome outcome = running.await().outcome();
        assertThat(isEmulated() || outcome.equals(new Outcome.Exited(1)))
                .as(outcome.sentence())
                .isTrue();
        livesOrIsLost(victim);
        answers(beside);
    }

    private void livesOrIsLost(SandboxHandle sandbox) {
        if (!isEmulated()) {
            answers(sandbox);
            return;
        }
        try {
            Outcome outcome = bash(sandbox, "true").result().outcome();
            assertThat(outcome instanceof Outcome.BackendLost || outcome.equals(new Outcome.Exited(0)))
                    .as(outcome.sentence())
                    .isTrue();
        } catch (GloveboxException lost) {
            assertThat(lost.code()).as(lost.getMessage()).isEqualTo(ErrorCode.BACKEND_LOST);
        }
    }

    @Test
    void theEnvironmentOfAProcessIsItsOwn() {
        Ran ran = bash(sandbox(), "env; cat /proc/1/environ | tr '\\0' '\\n'; tr '\\0' '\\n' < /proc/self/environ");
        System.getenv().forEach((name, value) -> {
            if (value.length() > 12 && !value.startsWith("/usr/local/sbin:") && !value.startsWith("/usr/")) {
                assertThat(ran.stdout()).as(name).doesNotContain(value);
            }
        });
        assertThat(ran.stdout()).doesNotContainIgnoringCase("java").doesNotContainIgnoringCase("token");
    }
}
