"""The supervisor, its jails and its zygotes, from outside: what the server sees, and what a guest sees."""

import contextlib
import ctypes
import glob
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback

import harness
import host
from harness import MIB, Supervisor

IMAGE = harness.image()
# What a program can find out about its own confinement. Printed as JSON.
WHO = """
import json, os, resource, sys
status = dict(line.split(':', 1) for line in open('/proc/self/status') if ':' in line)
keys = ['Uid', 'Gid', 'Groups', 'NoNewPrivs', 'Seccomp', 'Seccomp_filters', 'CapInh', 'CapPrm', 'CapEff', 'CapBnd',
        'CapAmb', 'Cpus_allowed_list', 'SigBlk', 'SigIgn', 'SigCgt', 'Umask']
limits = {n: resource.getrlimit(getattr(resource, n)) for n in dir(resource)
          if n.startswith('RLIMIT_') and n != 'RLIMIT_RTTIME'}
print(json.dumps({
    'status': {k: status.get(k, '').strip() for k in keys},
    'limits': limits,
    'marked': resource.getrlimit(resource.RLIMIT_RTTIME)[1] >= 1 << 61,
    'oom': open('/proc/self/oom_score_adj').read().strip(),
    'groups': open('/proc/self/cgroup').read(),
    'namespaces': {n: os.readlink('/proc/self/ns/' + n) for n in sorted(os.listdir('/proc/self/ns'))},
    'environment': {k: v for k, v in os.environ.items() if k != 'MPLBACKEND'},
    'directory': os.getcwd(), 'root': sorted(os.listdir('/')),
    'descriptors': sorted(int(d) for d in os.listdir('/proc/self/fd'))[:4], 'count': len(os.listdir('/proc/self/fd')),
    'owners': [os.fstat(d).st_uid for d in (1, 2)],
    'path': sys.path, 'argv': sys.argv, 'flags': list(sys.flags), 'executable': sys.executable,
    'parent': os.getppid(), 'session': os.getsid(0) == os.getpid(),
}))
"""


@contextlib.contextmanager
def zygote():
    with Supervisor() as supervisor:
        name, pid = supervisor.zygote(IMAGE)
        yield supervisor, name, pid


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def until(test, seconds, what):
    end = time.monotonic() + seconds
    while not test():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.002)


def members(supervisor, sandbox):
    for base in ("/sys/fs/cgroup/memory", "/sys/fs/cgroup"):
        with contextlib.suppress(OSError):
            with open(f"{base}/glovebox/{supervisor.instance}/{sandbox}/cgroup.procs") as file:
                return [int(line) for line in file]
    raise AssertionError("no such group")


def groups(supervisor):
    places = ("/sys/fs/cgroup/*/glovebox/", "/sys/fs/cgroup/glovebox/")
    return [path for place in places for path in glob.glob(place + supervisor.instance + "*")]


def outcome(channel):
    return channel.get("OUTCOME"), channel.get("EXIT_CODE")


# ---------------------------------------------------------------- jails


def check_a_jail_without_a_zygote():
    with Supervisor() as supervisor:
        sandbox, guest, event = supervisor.jail(IMAGE)
        assert event[0] == "STARTED" and event[3] == "cold", event
        channel = guest.python("print(6 * 7)")
        assert channel.out == b"42\n", (channel.out, channel.err)
        assert supervisor.kill(sandbox)[2:4] == ["signal", "9"]
        assert not members_left(supervisor, sandbox)


def members_left(supervisor, sandbox):
    return [path for path in groups(supervisor) if os.path.exists(f"{path}/{sandbox}")]


def favored():
    with open("/proc/self/mounts") as file:
        lines = [line.split() for line in file]
    return any(kind == "cgroup2" and "favordynmods" in options for _, _, kind, options, *_ in lines)


def is_alone(supervisor):
    return not [path for path in glob.glob("/sys/fs/cgroup/*/glovebox/*/") if supervisor.instance not in path]


def check_groups_change_fast_while_it_runs():
    before = favored()
    with Supervisor() as supervisor:
        supervisor.jail(IMAGE)
        assert favored() or not any(" cgroup2 " in line for line in open("/proc/self/mounts"))
        alone = is_alone(supervisor)
    assert before or not favored() or not alone


def mounted_templates(supervisor):
    with open(f"/proc/{supervisor.process.pid}/mountinfo") as file:
        return [line.split()[4] for line in file if f"{supervisor.directory}/mnt/t" in line]


def check_a_template_that_nobody_has_is_unmounted():
    with Supervisor() as supervisor:
        sandbox, guest, _ = supervisor.jail(IMAGE)
        other, _, _ = supervisor.jail(IMAGE)
        assert len(mounted_templates(supervisor)) == 1
        supervisor.kill(other)
        time.sleep(11)
        assert len(mounted_templates(supervisor)) == 1, "somebody has it"
        supervisor.kill(sandbox)
        until(lambda: not mounted_templates(supervisor), 15, "it is unmounted")
        assert supervisor.jail(IMAGE)[1].shell("echo again").out == b"again\n"


def empty_disk(directory, size):
    path = os.path.join(directory, "empty")
    with open(path, "wb") as file:
        file.truncate(size)
    subprocess.run(["mkfs.ext4", "-q", "-F", "-O", "^has_journal,^resize_inode", "-m", "0", "-b", "4096", "-E",
                    "lazy_itable_init=1,nodiscard,root_owner=0:0", path], check=True)
    return path


def loop_devices(supervisor):
    """Those of this supervisor: others may have some on the same host."""
    devices = {}
    for path in glob.glob("/sys/block/loop*/loop/backing_file"):
        with contextlib.suppress(OSError), open(path) as file:
            if file.read().startswith(supervisor.directory):
                devices[path] = path.split("/")[3].removeprefix("loop")
    return devices


def rules_of_nobody():
    """Bounds of loop devices that are not in use."""
    rules = set()
    for path in glob.glob("/sys/fs/cgroup/blkio/blkio.throttle.*_device"):
        with open(path) as file:
            rules |= {line for line in file.read().splitlines() if line.startswith("7:")}
    return {rule for rule in rules if not os.path.exists(f"/sys/block/loop{rule[2:].split()[0]}/loop")}


def check_a_disk_is_larger_than_memory_and_leaves_nothing():
    with Supervisor() as supervisor:
        image = empty_disk(supervisor.directory, 1024 * MIB)
        sandbox, guest, event = supervisor.jail(IMAGE, image=image, memory=128 * MIB, io=1 << 30, operations=100000)
        assert event[0] == "STARTED", event
        channel = guest.shell("head -c 400M /dev/zero > /tmp/big && sync /tmp/big && stat -c %s /tmp/big && rm /tmp/big && "
                              "head -c 2G /dev/zero > /tmp/more; stat -c %s /tmp/more; df -h / >&2")
        first, last = channel.out.split()
        assert int(first) == 400 * MIB, (channel.out, channel.err)
        assert 900 * MIB < int(last) <= 1024 * MIB and b"No space left" in channel.err, (channel.out, channel.err)
        assert len(loop_devices(supervisor)) == 1
        assert supervisor.kill(sandbox)[2:4] == ["signal", "9"]
        until(lambda: not loop_devices(supervisor), 5, "the loop device is free")
        until(lambda: not rules_of_nobody(), 1, "and without bounds")
        assert os.stat(image).st_blocks < 4096


def check_what_is_not_written_yet_does_not_hold_up_the_end():
    with Supervisor() as supervisor:
        image = empty_disk(supervisor.directory, 512 * MIB)
        sandbox, guest, _ = supervisor.jail(IMAGE, image=image, io=10 * MIB, operations=1000)
        channel = guest.shell("head -c 100M /dev/zero > /tmp/x")
        assert channel.get("EXIT_CODE") == 0, channel.err
        began = time.monotonic()
        assert supervisor.kill(sandbox)[2:4] == ["signal", "9"]
        assert time.monotonic() - began < 2, time.monotonic() - began
        assert not loop_devices(supervisor)


def check_the_lanes_cannot_be_cut():
    with Supervisor() as supervisor:
        sandbox, _, event = supervisor.jail(IMAGE)
        path = f"/proc/{supervisor.process.pid}/fd/{event[6]}"
        assert os.stat(path).st_ino == int(event[7]), event
        with open(path, "r+b") as lanes:
            size = os.stat(path).st_size
            assert size == 2 * host.LANE, size
            for other in (size - 1, size + 1):
                try:
                    lanes.truncate(other)
                    raise AssertionError(f"it can be of {other} bytes")
                except PermissionError:
                    pass
            assert os.stat(path).st_blocks == 0
        supervisor.kill(sandbox)
        until(lambda: not os.path.exists(path) or os.stat(path).st_ino != int(event[7]), 1, "the memory is given back")


def check_a_disk_has_a_rate():
    if not os.path.exists("/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device"):
        print("        (needs version 1 of the control groups)")
        return
    with Supervisor() as supervisor:
        image = empty_disk(supervisor.directory, 512 * MIB)
        _, guest, _ = supervisor.jail(IMAGE, image=image, io=20 * MIB, operations=1000)
        for command in ("dd if=/dev/zero of=/tmp/x bs=1M count=40 oflag=direct", "dd if=/tmp/x of=/dev/null bs=1M iflag=direct"):
            began = time.monotonic()
            channel = guest.shell(command)
            assert channel.get("EXIT_CODE") == 0, channel.err
            took = time.monotonic() - began
            assert 1.5 < took < 6, (command, took)


def check_a_disk_that_cannot_be_made():
    with Supervisor() as supervisor:
        for image in ("/no/such/image", "/etc/passwd", supervisor.directory):
            sandbox = supervisor.name()
            supervisor.ask_for_jail(IMAGE, sandbox, image=image)
            event = supervisor.of(sandbox, "FAILED", "ENDED", "STARTED")
            assert event[0] == "FAILED" and "disk" in event[2], event
            until(lambda: not loop_devices(supervisor), 5, "the loop device is free")


def in_namespace(supervisor, event, make):
    """Calls something in the network namespace that STARTED names, and comes back."""
    libc = ctypes.CDLL(None, use_errno=True)
    own = os.open("/proc/self/ns/net", os.O_RDONLY)
    place = os.open(f"/proc/{supervisor.process.pid}/fd/{event[4]}", os.O_RDONLY)
    try:
        assert libc.setns(place, 0x40000000) == 0
        return make()
    finally:
        assert libc.setns(own, 0x40000000) == 0
        os.close(place)
        os.close(own)


def listen_second():
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    # As the server's: else what was accepted for a port would keep the sandbox from serving there.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.127.127.127", 1))
    listener.listen(16)
    listener.settimeout(10)
    return listener, listener.getsockopt(socket.SOL_SOCKET, 71, 8)  # SO_NETNS_COOKIE


def tell_destinations(listener, count):
    for _ in range(count):
        connection, _ = listener.accept()
        connection.sendall("{}:{}".format(*connection.getsockname()).encode())
        connection.close()


def check_every_connection_arrives_at_one_listener():
    with Supervisor() as supervisor:
        _, agent, event = supervisor.jail(IMAGE, network=1)
        listener, cookie = in_namespace(supervisor, event, listen_second)
        assert int.from_bytes(cookie, sys.byteorder) == int(event[5]), event
        call = agent.open(host.PROCESS, LANGUAGE="python", CODE=b"""
import socket
def attempt(family, address):
    s = socket.socket(family)
    s.settimeout(10)
    try:
        s.connect(address)
        return s.recv(100).decode()
    except OSError as error:
        return type(error).__name__
for address in (("1.2.3.4", 443), ("255.1.1.1", 1), ("10.254.254.1", 65535)):
    print(attempt(socket.AF_INET, address))
print(attempt(socket.AF_INET6, ("::ffff:9.9.9.9", 80)))
print(attempt(socket.AF_INET6, ("2600::1", 80)))
print(attempt(socket.AF_INET, ("127.0.0.1", 80)))
try:
    s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1); s.bind(("127.127.127.127", 1))
    print("bound")
except OSError as error:
    print(type(error).__name__)
s = socket.create_server(("0.0.0.0", 80))
print(attempt(socket.AF_INET, ("1.2.3.4", 80)))
""")
        answering = threading.Thread(target=tell_destinations, args=(listener, 5))
        answering.start()
        end = call.wait()
        answering.join()
        listener.close()
        assert call.out.decode().split() == [
            "1.2.3.4:443", "255.1.1.1:1", "10.254.254.1:65535", "9.9.9.9:80", "OSError", "ConnectionRefusedError",
            "OSError", "1.2.3.4:80"], (call.out, call.err, end.items)


def check_datagrams_that_nobody_takes_are_told_of():
    with Supervisor() as supervisor:
        sandbox, agent, _ = supervisor.jail(IMAGE, network=1)
        end = agent.python("""
import socket
for address in (("8.8.8.8", 443), ("127.0.0.1", 9), ("1.2.3.4", 53)):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.connect(address)
    s.send(b"x")
    try:
        s.recv(1)
    except ConnectionRefusedError:
        print("refused")
for i in range(20000):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("9.9.9.9", 1 + i))
""")
        assert end.out == b"refused\n" * 3, (end.out, end.err)
        event = supervisor.of(sandbox, "DATAGRAM")
        assert event[2:] == ["8.8.8.8", "443"], event
        event = supervisor.of(sandbox, "DATAGRAM")
        assert event[2] == "9.9.9.9", event
        time.sleep(0.5)
        supervisor.read(0)
        assert len(supervisor.events) < 2000, len(supervisor.events)


def check_without_a_network_nothing_is_reached():
    with Supervisor() as supervisor:
        _, agent, event = supervisor.jail(IMAGE)
        assert event[4:6] == ["-1", "0"], event
        end = agent.python("import socket; socket.create_connection(('1.2.3.4', 80), 5)")
        assert end["EXIT_CODE"] == 1, end.items


def check_limits_can_be_changed():
    with Supervisor() as supervisor:
        sandbox, guest, _ = supervisor.jail(IMAGE)
        supervisor.send("LIMIT", sandbox, f"memory={64 * MIB}", "cpu=500", "pids=20")
        supervisor.of(sandbox, "LIMITED")
        channel = guest.python("x = bytearray(300 << 20)")
        assert channel["OUTCOME"] == host.OUT_OF_MEMORY, channel.items
        supervisor.send("LIMIT", "nobody", "memory=1000")
        supervisor.of("nobody", "REFUSED")


def check_the_end_of_input_ends_everything():
    supervisor = Supervisor()
    name, pid = supervisor.zygote(IMAGE)
    # Whoever drops the connection ends the sandbox: the name keeps it.
    sandbox, _guest, _ = supervisor.jail(IMAGE, zygote=name)
    inside = members(supervisor, sandbox)
    began = time.monotonic()
    assert supervisor.close() == 0
    assert time.monotonic() - began < 3
    assert not any(is_alive(p) for p in [pid, *inside])
    assert not groups(supervisor), groups(supervisor)


def check_hostile_lines():
    with Supervisor() as supervisor:
        lines = [
            b"\n", b"\t\n", b"START\n", b"START\t\n", b"KILL\n", b"NONSENSE\tx\n", b"\x00\x01\xff\tx\n",
            b"START\t../../x\tkind=jail\n", b"START\tx\tkind=what\n", b"START\tx\tkind=jail\n",
            b"START\tx\tkind=jail\ttemplate=relative\tgreeting=00\tsocket=/x\n",
            b"START\tx\tkind=jail\ttemplate=/nowhere\tgreeting=00\tsocket=/x\n",
            b"START\tx\tkind=jail\ttemplate=/%0\tgreeting=00\n", b"START\tx\tkind=jail\ttemplate=/%00\n",
            b"START\tx\tkind=jail\tmemory=-1\n", b"START\tx\tkind=jail\tmemory=99999999999999999999999\n",
            b"START\tx\tkind=jail\tnovalue\n", b"START\tx\tkind=jail\tunknown=1\n",
            b"START\t" + b"y" * 200 + b"\tkind=jail\n", b"LIMIT\tx\tmemory=x\n",
            b"START\tx\tkind=zygote\n", b"START\tx\tkind=zygote\tbind=/usr\n", b"START\tx\tkind=zygote\ttemplate=/nowhere\n",
            b"START\tx\tkind=command\targument=a\ttemplate=/x\tinput=00\tzygote=z\n",
            b"START\tx\tkind=command" + b"\targument=a" * 200 + b"\n", b"KILL\tnobody\textra\n",
        ]
        for line in lines:
            supervisor.raw(line)
        supervisor.raw(b"KI")
        supervisor.raw(b"LL\tlast\n")
        supervisor.of("last", "ENDED")
        assert all(event[0] in ("FAILED", "REFUSED", "ENDED") for event in supervisor.events), supervisor.events
        sandbox, guest, event = supervisor.jail(IMAGE)
        assert event[0] == "STARTED", event
        supervisor.request(sandbox, "jail", IMAGE, socket=supervisor.path, greeting="00")
        assert "there is a sandbox of this id" in supervisor.of(sandbox, "FAILED")[2]
        # Nobody who is the server writes such a line.
        with contextlib.suppress(BrokenPipeError):
            supervisor.raw(b"x" * 300_000)
        assert supervisor.process.wait(5) == 0


# ---------------------------------------------------------------- zygotes


def check_a_warm_kernel():
    with zygote() as (supervisor, name, _):
        sandbox, guest, event = supervisor.jail(IMAGE, zygote=name)
        assert event[3] == "warm", (event, supervisor.events)
        channel = guest.python("import sys; print('pandas' in sys.modules); import pandas; print(pandas.Series([1, 2]).sum())")
        assert channel.out == b"True\n3\n" and channel["POOLED"] == 1, (channel.out, channel.err, channel.items)
        channel = guest.python("print(1)")
        assert channel.out == b"1\n" and channel["POOLED"] == 0, channel.items
        assert b"glovebox" not in guest.shell("ls -a /").out
        assert supervisor.kill(sandbox)[2:4] == ["signal", "9"]


def check_a_warm_kernel_is_confined_as_a_cold_one():
    with zygote() as (supervisor, name, _):
        _, guest, event = supervisor.jail(IMAGE, zygote=name)
        assert event[3] == "warm", event
        warm = guest.call(host.CONTEXT_OPEN, CONTEXT="warm", LANGUAGE="python")
        assert warm["POOLED"] == 1, warm.items
        found = {}
        assert guest.call(host.CONTEXT_OPEN, CONTEXT="cold", LANGUAGE="python")["POOLED"] == 0
        for context in ("warm", "cold"):
            channel = guest.open(host.EXECUTE, CONTEXT=context, CODE=WHO.encode()).wait()
            assert channel.out, (channel.err, channel.records())
            found[context] = json.loads(channel.out)
        for key in found["cold"]:
            assert found["warm"][key] == found["cold"][key], (key, found["warm"][key], found["cold"][key])
        assert found["warm"]["parent"] == 1 and found["warm"]["marked"] and found["warm"]["oom"] == "1000"
        assert found["warm"]["status"]["CapBnd"] == "0" * 16 and found["warm"]["status"]["Uid"].split()[0] == "1000"


def check_a_warm_kernel_cannot_do_more():
    attempts = {
        "become root": "os.setuid(0)",
        "make a namespace": "ctypes.CDLL(None, use_errno=True).unshare(0x10000000) == 0 or 1 / 0",
        "enter one": "ctypes.CDLL(None, use_errno=True).setns(os.open('/proc/1/ns/mnt', 0), 0) == 0 or 1 / 0",
        "write below /proc": "open('/proc/self/comm', 'w').write('x')",
        "write into the template's directory": "open('/usr/bin/python3', 'w')",
        "signal the agent": "os.kill(1, 9)",
        "raise a limit": "resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 20, 1 << 20))",
        "read the agent's memory": "open('/proc/1/mem', 'rb')",
        "see the agent's descriptors": "os.listdir('/proc/1/fd')",
        "spare itself": "open('/proc/self/oom_score_adj', 'w').write('0')",
        "see another root": "os.listdir('/proc/1/root')",
    }
    with zygote() as (supervisor, name, _):
        _, guest, _ = supervisor.jail(IMAGE, zygote=name)
        assert guest.call(host.CONTEXT_OPEN, CONTEXT="c", LANGUAGE="python")["POOLED"] == 1
        for what, code in attempts.items():
            text = f"import ctypes, os, resource\ntry:\n    {code}\nexcept Exception:\n    print('refused')\nelse:\n    print('done')"
            channel = guest.open(host.EXECUTE, CONTEXT="c", CODE=text.encode()).wait()
            assert channel.out == b"refused\n", (what, channel.out, channel.records())
        # What it was forked from is a file of the template, and nothing of the host.
        channel = guest.open(host.EXECUTE, CONTEXT="c", CODE=b"print(os.readlink('/proc/self/exe'), os.path.realpath('/usr/bin/python3'))").wait()
        one, other = channel.out.decode().split()
        assert one == other, channel.out


def check_each_kernel_has_its_own_randomness():
    code = "import os, random, uuid, numpy; print(random.random(), numpy.random.rand(), uuid.uuid1().hex, os.urandom(8).hex())"
    with zygote() as (supervisor, name, _):
        seen = []
        for _ in range(3):
            _, guest, _ = supervisor.jail(IMAGE, zygote=name)
            seen += guest.python(code).out.split()
        assert len(set(seen)) == 12, seen


def check_how_a_warm_kernel_ends_is_known():
    with zygote() as (supervisor, name, _):
        _, guest, _ = supervisor.jail(IMAGE, zygote=name)
        channel = guest.python("import os; os._exit(7)")
        assert outcome(channel) == (host.EXITED, 7) and channel["POOLED"] == 1, channel.items
        _, guest, _ = supervisor.jail(IMAGE, zygote=name)
        channel = guest.python("import os; os.kill(os.getpid(), 11)")
        assert outcome(channel) == (host.EXITED, 139), channel.items


def check_memory_and_processes_of_a_warm_kernel_are_limited():
    with zygote() as (supervisor, name, _):
        _, guest, _ = supervisor.jail(IMAGE, zygote=name, memory=64 * MIB)
        channel = guest.python("x = bytearray(300 << 20)")
        assert channel["OUTCOME"] == host.OUT_OF_MEMORY and channel["POOLED"] == 1, channel.items
        assert guest.python("print(1)").out == b"1\n"
        _, guest, _ = supervisor.jail(IMAGE, zygote=name, pids=20)
        code = "import os, time\nn = 0\ntry:\n    while n < 100:\n        if os.fork() == 0:\n            time.sleep(60)\n        n += 1\nexcept OSError:\n    pass\nprint(n)"
        channel = guest.python(code)
        assert 5 < int(channel.out) < 20, channel.out


def check_killing_takes_the_warm_kernel_along():
    with zygote() as (supervisor, name, pid):
        sandbox, _guest, _ = supervisor.jail(IMAGE, zygote=name)
        inside = members(supervisor, sandbox)
        assert len(inside) == 2, inside  # the stem and the kernel
        supervisor.kill(sandbox)
        assert not any(is_alive(p) for p in inside)
        assert is_alive(pid)


def check_many_at_once():
    with zygote() as (supervisor, name, _):
        names = [supervisor.name() for _ in range(50)]
        for sandbox in names:
            supervisor.ask_for_jail(IMAGE, sandbox, zygote=name)
        guests = [supervisor.accept(60) for _ in names]
        events = [supervisor.of(sandbox, "STARTED", "FAILED") for sandbox in names]
        assert all(event[0] == "STARTED" for event in events), events
        warm = sum(event[3] == "warm" for event in events)
        assert warm >= 45, (warm, [event for event in supervisor.events if event[0] == "LOG"][:3])
        assert all(guest.python("print(1)").out == b"1\n" for guest in guests)


def check_sandboxes_outlive_their_zygote():
    with zygote() as (supervisor, name, pid):
        _, guest, _ = supervisor.jail(IMAGE, zygote=name)
        os.kill(pid, signal.SIGKILL)
        assert supervisor.of(name, "ENDED")[2:4] == ["signal", "9"]
        channel = guest.python("import pandas; print(len(pandas.DataFrame({'a': [1, 2]})))")
        assert channel.out == b"2\n" and channel["POOLED"] == 1, channel.items
        _, guest, event = supervisor.jail(IMAGE, zygote=name)
        assert event[3] == "cold" and guest.python("print(1)").out == b"1\n", event
        again, _ = supervisor.zygote(IMAGE, name)
        assert supervisor.jail(IMAGE, zygote=again)[2][3] == "warm"


def check_a_zygote_that_hangs_holds_nobody_up_for_long():
    with zygote() as (supervisor, name, pid):
        os.kill(pid, signal.SIGSTOP)
        began = time.monotonic()
        _, guest, event = supervisor.jail(IMAGE, zygote=name)
        assert [event[0], event[3]] == ["STARTED", "cold"] and time.monotonic() - began < 8, event
        assert supervisor.of(name, "ENDED")[2:4] == ["signal", "9"]
        assert guest.python("print(1)").out == b"1\n"


def check_a_sandbox_that_is_killed_at_once():
    with zygote() as (supervisor, name, pid):
        for pause in (0, 0, 0.002, 0.004, 0.006, 0.008, 0.01, 0.015):
            sandbox = supervisor.name()
            supervisor.ask_for_jail(IMAGE, sandbox, zygote=name)
            time.sleep(pause)
            supervisor.kill(sandbox)
            assert not members_left(supervisor, sandbox)
        while select.select([supervisor.listener], [], [], 0)[0]:
            supervisor.listener.accept()[0].close()
        sandbox, _guest, event = supervisor.jail(IMAGE, zygote=name)
        assert event[3] == "warm" and is_alive(pid), event
        until(lambda: len(members(supervisor, name)) == 1, 3, "the zygote is alone in its group")


def check_a_killed_supervisor_takes_everything_along():
    supervisor = Supervisor()
    disk = empty_disk(supervisor.directory, 64 * MIB)
    name, pid = supervisor.zygote(IMAGE)
    inside = [pid]
    for _ in range(3):
        sandbox, guest, _ = supervisor.jail(IMAGE, zygote=name, image=disk, io=MIB, operations=100)
        guest.open(host.PROCESS, LANGUAGE="python", CODE=b"import time; time.sleep(60)").started()
        inside += members(supervisor, sandbox)
    assert len(inside) == 7, inside
    assert len(loop_devices(supervisor)) == 3
    supervisor.process.kill()
    until(lambda: not any(is_alive(p) for p in inside), 0.5, "all of it gone")
    supervisor.process.wait()
    supervisor.process.stdin.close()
    supervisor.process.stdout.close()
    until(lambda: not loop_devices(supervisor), 5, "the loop devices are free")
    # Its groups are removed by the next one of this home, once the server that they are named for is gone: as here.
    for path in [p for group in groups(supervisor) for p in glob.glob(group + "/*/")] + groups(supervisor):
        os.rmdir(path)
    shutil.rmtree(supervisor.directory)
    with Supervisor():
        until(lambda: not rules_of_nobody(), 1, "no bound is left")


def check_a_template_that_cannot_have_one():
    with Supervisor() as supervisor, tempfile.TemporaryDirectory() as empty:
        os.mkdir(empty + "/proc")
        os.mkdir(empty + "/dev")
        supervisor.request("z", "zygote", empty)
        event = supervisor.of("z", "FAILED")
        assert "has no /opt/glovebox/kernels/zygote.py" in event[2], event
        os.makedirs(empty + "/opt/glovebox/kernels")
        open(empty + "/opt/glovebox/kernels/zygote.py", "w").close()
        supervisor.request("z2", "zygote", empty)
        assert "python3 cannot be started" in supervisor.of("z2", "FAILED")[2]


def check_a_zygote_of_another_template():
    with zygote() as (supervisor, name, _), tempfile.TemporaryDirectory() as empty:
        sandbox = supervisor.name()
        supervisor.ask_for_jail(empty, sandbox, zygote=name)
        assert "of another template" in supervisor.of(sandbox, "FAILED")[2]


def check_a_zygote_holds_little_of_the_host():
    with zygote() as (supervisor, name, pid):
        with open(f"/proc/{pid}/status") as file:
            status = dict(line.split(":", 1) for line in file)
        assert int(status["CapEff"], 16).bit_count() == 3, status["CapEff"]
        assert int(status["CapBnd"], 16).bit_count() == 3 and status["NoNewPrivs"].strip() == "1"
        assert status["Threads"].strip() == "1"
        for namespace in ("mnt", "net", "ipc", "uts"):
            assert os.readlink(f"/proc/{pid}/ns/{namespace}") != os.readlink(f"/proc/self/ns/{namespace}"), namespace
        with open(f"/proc/{pid}/mountinfo") as file:
            roots = [line.split() for line in file]
        assert [line[5].split(",")[0] for line in roots if line[4] == "/"] == ["ro"], roots
        assert sorted(line[4] for line in roots) == ["/", "/dev", "/dev/pts", "/dev/shm", "/proc"], roots
        opened = [os.readlink(path) for path in glob.glob(f"/proc/{pid}/fd/*")]
        kinds = sorted(path.split(":")[0].split(" ")[0] for path in opened)
        assert kinds == ["/dev/null", "/dev/null", "/memfd", "pid", "pipe", "socket"], opened


def main():
    if os.geteuid() != 0 or IMAGE is None:
        why = "it needs root" if os.geteuid() != 0 else "there is no template: GLOVEBOX_TEST_IMAGE names one"
        print(f"skipped: {why}\n0 passed, 0 failed, 1 skipped")
        return 0
    checks = {name[len("check_"):]: check for name, check in globals().items() if name.startswith("check_")}
    chosen = {name: check for name, check in checks.items()
              if len(sys.argv) == 1 or any(word in name for word in sys.argv[1:])}
    failed = 0
    for name, check in chosen.items():
        began = time.monotonic()
        try:
            check()
            print(f"ok      {name} ({(time.monotonic() - began) * 1000:.0f} ms)", flush=True)
        except Exception:
            failed += 1
            print(f"FAILED  {name}\n{traceback.format_exc()}", flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed, {len(checks) - len(chosen)} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
