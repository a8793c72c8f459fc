"""Tests of glovebox-agent: a real agent on a socket pair, as a normal child and as the first process of namespaces."""

import mmap
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import traceback

from host import *

HERE = os.path.dirname(os.path.abspath(__file__))
AGENT = os.path.abspath(os.environ['AGENT'])
ASAN = 'asan' in os.path.basename(AGENT)
NAMESPACES = ('unshare', '--pid', '--mount', '--fork', '--kill-child', '--mount-proc')
WORK = tempfile.mkdtemp(prefix='agent-test-')
KERNELS = os.path.join(WORK, 'kernels')
USER = 'nobody'

TESTS = []
LIVE = []


class Skip(Exception):
    pass


def test(function):
    TESTS.append(function)
    return function


def agent(*options, pid1=False, **more):
    made = Agent(AGENT, ['--kernels', KERNELS, '--user', USER, *options], NAMESPACES if pid1 else (), **more)
    LIVE.append(made)
    return made


def equal(actual, expected):
    assert actual == expected, f'{actual!r:.600} is not {expected!r:.600}'


def exited(channel, code=0):
    equal((channel.get('STATUS'), channel.get('OUTCOME'), channel.get('EXIT_CODE')), (OK, EXITED, code))
    return channel


def directory(mode=0o777):
    path = tempfile.mkdtemp(dir=WORK)
    os.chmod(path, mode)
    return path


def processes_with(text):
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/cmdline', 'rb') as file:
                if text.encode() in file.read():
                    found.append(int(pid))
        except OSError:
            pass
    return found


def soon(condition, seconds=3):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, 'it did not come true'
        time.sleep(0.01)


class Group:
    """A cgroup v1 of a test's own."""

    def __init__(self, controller, **values):
        root = f'/sys/fs/cgroup/{controller}'
        if not os.path.isdir(root) or not os.path.exists(f'{root}/cgroup.procs') or os.geteuid() != 0:
            raise Skip(f'no cgroup v1 controller {controller} that we may use')
        self.path = f'{root}/agent-test-{os.getpid()}'
        os.makedirs(self.path, exist_ok=True)
        GROUPS.append(self)
        for name, value in values.items():
            with open(f'{self.path}/{controller}.{name}', 'w') as file:
                file.write(str(value))

    def open(self, name, flags=os.O_RDONLY):
        return os.open(f'{self.path}/{name}', flags)

    def remove(self):
        soon(self.try_remove)

    def try_remove(self):
        try:
            os.rmdir(self.path)
        except FileNotFoundError:
            pass
        except OSError:
            return False
        return True


GROUPS = []


# ---- processes

@test
def output_error_and_status():
    a = agent()
    c = exited(a.shell('echo out; echo err >&2; exit 7'), 7)
    equal((c.out, c.err), (b'out\n', b'err\n'))
    equal(c['USED_OUTPUT_BYTES'], 8)
    equal(c.items[0], ('STATUS', OK))
    assert ('STARTED', 1) in c.records()[0] and c['USED_WALL_MICROS'] > 0 and c['USED_MEMORY_BYTES'] > 100000


@test
def as_first_process_of_a_sandbox():
    a = agent(pid1=True)
    c = exited(a.shell('echo $$ $PPID; id -un'))
    lines = c.out.decode().split()
    equal(lines[1:], ['1', USER])
    equal(dict(c.records()[0])['PROCESS_ID'], int(lines[0]))
    equal(a.finish(), 0)


@test
def gives_up_all_privileges():
    a = agent()
    for user in (USER, 'root'):
        status = exited(a.run('cat', '/proc/self/status', USER=user)).out.decode()
        values = dict(line.split(':\t', 1) for line in status.splitlines() if ':\t' in line)
        for name in ('CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'):
            equal(int(values[name], 16), 0)
        equal(values['NoNewPrivs'], '1')
        uid = '65534' if user == USER else '0'
        equal(values['Uid'].split(), [uid] * 4)
        equal(values['Groups'].split(), [uid])
    equal(exited(a.run('cat', '/proc/self/oom_score_adj')).out, b'1000\n')
    equal(exited(a.shell('ulimit -c; ls /proc/self/fd | wc -l')).out.split(), [b'0', b'4'])
    assert a.shell('echo 1 > /proc/sys/kernel/printk', USER='root')['EXIT_CODE'] != 0
    a.finish()
    a = agent(pid1=True)
    c = a.shell('cat /proc/1/environ; readlink /proc/1/fd/* /proc/1/exe; cat /proc/1/maps; for s in KILL TERM CHLD STOP HUP; do kill -$s 1; done', USER='root')
    assert c.out == b'', c.out
    a.ping()


@test
def keeps_privileges_when_told():
    a = agent('--keep-privileges')
    status = exited(a.run('cat', '/proc/self/status', USER='root')).out.decode()
    assert 'CapEff:\t0000000000000000' not in status and 'NoNewPrivs:\t0' in status


@test
def root_can_be_refused():
    a = agent('--root-allowed', 'no')
    equal(a.run('id', USER='root')['STATUS'], PERMISSION)
    equal(a.run('id', USER='nosuch')['STATUS'], NOT_FOUND)
    equal(exited(a.run('id', '-un')).out, b'nobody\n')


@test
def environment_and_directory():
    a = agent()
    d = directory()
    equal(a.call(CONFIGURE, ('ENVIRONMENT', 'A=1'), ('ENVIRONMENT', 'B=2'), DIRECTORY=d,
                 ENTROPY=os.urandom(32))['STATUS'], OK)
    c = exited(a.shell('echo $A $B $C $HOME $USER $LANG; pwd', ENVIRONMENT='B=3'))
    home = subprocess.check_output(['getent', 'passwd', USER], text=True).split(':')[5]
    equal(c.out.decode().split(), ['1', '3', home, USER, 'C.UTF-8', d])
    equal(exited(a.shell('echo $HOME $USER', USER='root')).out, b'/root root\n')
    equal(a.run('true', DIRECTORY='/nonexistent')['STATUS'], NOT_FOUND)
    os.mkdir(d + '/sub')
    equal(exited(a.run('pwd', DIRECTORY='sub')).out.decode().strip(), d + '/sub')
    equal(a.run('true', ENVIRONMENT='nonsense')['STATUS'], INVALID)


@test
def programs_that_cannot_start():
    a = agent()
    d = directory()
    with open(d + '/plain', 'w') as file:
        file.write('echo plain $1\n')
    equal(a.run('no-such-program')['STATUS'], NOT_FOUND)
    equal(a.run('/no/such/program')['STATUS'], NOT_FOUND)
    equal(a.run(d + '/plain')['STATUS'], PERMISSION)
    os.chmod(d + '/plain', 0o755)
    equal(exited(a.run(d + '/plain', 'x')).out, b'plain x\n')
    equal(a.open(PROCESS).wait()['STATUS'], INVALID)
    equal(a.run('x' * 50000 + '\0')['STATUS'], INVALID)
    equal(a.run('echo', *['y' * 1000] * 1200)['STATUS'], INVALID)
    equal(len(exited(a.run('echo', *['y' * 1000] * 900)).out), 900 * 1001)


@test
def python_shows_its_lines_to_whoever_asks():
    code = (b'import inspect, sys, traceback\n'
            b'def f(): return 1 / 0  # here\n'
            b'try: f()\n'
            b'except ZeroDivisionError: traceback.print_exc(file=sys.stdout)\n'
            b'print(inspect.getsource(f))\n'
            b'print(sys.meta_path)\n')
    c = agent().open(PROCESS, ('CODE', code), LANGUAGE='python').wait()
    exited(c)
    equal(c.out.count(b'# here'), 2)
    assert b'Lines' not in c.out, c.out


@test
def code_in_languages():
    a = agent()
    d = directory()
    with open(d + '/helper.py', 'w') as file:
        file.write('VALUE = 42\n')
    c = a.open(PROCESS, ('CODE', b'import sys, helper\nprint(helper.VALUE, sys.argv, __name__)\ndef f():\n    1/0\nf()\n'),
               LANGUAGE='python', FILE_NAME='prog.py', DIRECTORY=d).wait()
    equal(c.out, b"42 ['prog.py'] __main__\n")
    equal(c['EXIT_CODE'], 1)
    assert b'File "prog.py", line 5, in <module>\n    f()\n' in c.err and b'<string>' not in c.err, c.err
    c = a.open(PROCESS, ('CODE', b'print(input())'), ('ARGUMENT', 'p'), ('ARGUMENT', 'q'), LANGUAGE='python',
               STDIN_OPEN=1)
    c.send(STDIN, b'typed\n')
    c.end(STDIN)
    equal(exited(c.wait()).out, b'typed\n')
    equal(exited(a.open(PROCESS, ('CODE', b'echo $0 "$@"'), ('ARGUMENT', 'n'), ('ARGUMENT', 'a b'),
                        LANGUAGE='bash').wait()).out, b'n a b\n')
    long = b': ' + b'x' * 300000 + b'\necho long\n'
    equal(exited(a.open(PROCESS, ('CODE', long), LANGUAGE='bash').wait()).out, b'long\n')
    typed = a.open(PROCESS, ('CODE', b'const n: number = 6 * 7; console.log(n)'), LANGUAGE='typescript').wait()
    strips = subprocess.run(['node', '-p', 'typeof require("module").stripTypeScriptTypes'], capture_output=True).stdout
    if strips == b'function\n':
        equal(exited(typed).out, b'42\n')
        # Enums and namespaces become code; the wait makes it a module.
        rich = b'enum A {X = 5}\nnamespace B { export const y: number = 6 }\nconsole.log(A.X, A[5], await B.y)'
        equal(exited(a.open(PROCESS, ('CODE', rich), LANGUAGE='typescript').wait()).out, b'5 X 6\n')
    else:
        assert b'typescript needs' in exited(typed, 1).err and ('ERROR_NAME', 'Error') in typed.records()[1]
    equal(a.open(PROCESS, ('CODE', b'1'), LANGUAGE='cobol').wait()['STATUS'], INVALID)
    if shutil.which('node'):
        for waits in (b'await 1; console.log(7)', b'console.log(await 7)', b'import fs from "fs"; console.log(await 7)',
                      b'console.log(await 7)\nimport fs from "fs"'):
            equal(exited(a.open(PROCESS, ('CODE', waits), LANGUAGE='javascript').wait()).out, b'7\n')
        broken = a.open(PROCESS, ('CODE', b'console.log(7'), LANGUAGE='javascript', FILE_NAME='broken.js').wait()
        assert b'broken.js:1' in exited(broken, 1).err, broken.err
        c = a.open(PROCESS, ('CODE', b'console.log(process.argv.slice(2), require.main === module); process.exit(3)'),
                   ('ARGUMENT', 'm.js'), ('ARGUMENT', 'k'), LANGUAGE='javascript').wait()
        equal((c.out, c['EXIT_CODE']), (b"[ 'k' ] true\n", 3))
        c = a.open(PROCESS, ('CODE', b'import fs from "fs"; await 1; console.log(typeof fs.readFileSync)'),
                   LANGUAGE='javascript').wait()
        equal((c.out, c.err), (b'function\n', b''))


@test
def input_until_its_end():
    a = agent()
    c = a.run('cat', wait=False, STDIN_OPEN=1).started()
    data = random.randbytes(3_000_000)
    c.send(STDIN, data)
    c.end(STDIN)
    assert exited(c.wait()).out == data
    equal(exited(a.run('cat')).out, b'')


@test
def input_nobody_reads_gets_no_credit():
    a = agent()
    c = a.run('sleep', '30', wait=False, STDIN_OPEN=1).started()
    a.send(b''.join(frame(DATA, STDIN, c.number, b'z' * 65536) for _ in range(4)))
    a.idle(0.2)
    assert c.credit[STDIN] == 256 * 1024 + 65536 or c.credit[STDIN] == 256 * 1024, c.credit
    a.ping()
    a.shell('true')
    c.cancel()
    equal(c.wait()['STATUS'], CANCELLED)
    c = a.shell('exec <&-; echo closed; sleep 0.3', wait=False, STDIN_OPEN=1).started()
    c.until(lambda: b'closed' in c.out)
    for _ in range(10):
        c.send(STDIN, b'q' * 65536)
    exited(c.wait())


@test
def large_output_is_complete():
    a = agent()
    began = time.monotonic()
    c = a.open(PROCESS, ('ARGUMENT', 'head'), ('ARGUMENT', '-c'), ('ARGUMENT', '100000000'), ('ARGUMENT', '/dev/zero'))
    c.keeps = False
    c.wait(60)
    seconds = time.monotonic() - began
    exited(c)
    equal(c['USED_OUTPUT_BYTES'], 100_000_000)
    FIGURES['100 MB of output, MB/s'] = round(100 / seconds)
    c = exited(a.shell('i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done'))
    equal(c.out, b''.join(b'line %d\n' % i for i in range(20000)))


@test
def output_nobody_reads():
    a = agent()
    c = a.run('yes', wait=False)
    c.grants = False
    c.started()
    a.pump(lambda: c.received - len(c.data[RECORDS]) >= 256 * 1024, 5)
    a.idle(0.2)
    equal(len(c.out), 256 * 1024)
    assert a.ping() < 0.5
    exited(a.shell('echo others go on'))
    with open(f'/proc/{a.process.pid}/statm') as file:
        resident = int(file.read().split()[1]) * 4096
    assert ASAN or resident < 8 << 20, resident
    c.grant(STDOUT, 100000)
    a.pump(lambda: len(c.out) == 256 * 1024 + 100000, 5)
    c.cancel()
    equal(c.wait()['OUTCOME'], KILLED)


@test
def host_that_reads_nothing_at_all():
    a = agent()
    channels = [a.run('yes', wait=False) for _ in range(8)]
    for c in channels:
        c.grant(STDOUT, 1 << 29)
    time.sleep(0.7)
    with open(f'/proc/{a.process.pid}/statm') as file:
        resident = int(file.read().split()[1]) * 4096
    assert ASAN or resident < 12 << 20, resident
    for c in channels:
        c.keeps = c.grants = False
        c.cancel()
    for c in channels:
        equal(c.wait()['OUTCOME'], KILLED)


@test
def limits_of_time():
    a = agent()
    began = time.monotonic()
    c = a.run('sleep', '10', WALL_MILLIS=150)
    assert 0.14 < time.monotonic() - began < 1
    equal((c['STATUS'], c['OUTCOME'], c.get('WALL_MILLIS'), c.get('CPU_MILLIS')), (OK, TIMED_OUT, 150, None))
    c = a.shell('while :; do :; done', CPU_MILLIS=120, WALL_MILLIS=10000)
    equal((c['OUTCOME'], c.get('CPU_MILLIS')), (TIMED_OUT, 120))
    assert 100_000 < c['USED_CPU_MICROS'] < 600_000, c['USED_CPU_MICROS']
    c = a.shell('(while :; do :; done) & (while :; do :; done) & wait', CPU_MILLIS=150, WALL_MILLIS=10000)
    equal((c['OUTCOME'], c.get('CPU_MILLIS')), (TIMED_OUT, 150))


@test
def limit_of_output():
    a = agent()
    c = a.run('yes', OUTPUT_BYTES=100_001)
    equal((c['STATUS'], c['OUTCOME'], c['RULE'], c['USED_OUTPUT_BYTES']), (OK, KILLED_BY_POLICY, 'limits.output', 100_001))
    equal(len(c.out), 100_001)
    equal(c['REASON'], 'wrote more than its limit of 100001 bytes of output')
    exited(a.run('head', '-c', '1000', '/dev/zero', OUTPUT_BYTES=1000))


@test
def limit_of_memory_of_one_process():
    a = agent()
    a.call(CONFIGURE, MEMORY_BYTES=1 << 30)
    c = a.run('python3', '-c', 'x = bytearray(300_000_000)\nimport time\ntime.sleep(20)', MEMORY_BYTES=100_000_000)
    equal((c['OUTCOME'], c['MEMORY_BYTES']), (OUT_OF_MEMORY, 100_000_000))


@test
def memory_without_a_cgroup():
    a = agent('--memory-limit', '150000000', pid1=True)
    small = a.run('sleep', '20', wait=False).started()
    c = a.run('python3', '-c', 'x = bytearray(400_000_000)\nimport time\ntime.sleep(20)')
    equal((c['OUTCOME'], c['MEMORY_BYTES']), (OUT_OF_MEMORY, 150_000_000))
    small.cancel()
    equal(small.wait()['STATUS'], CANCELLED)


@test
def signals():
    a = agent()
    c = a.shell('trap "echo got; exit 5" TERM; echo ready; while :; do sleep 0.02; done', wait=False)
    c.until(lambda: b'ready' in c.out)
    c.control(SIGNAL=15)
    equal(exited(c.wait(), 5).out, b'ready\ngot\n')
    c = a.run('sleep', '20', wait=False).started()
    c.control(SIGNAL=15)
    equal((c.wait()['OUTCOME'], c['REASON']), (KILLED, 'signal 15'))
    c = a.run('sleep', '20', wait=False).started()
    c.control(SIGNAL=9)
    equal((c.wait()['OUTCOME'], c['REASON']), (KILLED, 'signal 9'))
    exited(a.shell('kill -SEGV $$'), 128 + 11)
    c = a.run('sleep', '20', wait=False).started()
    c.control(INTERRUPT=1)
    exited(c.wait(), 130)
    c = a.shell('trap "" INT; echo ready; sleep 20', wait=False)
    c.until(lambda: b'ready' in c.out)
    began = time.monotonic()
    c.control(INTERRUPT=1)
    equal((c.wait()['OUTCOME'], c['REASON']), (KILLED, 'did not heed the interrupt in 500 ms'))
    assert 0.45 < time.monotonic() - began < 1.2
    c = a.shell('sleep 20 & sleep 20 & echo ready; wait', wait=False)
    c.until(lambda: b'ready' in c.out)
    c.control(SIGNAL=15)
    c.wait()


@test
def programs_heed_what_others_ignored():
    for options in [], ['--keep-privileges', '--no-stem']:
        made = Agent(AGENT, ['--kernels', KERNELS, '--user', USER, *options],
                     ['sh', '-c', 'trap "" HUP INT TERM USR1; exec "$@"', 'sh'])
        LIVE.append(made)
        c = exited(made.run('grep', '-E', '^Sig(Ign|Blk):', '/proc/self/status').wait())
        equal(c.out.split(), [b'SigBlk:', b'0' * 16, b'SigIgn:', b'0' * 16])
        equal(exited(made.shell('umask').wait()).out, b'0022\n')


@test
def cancel_within_50_ms():
    a = agent()
    worst = 0
    for command in ('sleep 50', 'yes', 'trap "" TERM INT HUP; while :; do :; done'):
        c = a.shell(command, wait=False).started()
        a.idle(0.05)
        began = time.monotonic()
        c.cancel()
        c.wait()
        worst = max(worst, c.closed_at - began)
        equal((c['STATUS'], c['OUTCOME'], c['REASON']), (CANCELLED, KILLED, 'cancelled'))
    FIGURES['CANCEL to CLOSE, worst, ms'] = round(worst * 1000, 1)
    assert worst < (0.5 if ASAN else 0.1), worst
    c = a.run('sleep', '10', wait=False)
    c.cancel()
    equal(c.wait()['STATUS'], CANCELLED)


def daemons(pid1):
    a = agent(pid1=pid1)
    mark = f'31{random.randrange(10**6, 10**7)}'
    script = f'''
import os, time
for layers in range(1, 4):
    if os.fork() == 0:
        for _ in range(layers):
            os.setsid() if os.getpid() != os.getsid(0) else None
            if os.fork(): os._exit(0)
        os.execvp('sleep', ['sleep', '{mark}'])
print('ready', flush=True)
time.sleep(100)
'''
    c = a.run('python3', '-c', script, wait=False)
    c.until(lambda: b'ready' in c.out)
    soon(lambda: len(processes_with(mark + '\0')) >= 3)
    c.cancel()
    c.wait()
    soon(lambda: not [pid for pid in processes_with(mark + '\0') if 'python' not in open(f'/proc/{pid}/comm').read()], 2)
    if pid1:
        exited(a.shell(f'setsid sleep {mark} & echo x'))
        equal(len(processes_with(mark + '\0')), 1)
        a.finish()
        soon(lambda: not processes_with(mark + '\0'))


@test
def daemons_die_with_cancel():
    daemons(False)


@test
def another_agents_processes_are_left_alone():
    mine, other = agent(), agent()
    kept = other.shell('sleep 1; echo kept', wait=False).started()
    cancelled = mine.shell('sleep 10', wait=False).started()
    cancelled.cancel()
    equal(cancelled.wait()['OUTCOME'], KILLED)
    equal(exited(kept.wait()).out, b'kept\n')


@test
def daemons_die_with_cancel_in_a_sandbox():
    daemons(True)


@test
def children_that_keep_the_output_open():
    a = agent()
    began = time.monotonic()
    c = exited(a.shell('sleep 5 & echo x'))
    equal(c.out, b'x\n')
    assert time.monotonic() - began < 1.5
    c = exited(a.shell('(sleep 0.05; echo late) & echo x'))
    equal(c.out, b'x\nlate\n')
    began = time.monotonic()
    c = exited(a.shell('yes & exec true'))
    assert time.monotonic() - began < 4


@test
def zombies_are_reaped():
    a = agent(pid1=True)
    exited(a.shell('i=0; while [ $i -lt 50 ]; do (setsid true &) ; i=$((i+1)); done; sleep 0.2', WALL_MILLIS=20000))
    c = exited(a.shell('cat /proc/*/stat | grep -c " Z " || true'))
    equal(c.out, b'0\n')


@test
def thousand_processes_in_a_row():
    a = agent(pid1=True)
    count = 200 if ASAN else 1000
    began = time.monotonic()
    for i in range(count):
        c = exited(a.run('/bin/echo', str(i)))
        equal(c.out, b'%d\n' % i)
    FIGURES['short process, open to CLOSE, ms'] = round((time.monotonic() - began) / count * 1000, 2)
    fds = len(os.listdir(f'/proc/{child_of(a.process.pid)}/fd'))
    assert fds < 20, fds


def child_of(pid):
    with open(f'/proc/{pid}/task/{pid}/children') as file:
        return int(file.read().split()[0])


@test
def many_processes_at_once():
    a = agent()
    channels = [a.shell(f'sleep 0.2; echo {i}', wait=False) for i in range(100)]
    for i, c in enumerate(channels):
        equal(exited(c.wait()).out, b'%d\n' % i)
    channels = [a.run('sleep', '20', wait=False) for _ in range(260)]
    for c in channels[256:]:
        equal(c.wait()['STATUS'], TOO_MANY)
    for c in channels[:256]:
        c.cancel()
    for c in channels[:256]:
        equal(c.wait()['STATUS'], CANCELLED)


@test
def terminals():
    a = agent()
    c = a.run('/bin/sh', '-c', 'tty; stty size; read x; echo "<$x>"; stty size; id -un; stat -c %U $(tty)', wait=False,
              STDIN_OPEN=1, COLUMNS=91, ROWS=33).started()
    c.until(lambda: b'33 91' in c.out)
    c.control(COLUMNS=100, ROWS=40)
    c.send(STDIN, b'typed\n')
    text = exited(c.wait()).out.replace(b'\r', b'').decode()
    assert text.startswith('/dev/pts/') and '\ntyped\n<typed>\n40 100\nnobody\nnobody\n' in text, text
    c = a.run('cat', wait=False, STDIN_OPEN=1, COLUMNS=80, ROWS=24).started()
    c.send(STDIN, b'a\n')
    c.until(lambda: c.out.count(b'a') == 2)
    c.end(STDIN)
    exited(c.wait())
    c = a.run('/bin/sh', '-i', wait=False, STDIN_OPEN=1, COLUMNS=80, ROWS=24, ENVIRONMENT='PS1=# ').started()
    c.send(STDIN, b'sleep 100\n')
    a.idle(0.3)
    c.send(STDIN, b'\x03')
    c.send(STDIN, b'echo $((40+2))\n')
    c.until(lambda: b'42' in c.out)
    c.send(STDIN, b'exit 3\n')
    exited(c.wait(), 3)


@test
def freeze_and_thaw():
    a = agent(pid1=True)
    c = a.shell('while :; do echo x; sleep 0.01; done', wait=False, WALL_MILLIS=3000).started()
    c.until(lambda: b'x' in c.out)
    equal(a.call(FREEZE)['STATUS'], OK)
    a.idle(0.1)
    size = len(c.out)
    a.idle(0.4)
    equal(len(c.out), size)
    equal(a.call(THAW)['STATUS'], OK)
    c.until(lambda: len(c.out) > size)
    c.cancel()
    equal(c.wait()['STATUS'], CANCELLED)


# ---- control groups

@test
def born_in_the_group():
    group = Group('pids', max=64)
    join = group.open('cgroup.procs', os.O_WRONLY)
    a = agent('--join', str(join), pid1=True, pass_fds=[join])
    os.close(join)
    c = exited(a.shell('grep pids: /proc/self/cgroup; echo $PPID'))
    assert os.path.basename(group.path) in c.out.decode() and c.out.split()[-1] == b'1', c.out
    began = time.monotonic()
    for _ in range(100):
        exited(a.run('/bin/true'))
    FIGURES['short process by the stem, ms'] = round((time.monotonic() - began) * 10, 2)
    with open(f'/proc/{child_of(a.process.pid)}/cgroup') as file:
        assert os.path.basename(group.path) not in file.read(), 'the agent is in the group'
    # The stem is not for ever.
    with open(f'{group.path}/cgroup.procs') as file:
        stem = int(file.read().split()[0])
    os.kill(stem, signal.SIGKILL)
    soon(lambda: a.shell('grep -c pids:/ /proc/self/cgroup')['STATUS'] == OK)
    c = exited(a.shell('grep pids: /proc/self/cgroup'))
    assert os.path.basename(group.path) in c.out.decode()
    a.finish()
    group.remove()


@test
def directories_of_the_root_that_come_later():
    # Landlock's rules are for directories that exist; who starts processes keeps them, and must notice a new one.
    group = Group('pids', max=64)
    join = group.open('cgroup.procs', os.O_WRONLY)
    a = agent('--join', str(join), pid1=True, pass_fds=[join])
    os.close(join)
    exited(a.run('true'))
    time.sleep(2.5)
    exited(a.run('true'))
    path = f'/glovebox-agent-test-{os.getpid()}'
    equal(a.call(MAKE_DIRECTORY, PATH=path, USER='root', FILE_MODE=0o777)['STATUS'], OK)
    try:
        os.chmod(path, 0o777)
        exited(a.shell(f'echo x > {path}/file'))
        assert a.shell('echo 5 > /proc/self/oom_score_adj')['EXIT_CODE'] != 0
    finally:
        shutil.rmtree(path)
    a.finish()
    group.remove()


@test
def long_arguments_by_the_stem():
    group = Group('pids', max=64)
    join = group.open('cgroup.procs', os.O_WRONLY)
    a = agent('--join', str(join), pid1=True, pass_fds=[join])
    os.close(join)
    for size in (20_000, 31_000, 33_000, 50_000):
        equal(exited(a.run('printf', '%s', 'x' * size)).out, b'x' * size)
    script = os.path.join(directory(), 'script')
    with open(script, 'w') as file:
        file.write('echo "$# $2"\n')
    os.chmod(script, 0o755)
    equal(exited(a.run(script, 'a', 'b')).out, b'2 b\n')
    equal(a.run('no-such-program')['STATUS'], NOT_FOUND)
    equal(a.run('/etc/passwd')['STATUS'], PERMISSION)
    a.finish()
    group.remove()


@test
def fork_bomb_in_its_group():
    group = Group('pids', max=100)
    join = group.open('cgroup.procs', os.O_WRONLY)
    a = agent('--join', str(join), pid1=True, pass_fds=[join])
    os.close(join)
    c = a.run('bash', '-c', 'f() { f | f & }; f; sleep 100', wait=False).started()
    c.keeps = False
    a.idle(0.8)
    assert a.ping() < 1
    other = a.shell('echo alive')
    assert other['STATUS'] in (OK, TOO_MANY, FAILED), other.items
    began = time.monotonic()
    c.cancel()
    c.wait()
    FIGURES['fork bomb, CANCEL to CLOSE, ms'] = round((c.closed_at - began) * 1000)
    soon(lambda: len(open(f'{group.path}/cgroup.procs').read().split()) <= 1, 5)
    exited(a.shell('echo fine'))
    a.finish()
    group.remove()


@test
def out_of_memory_in_its_group():
    group = Group('memory', limit_in_bytes=60_000_000)
    fds = [group.open('cgroup.procs', os.O_WRONLY), group.open('memory.oom_control'),
           group.open('memory.usage_in_bytes'), group.open('memory.max_usage_in_bytes')]
    a = agent('--join', str(fds[0]), '--oom', str(fds[1]), '--memory-usage', str(fds[2]), '--memory-peak', str(fds[3]),
              pid1=True, pass_fds=fds)
    a.call(CONFIGURE, MEMORY_BYTES=60_000_000)
    for fd in fds:
        os.close(fd)
    with open(f'{group.path}/memory.oom_control') as file:
        if 'oom_kill ' not in file.read():
            raise Skip('memory.oom_control does not count kills')
    c = a.run('python3', '-c', 'x = bytearray(200_000_000)')
    equal((c['OUTCOME'], c.get('MEMORY_BYTES')), (OUT_OF_MEMORY, 60_000_000))
    exited(a.shell('kill -9 $$'), 137)
    metrics = a.call(METRICS)
    assert metrics['PEAK_MEMORY_BYTES'] > 30_000_000 and metrics['USED_MEMORY_BYTES'] < 60_000_000, metrics.items
    a.finish()
    group.remove()


@test
def seccomp_program():
    # Denies uname with EPERM, allows all else: load nr; if it is 63 return ERRNO|1; return ALLOW.
    program = (struct.pack('<HBBI', 0x20, 0, 0, 0) + struct.pack('<HBBI', 0x15, 0, 1, 63)
               + struct.pack('<HBBI', 0x06, 0, 0, 0x00050001) + struct.pack('<HBBI', 0x06, 0, 0, 0x7fff0000))
    path = os.path.join(WORK, 'filter')
    with open(path, 'wb') as file:
        file.write(program)
    fd = os.open(path, os.O_RDONLY)
    a = agent('--filter', str(fd), pass_fds=[fd])
    os.close(fd)
    c = a.run('uname', '-s')
    assert c['EXIT_CODE'] != 0, c.items
    assert 'Seccomp:\t2' in exited(a.run('cat', '/proc/self/status')).out.decode()


# ---- files

@test
def files_round_trip():
    a = agent()
    d = directory()
    data = random.randbytes(700_000)
    c = a.write(d + '/new/deep/f', data, RECURSIVE=1, FILE_MODE=0o640)
    equal(c['STATUS'], OK)
    equal((c['PATH'], c['FILE_TYPE'], c['FILE_SIZE'], c['FILE_MODE'], c['FILE_OWNER']),
          (d + '/new/deep/f', 1, len(data), 0o640, USER))
    c = a.call(READ, PATH=d + '/new/deep/f')
    assert c.content == data and c['FILE_SIZE'] == len(data)
    c = a.call(READ, PATH=d + '/new/deep/f', OFFSET=1000, LENGTH=5)
    equal(c.content, data[1000:1005])
    equal(a.write(d + '/new/deep/f', b'short')['FILE_MODE'], 0o640)
    equal(a.call(READ, PATH=d + '/new/deep/f').content, b'short')
    equal(a.write(d + '/new/deep/f', b'HOR', OFFSET=1)['STATUS'], OK)
    equal(a.call(READ, PATH=d + '/new/./deep/../deep/f').content, b'sHORt')
    equal(a.write(d + '/missing/f', b'')['STATUS'], NOT_FOUND)
    equal(a.write(d + '/new', b'')['STATUS'], IS_A_DIRECTORY)
    equal(a.call(READ, PATH=d)['STATUS'], IS_A_DIRECTORY)
    equal(a.call(READ, PATH=d + '/nothing')['STATUS'], NOT_FOUND)
    equal(a.call(READ, PATH='relative')['STATUS'], INVALID)
    os.mkfifo(d + '/fifo')
    equal(a.call(READ, PATH=d + '/fifo')['STATUS'], INVALID)
    os.chmod(d + '/fifo', 0o666)
    equal(a.write(d + '/fifo', b'x')['STATUS'], INVALID)
    equal(sorted(os.listdir(d)), ['fifo', 'new'])
    c = a.open(WRITE, PATH=d + '/half')
    c.send(CONTENT, b'x' * 100)
    c.cancel()
    equal(c.wait()['STATUS'], CANCELLED)
    equal(sorted(os.listdir(d)), ['fifo', 'new'])


@test
def files_belong_to_their_user():
    a = agent()
    d = directory(0o755)
    secret = d + '/secret'
    with open(secret, 'w') as file:
        file.write('s')
    os.chmod(secret, 0o600)
    equal(a.call(READ, PATH=secret)['STATUS'], PERMISSION)
    equal(a.call(READ, PATH=secret, USER='root').content, b's')
    equal(a.write(d + '/x', b'')['STATUS'], PERMISSION)
    equal(a.write(d + '/x', b'', USER='root')['FILE_OWNER'], 'root')
    equal(a.write(d + '/y', b'', USER='root', FILE_OWNER=USER)['FILE_OWNER'], USER)
    c = a.write(d + '/a', b'', USER='root', XATTRS=1, XATTR_NAME='user.k', XATTR_VALUE=b'v')
    equal((c['XATTR_NAME'], c['XATTR_VALUE']), ('user.k', b'v'))
    c = a.call(MOVE, PATH=d + '/a', TARGET_PATH=d + '/b', USER='root', XATTRS=1)
    equal((c['XATTR_NAME'], c['XATTR_VALUE']), ('user.k', b'v'))
    equal(a.write(secret, b'')['STATUS'], PERMISSION)
    equal(a.call(MAKE_DIRECTORY, PATH=d + '/z')['STATUS'], PERMISSION)
    equal(a.call(REMOVE, PATH=d + '/x')['STATUS'], PERMISSION)
    equal(a.call(MOVE, PATH=d + '/x', TARGET_PATH=d + '/w')['STATUS'], PERMISSION)
    equal(a.call(WATCH, PATH='/root')['STATUS'], PERMISSION)
    inner = directory(0o777)
    os.symlink(secret, inner + '/link')
    equal(a.call(READ, PATH=inner + '/link')['STATUS'], PERMISSION)
    equal(a.write(inner + '/link', b'')['STATUS'], PERMISSION)
    equal(exited(a.shell('id -u', USER=USER)).out, b'65534\n')
    group = os.stat('/proc/self').st_gid
    equal(a.write(d + '/p/q/f', b'', USER='root', FILE_OWNER=USER, RECURSIVE=1)['STATUS'], OK)
    equal(a.call(MAKE_DIRECTORY, PATH=d + '/p/r/s', USER='root', FILE_OWNER=USER, RECURSIVE=1)['STATUS'], OK)
    equal(a.call(MOVE, PATH=d + '/x', TARGET_PATH=d + '/p/t/x', USER='root', FILE_OWNER=USER)['STATUS'], NOT_FOUND)
    c = a.call(MOVE, PATH=d + '/x', TARGET_PATH=d + '/p/t/x', USER='root', FILE_OWNER=USER, RECURSIVE=1)
    equal((c['STATUS'], c['FILE_OWNER']), (OK, 'root'))
    for made in ('/p', '/p/q', '/p/q/f', '/p/r', '/p/r/s', '/p/t'):
        stat = os.stat(d + made)
        assert stat.st_uid == 65534 and stat.st_gid != group, (made, stat)
    c = a.call(MOVE, PATH=d + '/nothing', TARGET_PATH=d + '/u/v', USER='root', RECURSIVE=1)
    equal(c['STATUS'], NOT_FOUND)
    assert not os.path.exists(d + '/u')


@test
def links_are_followed_where_they_should_be():
    a = agent()
    d = directory()
    os.makedirs(d + '/real')
    os.chmod(d + '/real', 0o777)
    with open(d + '/real/f', 'w') as file:
        file.write('old')
    os.chmod(d + '/real/f', 0o666)
    os.symlink('real/f', d + '/link')
    os.symlink('real', d + '/dirlink')
    os.symlink('loop', d + '/loop')
    c = a.call(STAT, PATH=d + '/link')
    equal((c['FILE_TYPE'], c['LINK_TARGET']), (3, 'real/f'))
    equal(a.write(d + '/link', b'new')['STATUS'], OK)
    assert os.path.islink(d + '/link')
    equal(open(d + '/real/f').read(), 'new')
    equal(a.write(d + '/dirlink/g', b'g')['STATUS'], OK)
    equal(a.write(d + '/loop', b'')['STATUS'], INVALID)
    paths = [dict(r)['PATH'][len(d):] for r in a.call(LIST, PATH=d, DEPTH=9).records()]
    equal(paths, ['/dirlink', '/link', '/loop', '/real', '/real/f', '/real/g'])
    equal(a.call(LIST, PATH=d + '/dirlink').records()[0][0], ('PATH', d + '/dirlink/f'))


@test
def directories_moves_and_removal():
    a = agent()
    d = directory()
    equal(a.call(MAKE_DIRECTORY, PATH=d + '/a/b')['STATUS'], NOT_FOUND)
    equal(a.call(MAKE_DIRECTORY, PATH=d + '/a/b', RECURSIVE=1, FILE_MODE=0o2750)['FILE_MODE'], 0o2750)
    equal(a.call(MAKE_DIRECTORY, PATH=d + '/a/b')['STATUS'], ALREADY_EXISTS)
    equal(a.call(MAKE_DIRECTORY, PATH=d + '/a/b', RECURSIVE=1)['STATUS'], OK)
    a.write(d + '/a/b/f', b'f')
    equal(a.call(MAKE_DIRECTORY, PATH=d + '/a/b/f', RECURSIVE=1)['STATUS'], ALREADY_EXISTS)
    equal(a.call(MAKE_DIRECTORY, PATH=d + '/a/b/f/g', RECURSIVE=1)['STATUS'], NOT_A_DIRECTORY)
    equal(a.call(MOVE, PATH=d + '/a', TARGET_PATH=d + '/c')['PATH'], d + '/c')
    equal(a.call(REMOVE, PATH=d + '/c')['STATUS'], NOT_EMPTY)
    for i in range(700):
        os.makedirs(f'{d}/c/many/{i % 7}/{i}', exist_ok=True)
    subprocess.check_call(['chown', '-R', USER, d])
    equal(a.call(REMOVE, PATH=d + '/c', RECURSIVE=1)['STATUS'], OK)
    equal(os.listdir(d), [])
    equal(a.call(REMOVE, PATH=d + '/c')['STATUS'], NOT_FOUND)
    equal(a.call(REMOVE, PATH='/', RECURSIVE=1)['STATUS'], INVALID)
    equal(a.call(LIST, PATH=d + '/nothing')['STATUS'], NOT_FOUND)


@test
def a_listing_longer_than_the_credit():
    a = agent()
    d = directory()
    for i in range(5000):
        open(f'{d}/file-{i:05}', 'w').close()
    c = a.open(LIST, PATH=d)
    c.grants = False
    a.idle(0.3)
    assert c.close is None and len(c.data[RECORDS]) == 256 * 1024
    c.grants = True
    c.grant(RECORDS, 256 * 1024)
    c.wait()
    equal([dict(r)['PATH'] for r in c.records()], [f'{d}/file-{i:05}' for i in range(5000)])
    c = a.open(LIST, PATH=d)
    c.cancel()
    equal(c.wait()['STATUS'], CANCELLED)


@test
def names_that_are_no_text():
    a = agent()
    d = directory()
    open(os.fsencode(d) + b'/bad\xff\xc0name', 'w').close()
    records = a.call(LIST, PATH=d).records()
    equal(dict(records[0])['PATH'], d + '/bad\ufffd\ufffdname')


@test
def extended_attributes():
    a = agent()
    d = directory()
    try:
        os.setxattr(d, 'user.try', b'1')
    except OSError:
        raise Skip('the file system of the temporary directory has no user attributes')
    c = a.open(WRITE, ('XATTR_NAME', 'user.kind'), ('XATTR_VALUE', b'\x00\xffraw'), PATH=d + '/f')
    c.end(CONTENT)
    equal(c.wait()['STATUS'], OK)
    items = a.call(STAT, PATH=d + '/f', XATTRS=1).items
    assert ('XATTR_NAME', 'user.kind') in items and ('XATTR_VALUE', b'\x00\xffraw') in items, items
    assert 'XATTR_NAME' not in dict(a.call(STAT, PATH=d + '/f').items)
    c = a.call(MAKE_DIRECTORY, ('XATTR_NAME', 'user.a'), ('XATTR_VALUE', b'b'), PATH=d + '/sub')
    equal(c['STATUS'], OK)
    listed = [dict(r) for r in a.call(LIST, PATH=d, XATTRS=1).records()]
    equal([r.get('XATTR_NAME') for r in listed], ['user.kind', 'user.a'])
    equal(a.call(MAKE_DIRECTORY, ('XATTR_NAME', 'security.x'), ('XATTR_VALUE', b''), PATH=d + '/no')['STATUS'], INVALID)


@test
def full_disk():
    a = agent()
    d = directory()
    if subprocess.call(['mount', '-t', 'tmpfs', '-o', 'size=1m,mode=0777', 'tmpfs', d]) != 0:
        raise Skip('no tmpfs can be mounted')
    try:
        equal(a.write(d + '/keep', b'k' * 1000)['STATUS'], OK)
        equal(a.write(d + '/keep', b'x' * 3_000_000)['STATUS'], NO_SPACE)
        equal(a.call(READ, PATH=d + '/keep').content, b'k' * 1000)
        equal(os.listdir(d), ['keep'])
        equal(a.write(d + '/keep', b'x' * 3_000_000, OFFSET=0)['STATUS'], NO_SPACE)
        exited(a.shell('echo still'))
        equal(a.call(REMOVE, PATH=d + '/keep')['STATUS'], OK)
    finally:
        a.finish()
        subprocess.check_call(['umount', d])


@test
def large_files_stream():
    a = agent()
    d = directory()
    size = 100_000_000 if ASAN else 1 << 30
    path = d + '/large'
    with open(path, 'wb') as file:
        os.posix_fallocate(file.fileno(), 0, 64 << 20)
        file.truncate(size)
    began = time.monotonic()
    c = a.open(READ, PATH=path)
    c.keeps = False
    c.grant(CONTENT, 8 << 20)
    pings = []
    while c.close is None:
        pings.append(a.ping())
    seconds = time.monotonic() - began
    equal(c.received, size)
    FIGURES['READ, MB/s'] = round(size / seconds / 1e6)
    FIGURES['ping beside it, worst, ms'] = round(max(pings) * 1000, 1)
    os.truncate(path, 0)
    with open(f'/proc/{a.process.pid}/status') as file:
        peak = int([line.split()[1] for line in file if line.startswith('VmHWM')][0])
    FIGURES['peak memory of the agent, KB'] = peak
    assert ASAN or peak < 10_000, peak
    began = time.monotonic()
    half = size // 4
    piece = bytes(65536)
    c = a.open(WRITE, PATH=d + '/in')
    for _ in range(half // len(piece)):
        c.send(CONTENT, piece)
    c.end(CONTENT)
    equal(c.wait(30)['FILE_SIZE'], half // len(piece) * len(piece))
    FIGURES['WRITE, MB/s'] = round(half / (time.monotonic() - began) / 1e6)
    os.unlink(d + '/in')


def agent_with_lanes():
    fd = os.memfd_create('lanes')
    os.ftruncate(fd, 2 * LANE)
    shared = mmap.mmap(fd, 2 * LANE)
    a = agent('--lanes', str(fd), pass_fds=[fd], lanes=shared)
    os.close(fd)
    return a


@test
def content_comes_and_goes_through_shared_memory():
    a = agent_with_lanes()
    d = directory()
    content = random.Random(1).randbytes(2 * LANE + LANE // 2 + 13)
    c = a.open(WRITE, PATH=d + '/f')
    c.send(CONTENT, content[:300_000])
    c.share(content[300_000:], LANE - 5)
    c.end(CONTENT)
    equal(c.wait()['FILE_SIZE'], len(content))
    with open(d + '/f', 'rb') as file:
        assert file.read() == content
    c = a.open(READ, PATH=d + '/f', SHARED=1)
    c.grant(CONTENT, LANE - 256 * 1024)
    equal(c.wait()['FILE_SIZE'], len(content))
    assert c.content == content
    assert len(c.shared) <= len(content) // (LANE // 4) + 4, len(c.shared)
    c = a.call(READ, PATH=d + '/f', SHARED=1, OFFSET=1000, LENGTH=77)
    equal((c.content, c.shared), (content[1000:1077], [(0, 77)]))
    equal(a.call(READ, PATH=d + '/f', OFFSET=9, LENGTH=5).content, content[9:14])
    equal(a.call(READ, PATH=d + '/nothing', SHARED=1)['STATUS'], NOT_FOUND)
    half = a.open(WRITE, PATH=d + '/half')
    half.share(content[:LANE // 2], 0)
    half.cancel()
    equal(half.wait()['STATUS'], CANCELLED)
    equal(os.listdir(d), ['f'])


@test
def shared_memory_is_not_read_beyond_its_end():
    def breaks(words, *frames, make=agent_with_lanes, kind=WRITE):
        a = make()
        c = a.open(kind, PATH=directory() + '/f') if kind == WRITE else a.shell('cat', STDIN_OPEN=1, wait=False)
        try:
            for stream, payload in frames:
                a.send(frame(SHARED, stream, c.number, payload))
            a.pump(lambda: False, 5)
        except (Closed, BrokenPipeError, ConnectionResetError):
            pass
        assert a.goodbye is not None and words in a.goodbye, a.goodbye
    place = lambda at, length: struct.pack('>II', at, length)
    breaks('lies in the lane', (CONTENT, place(LANE - 1, 2)))
    breaks('lies in the lane', (CONTENT, place(1, 0xffffffff)))
    breaks('lies in the lane', (CONTENT, place(0xffffffff, 2)))
    breaks('lies in the lane', (STDIN, place(0, 1)))
    breaks('lies in the lane', (STDIN, place(0, 1)), kind=PROCESS)
    breaks('a position and a length', (CONTENT, b'1234567'))
    breaks('memory that is shared', (CONTENT, place(0, 1)), make=agent)
    breaks('more data came', *[(CONTENT, place(0, LANE))] * 3)


# ---- watch

def events(channel, base):
    words = {1: 'create', 2: 'write', 3: 'remove', 4: 'rename', 5: 'chmod', 6: 'overflow'}
    out = []
    for record in channel.records()[1:]:
        r = dict(record)
        out.append((words[r['WATCH_EVENT']], r['PATH'][len(base):], r['TARGET_PATH'][len(base):])
                   if 'TARGET_PATH' in r else (words[r['WATCH_EVENT']], r['PATH'][len(base):]))
    return out


@test
def watching():
    a = agent()
    d = directory()
    c = a.open(WATCH, PATH=d, RECURSIVE=1).started()
    open(d + '/f', 'w').write('x')
    os.rename(d + '/f', d + '/g')
    os.chmod(d + '/g', 0o600)
    os.unlink(d + '/g')
    os.makedirs(d + '/one/two/three')
    c.until(lambda: ('create', '/one/two/three') in events(c, d))
    open(d + '/one/two/three/h', 'w').close()
    os.rename(d + '/one/two', d + '/one/zwei')
    c.until(lambda: ('rename', '/one/two', '/one/zwei') in events(c, d))
    open(d + '/one/zwei/three/i', 'w').close()
    os.rename(d + '/one/zwei', d + '-away')
    c.until(lambda: ('remove', '/one/zwei') in events(c, d))
    open(d + '-away/three/unseen', 'w').close()
    shutil.rmtree(d + '-away')
    shutil.rmtree(d)
    c.wait()
    equal(c['STATUS'], OK)
    seen = events(c, d)
    equal(seen[:5], [('create', '/f'), ('write', '/f'), ('rename', '/f', '/g'), ('chmod', '/g'), ('remove', '/g')])
    for wanted in [('create', '/one'), ('create', '/one/two'), ('create', '/one/two/three/h'),
                   ('create', '/one/zwei/three/i'), ('remove', '/one'), ('remove', '')]:
        equal(seen.count(wanted), 1)
    assert not any('unseen' in event[1] for event in seen)
    equal(a.call(WATCH, PATH=d)['STATUS'], NOT_FOUND)


@test
def watching_what_the_host_writes():
    a = agent()
    d = directory()
    c = a.open(WATCH, PATH=d).started()
    a.write(d + '/f', b'new')
    a.write(d + '/f', b'newer')
    c.until(lambda: len(events(c, d)) == 3)
    half = a.open(WRITE, PATH=d + '/half')
    half.send(CONTENT, b'x')
    half.cancel()
    half.wait()
    os.rename(d + '/f', d + '/.glovebox-0123456789abcdef')
    c.until(lambda: ('remove', '/f') in events(c, d))
    os.rename(d + '/.glovebox-0123456789abcdef', d + '/g')
    c.until(lambda: ('write', '/g') in events(c, d))
    equal(events(c, d), [('create', '/f'), ('write', '/f'), ('write', '/f'), ('remove', '/f'), ('write', '/g')])


@test
def watching_misses_nothing_and_says_nothing_twice():
    a = agent()
    d = directory()
    c = a.open(WATCH, PATH=d, RECURSIVE=1).started()
    wanted = set()
    for i in range(60):
        base = f'{d}/d{i}'
        os.makedirs(base + '/x/y')
        for j in range(5):
            open(f'{base}/x/y/f{j}', 'w').close()
            wanted.add(f'/d{i}/x/y/f{j}')
        wanted |= {f'/d{i}', f'/d{i}/x', f'/d{i}/x/y'}
    c.until(lambda: len({e[1] for e in events(c, d) if e[0] == 'create'}) == len(wanted), 20)
    a.idle(0.2)
    created = [e[1] for e in events(c, d) if e[0] == 'create']
    equal(len(created), len(set(created)))
    equal(set(created), wanted)
    c.cancel()
    equal(c.wait()['STATUS'], CANCELLED)
    c = a.open(WATCH, PATH=d).started()
    open(d + '/d1/x/below', 'w').close()
    open(d + '/top', 'w').close()
    c.until(lambda: ('create', '/top') in events(c, d))
    equal(events(c, d), [('create', '/top')])


@test
def watching_without_credit_overflows():
    a = agent()
    d = directory()
    c = a.open(WATCH, PATH=d).started()
    c.grants = False
    with open('/proc/sys/fs/inotify/max_queued_events') as file:
        limit = int(file.read())
    for i in range((limit + 8000) // 2):
        os.close(os.open(f'{d}/n', os.O_CREAT | os.O_WRONLY))
        os.unlink(f'{d}/n')
        if i % 4096 == 0:
            a.idle(0.01)
    a.ping()
    c.grants = True
    c.grant(RECORDS, 1 << 20)
    c.until(lambda: ('overflow', '') in events(c, d)[-1:] or ('overflow', '') in events(c, d), 20)


# ---- ports

def listener(family=socket.AF_INET):
    server = socket.socket(family)
    server.bind(('127.0.0.1' if family == socket.AF_INET else '::1', 0))
    server.listen()
    server.settimeout(5)
    return server, server.getsockname()[1]


@test
def connections_to_a_port():
    a = agent()
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            server, port = listener(family)
        except OSError:
            continue
        c = a.open(CONNECT, PORT=port)
        c.send(CONTENT, b'early')
        peer = server.accept()[0]
        equal(peer.recv(5, socket.MSG_WAITALL), b'early')
        c.started()
        peer.sendall(b'hello')
        c.until(lambda: c.content == b'hello')
        c.end(CONTENT)
        equal(peer.recv(1), b'')
        peer.sendall(b' after the half-close')
        peer.close()
        equal(c.wait()['STATUS'], OK)
        equal(c.content, b'hello after the half-close')
        equal(c.ended, {CONTENT})
        server.close()


@test
def the_guest_closes_first():
    a = agent()
    server, port = listener()
    c = a.open(CONNECT, PORT=port)
    peer = server.accept()[0]
    peer.shutdown(socket.SHUT_WR)
    a.pump(lambda: CONTENT in c.ended, 5)
    assert c.close is None
    c.send(CONTENT, b'x' * 200_000)
    c.end(CONTENT)
    got = b''
    while piece := peer.recv(65536):
        got += piece
    equal(len(got), 200_000)
    equal(c.wait()['STATUS'], OK)
    c = a.open(CONNECT, PORT=port).started()
    peer = server.accept()[0]
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    peer.close()
    equal((c.wait()['STATUS'], c.ended), (OK, set()))
    server.close()
    equal(a.call(CONNECT, PORT=port)['STATUS'], NOT_FOUND)
    equal(a.call(CONNECT, PORT=0)['STATUS'], INVALID)


@test
def connection_back_pressure():
    a = agent()
    server, port = listener()
    c = a.open(CONNECT, PORT=port)
    c.grants = False
    peer = server.accept()[0]
    peer.settimeout(0.3)
    sent = 0
    try:
        while sent < 50_000_000:
            sent += peer.send(b'y' * 65536)
    except TimeoutError:
        pass
    assert sent < 20_000_000, sent
    a.idle(0.1)
    equal(len(c.content), 256 * 1024)
    a.ping()
    c.cancel()
    equal(c.wait()['STATUS'], CANCELLED)
    server.close()


# ---- contexts

def opened(a, name='c', **items):
    c = a.call(CONTEXT_OPEN, CONTEXT=name, LANGUAGE='python', **items)
    equal(c['STATUS'], OK)
    return c


def execute(a, code, name='c', wait=True, **items):
    c = a.open(EXECUTE, ('CODE', code.encode()), CONTEXT=name, **items)
    return c.wait() if wait else c


@test
def contexts_keep_their_state():
    a = agent()
    equal(opened(a)['POOLED'], 0)
    exited(execute(a, 'x = 20'))
    c = exited(execute(a, 'print("out"); import sys; print("err", file=sys.stderr); x + 22'))
    equal((c.out, c.err, c['CONTEXT_LOST']), (b'out\n', b'err\n', 0))
    records = c.records()
    assert ('STARTED', 1) in records[0]
    equal(records[1], [('MAIN_RESULT', 1), ('MIME_TYPE', 'text/plain'), ('MIME_CONTENT', b'42')])
    c = exited(execute(a, '1/0'), 1)
    error = dict(c.records()[1])
    equal((error['ERROR_NAME'], error['ERROR_VALUE']), ('ZeroDivisionError', 'division by zero'))
    equal(exited(execute(a, 'import os; print(os.environ.get("A"), os.getuid())', ENVIRONMENT='A=1')).out, b'1 65534\n')
    equal(exited(execute(a, 'print(os.environ.get("A"))')).out, b'None\n')
    equal(a.call(CONTEXT_OPEN, CONTEXT='c')['STATUS'], ALREADY_EXISTS)
    equal(a.call(CONTEXT_OPEN, CONTEXT='bad name')['STATUS'], INVALID)
    equal(execute(a, '1', name='none')['STATUS'], NOT_FOUND)
    equal(a.call(CONTEXT_CLOSE, CONTEXT='c')['STATUS'], OK)
    equal(execute(a, '1')['STATUS'], NOT_FOUND)
    opened(a)
    exited(execute(a, 'print(x)'), 1)


@test
def executions_queue():
    a = agent()
    channels = [a.open(CONTEXT_OPEN, CONTEXT='c', LANGUAGE='python')]
    channels += [execute(a, f'import time; time.sleep(0.05); print({i})', wait=False) for i in range(5)]
    for i, c in enumerate(channels[1:]):
        equal(exited(c.wait()).out, b'%d\n' % i)
    closings = [c.closed_at for c in channels]
    equal(closings, sorted(closings))
    assert channels[5]['QUEUED_MICROS'] > 150_000
    slow = execute(a, 'time.sleep(20)', wait=False).started()
    queued = [execute(a, '1', wait=False) for _ in range(65)]
    equal(queued[64].wait()['STATUS'], TOO_MANY)
    queued[0].cancel()
    equal(queued[0].wait()['STATUS'], CANCELLED)
    queued[1].control(INTERRUPT=1)
    equal(queued[1].wait()['OUTCOME'], KILLED)
    slow.control(SIGNAL=9)
    equal((slow.wait()['OUTCOME'], slow['CONTEXT_LOST']), (KILLED, 1))
    for c in queued[2:64]:
        equal(c.wait()['STATUS'], NOT_FOUND)


@test
def executions_end_in_many_ways():
    a = agent()
    opened(a)
    c = execute(a, 'import time\ntime.sleep(20)', WALL_MILLIS=200)
    equal((c['OUTCOME'], c['WALL_MILLIS'], c['CONTEXT_LOST']), (TIMED_OUT, 200, 0))
    c = execute(a, 'while True: pass', CPU_MILLIS=150)
    equal((c['OUTCOME'], c['CPU_MILLIS'], c['CONTEXT_LOST']), (TIMED_OUT, 150, 0))
    c = execute(a, 'time.sleep(20)', wait=False).started()
    a.idle(0.1)
    c.control(INTERRUPT=1)
    exited(c.wait(), 1)
    equal((dict(c.records()[1])['ERROR_NAME'], c['CONTEXT_LOST']), ('KeyboardInterrupt', 0))
    c = execute(a, 'time.sleep(20)', wait=False).started()
    a.idle(0.1)
    began = time.monotonic()
    c.cancel()
    equal((c.wait()['STATUS'], c['OUTCOME'], c['CONTEXT_LOST']), (CANCELLED, KILLED, 0))
    assert c.closed_at - began < 0.3
    exited(execute(a, 'print(1)'))
    c = execute(a, 'print("x" * 100000)', OUTPUT_BYTES=5000)
    equal((c['OUTCOME'], c['RULE'], c['CONTEXT_LOST'], len(c.out)), (KILLED_BY_POLICY, 'limits.output', 1, 5000))
    stubborn = 'import signal, time\nsignal.signal(2, signal.SIG_IGN)\nwhile True: time.sleep(1)'
    opened(a)
    c = execute(a, stubborn, WALL_MILLIS=100)
    equal((c['OUTCOME'], c['CONTEXT_LOST']), (TIMED_OUT, 1))
    opened(a)
    c = execute(a, stubborn, wait=False).started()
    a.idle(0.2)
    c.control(INTERRUPT=1)
    equal((c.wait()['OUTCOME'], c['CONTEXT_LOST']), (KILLED, 1))
    opened(a)
    c = execute(a, 'import os; os._exit(9)')
    exited(c, 9)
    equal(c['CONTEXT_LOST'], 1)
    opened(a)
    c = execute(a, 'import os, signal; os.kill(os.getpid(), 11)')
    exited(c, 139)
    opened(a)
    c = execute(a, 'import time; time.sleep(30)', wait=False).started()
    equal(a.call(CONTEXT_CLOSE, CONTEXT='c')['STATUS'], OK)
    equal((c.wait()['OUTCOME'], c['REASON']), (KILLED, 'its context was closed'))


@test
def large_results_wait_for_credit():
    a = agent()
    opened(a)
    c = execute(a, '"r" * 3_000_000', wait=False)
    c.grants = False
    a.idle(0.5)
    equal(len(c.data[RECORDS]), 256 * 1024)
    c.grants = True
    c.grant(RECORDS, 4 << 20)
    c.wait()
    equal(len(dict(c.records()[1])['MIME_CONTENT']), 3_000_000)
    c = execute(a, '"r" * 9_000_000')
    equal((c['OUTCOME'], c['RULE']), (KILLED_BY_POLICY, 'limits.output'))


@test
def kernels_are_not_believed():
    a = agent()
    hostile = [
        ('raw(b"\\xff\\xff\\xff\\xff")', LOST),
        ('raw(b"\\0\\0\\0\\x06\\0\\x01\\xff\\xff\\xff\\xff")', LOST),
        ('import os; os.close(3); import time; time.sleep(9)', LOST),
    ]
    for code, outcome in hostile:
        opened(a)
        c = execute(a, code)
        equal((c['OUTCOME'], c['CONTEXT_LOST']), (outcome, 1))
        a.ping()
    opened(a)
    c = execute(a, 'record(field(10, 0), field(50, 3), field(51, 7))')
    equal((c['OUTCOME'], c['EXIT_CODE']), (EXITED, 7))
    a.call(CONTEXT_CLOSE, CONTEXT='c')
    opened(a)
    c = execute(a, 'raw(b"\\0\\0\\0\\x10" + b"\\0\\x52\\0\\0\\0\\x02\\xff\\xfe" + b"\\0\\x53\\0\\0\\0\\x02\\xc0\\x80")')
    assert dict(c.records()[1])['MIME_TYPE'] == '\ufffd\ufffd'
    raise_long = 'raise ValueError("q" * 1_000_000)'
    c = exited(execute(a, raise_long), 1)
    assert len(dict(c.records()[1])['ERROR_VALUE']) <= 256 * 1024
    equal(a.call(CONTEXT_OPEN, CONTEXT='n', LANGUAGE='wasm')['STATUS'], UNSUPPORTED)


@test
def contexts_are_bounded_and_cancelled():
    a = agent()
    c = a.open(CONTEXT_OPEN, CONTEXT='x', LANGUAGE='python')
    c.cancel()
    equal(c.wait()['STATUS'], CANCELLED)
    channels = [a.open(CONTEXT_OPEN, CONTEXT=f'c{i}', LANGUAGE='python') for i in range(17)]
    for c in channels[:16]:
        equal(c.wait(30)['STATUS'], OK)
    equal(channels[16].wait()['STATUS'], TOO_MANY)


def offer_warm(a, path):
    """What a zygote does: a kernel that is ready, and its descriptors by the socket."""
    ours, theirs = socket.socketpair()
    out = os.pipe()
    err = os.pipe()
    kernel = subprocess.Popen(['bash', '-c', f'exec python3 -u {KERNELS}/python.py 3<&{theirs.fileno()}'],
                              stdin=subprocess.DEVNULL, stdout=out[1], stderr=err[1], pass_fds=[theirs.fileno()])
    length = struct.unpack('>I', ours.recv(4, socket.MSG_WAITALL))[0]
    ours.recv(length, socket.MSG_WAITALL)
    body = fields([('LANGUAGE', 'python'), ('PROCESS_ID', kernel.pid)])
    with socket.socket(socket.AF_UNIX) as offer:
        offer.connect(path)
        socket.send_fds(offer, [struct.pack('>I', len(body)) + body], [out[0], err[0], ours.fileno()])
        offer.settimeout(10)
        equal(offer.recv(1), b'')  # the agent has it
    ours.close()
    theirs.close()
    for fd in (*out, *err):
        os.close(fd)
    return kernel


@test
def warm_kernels_from_outside():
    path = os.path.join(WORK, 'warm.sock')
    a = agent('--kernel-socket', path)
    a.ping()
    equal(os.stat(path).st_mode & 0o777, 0o600)
    kernel = offer_warm(a, path)
    equal(opened(a)['POOLED'], 1)
    c = exited(execute(a, 'import os; print(os.getpid()); 1'))
    equal((c.out, c['POOLED']), (b'%d\n' % kernel.pid, 1))
    equal(opened(a, 'd')['POOLED'], 0)
    c = execute(a, 'os._exit(3)')
    equal(c['CONTEXT_LOST'], 1)
    kernel.wait()
    for junk in (b'', b'junk', struct.pack('>I', 1 << 30)):
        with socket.socket(socket.AF_UNIX) as offer:
            offer.connect(path)
            offer.sendall(junk)
        a.ping()


@test
def programs_in_warm_kernels():
    path = os.path.join(WORK, 'warm2.sock')
    a = agent('--kernel-socket', path)
    a.ping()
    cases = [('import os; print(os.getpid())', 0), ('import sys; print("x"); sys.exit(7)', 7), ('1/0', 1)]
    for code, status in cases:
        kernel = offer_warm(a, path)
        began = time.monotonic()
        c = exited(a.open(PROCESS, ('CODE', code.encode()), LANGUAGE='python').wait(), status)
        FIGURES['program in a warm kernel, ms'] = round((time.monotonic() - began) * 1000, 2)
        equal(c['POOLED'], 1)
        assert 'CONTEXT_LOST' not in c.close
        if status == 0:
            equal(c.out, b'%d\n' % kernel.pid)
        if status == 1:
            assert b'ZeroDivisionError' in c.err and ('ERROR_NAME', 'ZeroDivisionError') in c.records()[1]
        kernel.wait(5)
        c = a.open(PROCESS, ('CODE', b'print(1)'), LANGUAGE='python').wait()
        equal((exited(c).out, c['POOLED']), (b'1\n', 0))
    # A program's word that it has ended is taken: it ends, all that it wrote comes, and what it left behind lives on.
    kernel = offer_warm(a, path)
    code = (b'import subprocess, sys, time\n'
            b'child = subprocess.Popen(["sleep", "3"], stdout=subprocess.DEVNULL)\n'
            b'print(child.pid, "x" * 50000)\nsys.stdout.flush()\n'
            b'record(field(50, 1), field(51, 9))\ntime.sleep(50)\n')
    began = time.monotonic()
    c = exited(a.open(PROCESS, ('CODE', code), LANGUAGE='python').wait(), 9)
    assert time.monotonic() - began < 3 and c['USED_MEMORY_BYTES'] > 1_000_000, c.items
    child, text = c.out.split()
    equal(len(text), 50000)
    kernel.wait(5)
    os.kill(int(child), 0)
    # Whoever does not read gets the rest all the same.
    kernel = offer_warm(a, path)
    c = a.open(PROCESS, ('CODE', b'import sys\nfor _ in range(10): sys.stdout.write("y" * 40000)\n'), LANGUAGE='python')
    c.grants = False
    a.pump(lambda: len(c.out) == 262144, 10)
    a.idle(0.3)
    c.grant(STDOUT, 1_000_000)
    equal(len(exited(c.wait()).out), 400_000)
    kernel.wait(5)
    for cancel in (False, True):
        kernel = offer_warm(a, path)
        c = a.open(PROCESS, ('CODE', b'import time; time.sleep(50)'), LANGUAGE='python', WALL_MILLIS=300).started()
        if cancel:
            c.cancel()
        equal(c.wait()['OUTCOME'], KILLED if cancel else TIMED_OUT)
        kernel.wait(5)


# ---- the protocol, and hosts that break it

@test
def fields_in_several_frames():
    a = agent()
    script = b'print(len("' + b'x' * 1_000_000 + b'"))'
    equal(exited(a.open(PROCESS, ('CODE', script), LANGUAGE='python').wait()).out, b'1000000\n')
    a.last += 1
    c = a.channels[a.last] = Channel(a, a.last)
    a.send(frame(OPEN, PROCESS, c.number, fields([('MORE', 1)])))
    c.cancel()
    equal(c.wait()['STATUS'], CANCELLED)


@test
def broken_hosts_are_told_and_left():
    opening = frame(WELCOME, 0, 0, fields([('VERSION', 1)]))
    sleep = frame(OPEN, PROCESS, 1, fields([('ARGUMENT', 'sleep'), ('ARGUMENT', '10'), ('STDIN_OPEN', 1)]))
    bad = [
        frame(OPEN, PROCESS, 1),
        frame(WELCOME, 0, 0, fields([('VERSION', 2)])),
        opening + struct.pack('>IBBHI', 0xffffffff, DATA, 0, 0, 1),
        opening + struct.pack('>IBBHI', 65537, PING, 0, 0, 0),
        opening + struct.pack('>IBBHI', 0, 14, 0, 0, 0),
        opening + struct.pack('>IBBHI', 0, 0, 0, 0, 0),
        opening + struct.pack('>IBBHI', 0, PING, 1, 0, 0),
        opening + struct.pack('>IBBHI', 0, PING, 0, 0, 1 << 31),
        opening + frame(PING, 0, 0, b'p' * 65),
        opening + frame(HELLO, 0, 0),
        opening + frame(CLOSE, 0, 1),
        opening + frame(OPEN, PROCESS, 0),
        opening + frame(OPEN, 0, 1),
        opening + frame(OPEN, 19, 1),
        opening + frame(OPEN, PROCESS, 1, b'\x00\x14\xff\xff\xff\xff'),
        opening + frame(OPEN, PROCESS, 1, b'\x00'),
        opening + sleep + sleep,
        opening + sleep + b''.join(frame(DATA, STDIN, 1, b'd' * 65536) for _ in range(12)),
        opening + sleep + frame(DATA, STDOUT, 1, b'd'),
        opening + sleep + frame(DATA, 9, 1, b'd'),
        opening + sleep + frame(END, STDIN, 1) + frame(DATA, STDIN, 1, b'd'),
        opening + sleep + frame(CREDIT, STDOUT, 1, b'\0\0\0\0'),
        opening + sleep + frame(CREDIT, STDOUT, 1, b'\x40\0\0\0'),
        opening + sleep + frame(CREDIT, STDOUT, 1, b'\0\0'),
        opening + sleep + frame(CREDIT, STDIN, 1, b'\0\0\0\1'),
        opening + sleep + frame(CREDIT, 17, 1, b'\0\0\0\1'),
        opening + sleep + frame(CONTROL, 0, 1, b'\x00\x01'),
        opening + frame(OPEN, PROCESS, 1, fields([('MORE', 1)])) + frame(DATA, RECORDS, 1, b'\xff\xff\xff\xff'),
        opening + frame(OPEN, PROCESS, 1, fields([('MORE', 1)])) + frame(DATA, RECORDS, 1, b'\0\0\0\x09') + frame(END, RECORDS, 1),
        opening + frame(OPEN, PROCESS, 1, fields([('MORE', 1)])) + frame(DATA, STDIN, 1, b'x'),
        opening + b''.join(frame(OPEN, PROCESS, i, fields([('MORE', 1)])) for i in range(1, 1026)),
    ]
    for data in bad:
        a = agent(welcome=False)
        a.channels = {i: Channel(a, i) for i in range(1, 1100)}
        for c in a.channels.values():
            c.grants = False
        try:
            a.send(data)
        except (BrokenPipeError, ConnectionResetError, Closed):
            pass
        end = time.monotonic() + 5
        a.out.clear()
        while not a.eof and time.monotonic() < end:
            a.step(0.2)
        assert a.eof and a.goodbye, (data[:60], a.goodbye)
        equal(a.finish(), 1)


@test
def frames_cut_at_every_byte():
    whole = (frame(WELCOME, 0, 0, fields([('VERSION', 1)])) + frame(PING, 0, 0, b'12345678')
             + frame(OPEN, STAT, 1, fields([('PATH', '/etc')])) + frame(PING, 0, 0, b'end'))
    for cut in range(0, len(whole), 1 if not ASAN else 5):
        a = agent(welcome=False)
        a.send(whole[:cut])
        equal(a.finish(), 0)
    a = agent(welcome=False)
    c = a.channels[1] = Channel(a, 1)
    for i in range(len(whole)):
        a.send(whole[i:i + 1])
        a.step(0)
    a.pump(lambda: len(a.pongs) == 2, 5)
    equal(c['FILE_TYPE'], 2)


@test
def random_frames():
    rng = random.Random(7)
    end = time.monotonic() + 4
    rounds = 0
    while time.monotonic() < end:
        rounds += 1
        a = agent()
        try:
            for _ in range(60):
                kind = rng.choice([OPEN] * 6 + [DATA, END, CREDIT, CONTROL, CANCEL, PING])
                items = []
                for _ in range(rng.randrange(5)):
                    name = rng.choice(list(TAGS))
                    value = rng.choice([0, 1, 7, 2 ** 62, '/tmp', '/proc/self/stat', 'x', b'', b'\xff\0' * 9, 'python', WORK])
                    items.append((name, value))
                payload = fields(items)
                if kind == OPEN:
                    request = rng.choice([PROCESS, STAT, LIST, READ, WATCH, CONNECT, CONTEXT_OPEN, EXECUTE,
                                          CONTEXT_CLOSE, METRICS, CONFIGURE, SPAWN])
                    a.last += 1
                    a.channels[a.last] = Channel(a, a.last)
                    a.send(frame(OPEN, request, a.last, payload))
                else:
                    if rng.random() < 0.02:
                        payload = rng.randbytes(rng.randrange(40))
                    if kind == CREDIT:
                        payload = struct.pack('>I', rng.randrange(1, 1000))
                    a.send(frame(kind, rng.choice([0, 3, 4]), 0 if kind == PING else rng.randrange(1, a.last + 2),
                                 payload[:64] if kind == PING else payload))
            a.idle(0.02)
        except (BrokenPipeError, ConnectionResetError, Closed):
            pass
        status = a.finish()
        assert status in (0, 1), status
    FIGURES['random conversations'] = rounds


@test
def the_end_of_the_connection_ends_all():
    mark = f'32{random.randrange(10**6, 10**7)}'
    for pid1 in (False, True):
        a = agent(pid1=pid1)
        c = a.shell(f'setsid sleep {mark} & sleep {mark}', wait=False).started()
        soon(lambda: len(processes_with(mark + '\0')) >= 2)
        began = time.monotonic()
        equal(a.finish(), 0)
        soon(lambda: not processes_with(mark + '\0'))
        FIGURES['end of the connection to all gone, ms'] = round((time.monotonic() - began) * 1000)


@test
def command_line():
    for arguments in (['--nonsense'], ['--join'], ['--join', 'x'], ['--join', '99'], ['--memory-limit', '-1'],
                      ['--filter', '0'], ['--root-allowed', 'maybe']):
        done = subprocess.run([AGENT, *arguments], stdin=subprocess.DEVNULL, capture_output=True)
        equal(done.returncode, 64)
        assert done.stderr.startswith(b'glovebox-agent: --'), done.stderr


@test
def metrics():
    a = agent(pid1=True)
    c = a.run('python3', '-c', 'x = bytearray(50_000_000)\nprint("r", flush=True)\nimport time\ntime.sleep(30)', wait=False)
    c.until(lambda: b'r' in c.out)
    m = a.call(METRICS)
    assert m['USED_MEMORY_BYTES'] > 50_000_000 and m['RUNNING'] == 1 and m['USED_DISK_BYTES'] > 0, m.items
    assert m['DISK_BYTES'] > m['USED_DISK_BYTES'] and m['USED_CPU_MICROS'] > 1000, m.items


FIGURES = {}


def stopped(number, stack):
    raise SystemExit(f'stopped by signal {number}')


def main():
    signal.signal(signal.SIGTERM, stopped)
    shutil.copytree(os.path.join(HERE, 'kernels'), KERNELS)
    os.chmod(WORK, 0o755)
    wanted = sys.argv[1:]
    passed, failed, skipped = 0, 0, 0
    for function in TESTS:
        if wanted and not any(word in function.__name__ for word in wanted):
            continue
        began = time.monotonic()
        try:
            function()
            passed += 1
            word = 'ok'
        except Skip as reason:
            skipped += 1
            word = f'skipped: {reason}'
        except BaseException as error:
            failed += 1
            word = 'FAILED'
            traceback.print_exc()
            if isinstance(error, (KeyboardInterrupt, SystemExit)):
                wanted = ['nothing more']
        for made in LIVE:
            try:
                if made.process.returncode is None:
                    made.finish()
            except BaseException as error:
                failed += 1
                word += f' and did not end: {error!r}'
            made.socket.close()
        LIVE.clear()
        print(f'{time.monotonic() - began:6.2f} s  {function.__name__:<50} {word}', flush=True)
    for group in GROUPS:
        group.remove()
    shutil.rmtree(WORK)
    for name, value in FIGURES.items():
        print(f'{name}: {value}')
    print(f'{passed} passed, {failed} failed, {skipped} skipped')
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
