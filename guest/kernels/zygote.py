"""The zygote of a template: one Python with numpy and pandas imported, that forks a warm kernel into each sandbox.

The supervisor starts it, as the host's root, in a root directory that is the template itself, read-only
(docs/supervisor.md). It runs nothing but code of the template, and reads nothing that a guest wrote: a request is a
message of the supervisor, a sandbox that a kernel enters has run nothing yet but the agent, and what a guest says
later is read by the forked child, which has given up everything by then. Whoever changes this file must keep it so.

Descriptors: 2 the log, 3 a socket to the supervisor, 4 the seccomp program. The first message, READY, is ours; each
one from the supervisor is a request: the path of the agent's socket, and as descriptors the sandbox's first process,
two pipes, and the files with which its control groups are joined. The first pipe gets one full stop when the child
has given up everything, or words that say why not; its end says that nobody with rights of the host is in the sandbox
any more. The second gives a byte when the sandbox is made: a fork takes its time, so that is not waited for.
"""

import ctypes
import gc
import mmap
import os
import pwd
import resource
import signal
import site
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import python as kernel  # noqa: E402

USER = "user"
CHANNEL, FILTER = 3, 4
RECORDS, DONE = 3, 4  # the child's
DESCRIPTORS_MAX = 16
PATIENCE_SECONDS = 4  # the child is ended after that, for the sandbox waits for it
RETRY_SECONDS = 0.0003
OPEN_FILES = 65536
# As the agent marks its processes: far beyond any bound that somebody means, none of the agent's own numbers, and for each
# kernel another.
MARK_BASE = (1 << 61) + (1 << 60)
MARK_BITS = 59
LANGUAGE, PROCESS_ID = 26, 100

# Of the kernel's interface; Python 3.11 has names for none of them.
NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = (
    0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000,
)
SANDBOX = NEWNS | NEWCGROUP | NEWUTS | NEWIPC | NEWUSER | NEWNET
SET_DUMPABLE, SET_SECCOMP, CAPBSET_READ, CAPBSET_DROP, SET_NO_NEW_PRIVS, CAP_AMBIENT = 4, 22, 23, 24, 38, 47
SECCOMP_FILTER, CLEAR_ALL = 2, 4
CAPABILITIES = range(64)
CAPABILITY_VERSION = 0x20080522
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
RULESET_VERSION, PATH_BENEATH = 1, 1
# Writing, and making and removing of every kind; of versions 2 and 3: moving to elsewhere, truncating.
WRITES, REFER, TRUNCATE = 0b1_1111_1111_0010, 1 << 13, 1 << 14

CLONE_VM, CLONE_VFORK = 0x100, 0x4000
STACK_BYTES = 16 << 20  # the kernels', of which each uses what it needs

libc = ctypes.CDLL(None, use_errno=True)
# These run Python code in between, so they keep the interpreter's lock.
ENTRY = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
clone = ctypes.PyDLL(None, use_errno=True).clone
clone.argtypes = [ENTRY, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p]


class Program(ctypes.Structure):
    """A seccomp program."""

    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

    def __init__(self, code):
        self.code = ctypes.create_string_buffer(code, len(code))
        super().__init__(len(code) // 8, ctypes.addressof(self.code))


def check(result):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def prctl(option, value, more=0):
    return libc.prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(more), ctypes.c_ulong(0), ctypes.c_ulong(0))


def syscall(number, *arguments):
    return libc.syscall(ctypes.c_long(number), *arguments)


# ---------------------------------------------------------------- the zygote


def make_stack():
    """Memory whose lowest page nobody can touch, and its address."""
    kind = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_STACK
    memory = mmap.mmap(-1, STACK_BYTES, flags=kind)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    check(libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(mmap.PAGESIZE), 0))
    return memory, address


MEMORY, STACK = make_stack()


def try_out():
    """Does once what most guests do first: what that imports and remembers need not be made again in each child."""
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return
    frame = pandas.DataFrame({"a": [1, 2], "b": ["x", "y"], "c": [0.5, 1.5]})
    repr(frame)
    frame.to_html()
    frame.groupby("b").sum()


def prepare():
    kernel.preload()
    try_out()
    gc.collect()
    gc.freeze()
    if len(os.listdir("/proc/self/task")) != 1:
        raise SystemExit("something that was imported started a thread, which no forked child would have")


def serve(channel, user):
    """Forks a kernel for each request, until the supervisor goes."""
    program = Program(os.pread(FILTER, os.fstat(FILTER).st_size, 0))
    home = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the child in between
    channel.send(b"READY")
    while True:
        path, descriptors, _, _ = socket.recv_fds(channel, 256, DESCRIPTORS_MAX)
        if not path:
            return
        try:
            fork_into(descriptors, path, user, program)
        except OSError as failure:
            tell(descriptors[1], failure)  # most often: the sandbox is gone already
        check(libc.setns(home, NEWPID))
        for descriptor in descriptors:
            os.close(descriptor)


def fork_into(descriptors, path, user, program):
    """Forks a kernel whose parent is the first process of the sandbox."""

    def between():
        # Inside, by setns; and who is born to a parent that is inside becomes the agent's child when that one ends.
        try:
            pid = os.fork()
        except OSError as failure:
            tell(descriptors[1], failure)
            return
        if pid == 0:
            try:
                run_child(descriptors, path, user, program)
            finally:
                os._exit(1)

    check(libc.setns(descriptors[0], NEWPID))
    vfork(between)


def vfork(function):
    """Runs a function in a child that borrows our memory while we wait: a second fork would take as long again. On a
    stack of its own, which what it forks keeps."""
    if sys.version_info >= (3, 14):
        # An interpreter that knows where its stack should be.
        if os.fork() == 0:
            function()
            os._exit(0)
        return

    def run(_):
        function()
        return 0

    call = ENTRY(run)
    check(clone(call, STACK + STACK_BYTES, CLONE_VM | CLONE_VFORK | signal.SIGCHLD, None))


def run_child(descriptors, path, user, program):
    process, done, go, *groups = descriptors
    try:
        signal.alarm(PATIENCE_SECONDS)
        os.dup2(done, DONE)
        os.close(done)
        join(groups)
        if os.read(go, 1):
            check(libc.setns(process, SANDBOX))
            become_kernel(path, user, program)
    except BaseException as failure:
        tell(DONE, failure)


def tell(done, failure):
    try:
        os.write(done, f"{type(failure).__name__}: {failure}".encode(errors="replace")[:200])
    except OSError:
        pass


# ---------------------------------------------------------------- the child
# What is written here is copied for each kernel, and reading a Python object writes to it. So this part makes few
# detours: it takes system calls rather than what is built on them.


def join(groups):
    """Joins the sandbox's control groups, before anything else, so that nothing inside is ever without its limits."""
    score = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
    for group in groups:
        os.write(group, b"0")
    os.write(score, b"1000")


def become_kernel(path, user, program):
    """Becomes what the agent would have started. From serve_forked on it runs a guest's code."""
    os.setsid()
    os.umask(0o022)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setgroups([])
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)
    set_limits()
    null = os.open("/dev/null", os.O_RDONLY)
    out, err = os.pipe(), os.pipe()
    mine, agents = socket.socketpair()
    for end in (out[1], err[1]):
        os.fchown(end, user.pw_uid, user.pw_gid)
    hand_over(path, [out[0], err[0], agents.fileno()])
    confine(user)
    place(null, out[1], err[1], mine.detach())
    live_as(user)
    check(prctl(SET_SECCOMP, SECCOMP_FILTER, ctypes.addressof(program)))
    signal.alarm(0)
    os.write(DONE, b".")
    os.close(DONE)
    kernel.serve_forked(socket.socket(fileno=RECORDS))


def set_limits():
    """The agent's own, and what it gives to its workload."""
    os.sched_setaffinity(0, os.sched_getaffinity(1))
    files = min(resource.prlimit(1, resource.RLIMIT_NOFILE)[1], OPEN_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    mark = MARK_BASE + (int.from_bytes(os.urandom(8), "little") >> 64 - MARK_BITS)
    resource.setrlimit(resource.RLIMIT_RTTIME, (mark, mark))


def hand_over(path, descriptors):
    """Gives the kernel to the agent, which may only just be starting; returns when the agent has it."""
    record = kernel.records.encode([(LANGUAGE, "python"), (PROCESS_ID, os.getpid())])
    with socket.socket(socket.AF_UNIX) as connection:
        while True:
            try:
                connection.connect(path)
                break
            except (FileNotFoundError, ConnectionRefusedError):
                time.sleep(RETRY_SECONDS)
        os.unlink(path)  # one kernel is all that this sandbox gets, and nobody else may offer one
        socket.send_fds(connection, [record], descriptors)
        connection.recv(1)


def confine(user):
    """No way back: what the agent's launch.c and confine.c do, in their order."""
    check(prctl(SET_NO_NEW_PRIVS, 1))
    forbid_writing()
    for capability in CAPABILITIES:
        prctl(CAPBSET_DROP, capability)
    os.setgroups(user.groups)
    os.setresgid(user.pw_gid, user.pw_gid, user.pw_gid)
    os.setresuid(user.pw_uid, user.pw_uid, user.pw_uid)
    prctl(CAP_AMBIENT, CLEAR_ALL)
    check(libc.capset(struct.pack("Ii", CAPABILITY_VERSION, 0), bytes(24)))
    if any(prctl(CAPBSET_READ, capability) == 1 for capability in CAPABILITIES) or os.getresuid() != (user.pw_uid,) * 3:
        raise PermissionError("some privilege is left")
    # As after an exec. What can be read here by others of this user is the template's.
    check(prctl(SET_DUMPABLE, 1))


def forbid_writing():
    """No writing beneath /proc and /sys, where the kernel has Landlock. Its scopes are left out: they would part the
    kernel from the programs that the agent starts."""
    version = syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(RULESET_VERSION))
    if version < 2:
        return
    access = WRITES | REFER | (TRUNCATE if version >= 3 else 0)
    handled = struct.pack("=Q", access)
    ruleset = check(syscall(CREATE_RULESET, handled, ctypes.c_size_t(len(handled)), ctypes.c_uint(0)))
    with os.scandir("/") as entries:
        names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    for name in names:
        if name not in ("proc", "sys"):
            place = os.open("/" + name, os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY)
            check(syscall(ADD_RULE, ruleset, PATH_BENEATH, struct.pack("=Qi", access, place), ctypes.c_uint(0)))
            os.close(place)
    check(syscall(RESTRICT_SELF, ruleset, ctypes.c_uint(0)))
    os.close(ruleset)


def place(null, out, err, mine):
    """The descriptors of a kernel, and none besides. The new ones all have numbers above these."""
    for number, fd in enumerate((null, out, err, mine)):
        os.dup2(fd, number, inheritable=number < RECORDS)
    os.closerange(DONE + 1, OPEN_FILES)


def live_as(user):
    # The rest of a kernel's environment is the zygote's.
    os.environ["HOME"] = user.pw_dir
    os.environ["USER"] = user.pw_name
    # Found out for the zygote's home at the start; to be found out again.
    site.USER_BASE = site.USER_SITE = None
    try:
        os.chdir(user.pw_dir)
    except OSError:
        os.chdir("/")


class User:
    """Whom kernels run as."""

    def __init__(self, name):
        entry = pwd.getpwnam(name)
        self.pw_name, self.pw_uid, self.pw_gid, self.pw_dir = name, entry.pw_uid, entry.pw_gid, entry.pw_dir
        self.groups = os.getgrouplist(name, entry.pw_gid)


if __name__ == "__main__":
    try:
        someone = User(USER)
    except KeyError:
        raise SystemExit(f"the template has no user {USER}") from None
    prepare()
    serve(socket.socket(fileno=CHANNEL), someone)
