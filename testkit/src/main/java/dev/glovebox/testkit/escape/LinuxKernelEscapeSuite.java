package dev.glovebox.testkit.escape;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.testkit.BackendBench;
import dev.glovebox.testkit.BackendBench.Ran;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/// Have the kernel run something on the host or tell about it: programs that it starts by itself, its switches in
/// /proc and /sys, its memory, its devices.
public abstract class LinuxKernelEscapeSuite extends LinuxEscapeTopic {
    /// Programs that the kernel starts as the host's root when it is told their path.
    private static final String HELPERS = """
            import glob
            agents = glob.glob('/sys/fs/cgroup/**/release_agent', recursive=True)
            agents += glob.glob('/sys/fs/cgroup/**/notify_on_release', recursive=True)
            agents += ['/sys/fs/cgroup/release_agent'] + ['/sys/fs/cgroup/' + name + '/release_agent'
                       for name in ('memory', 'rdma', 'pids', 'cpu', 'freezer', 'unified', 'systemd')]
            helpers = ['/proc/sys/kernel/core_pattern', '/proc/sys/kernel/modprobe', '/proc/sys/kernel/hotplug',
                       '/sys/kernel/uevent_helper', '/proc/sys/kernel/poweroff_cmd', '/proc/sys/kernel/usermodehelper/bset',
                       '/proc/sys/fs/binfmt_misc/register', '/proc/sys/kernel/core_pipe_limit', '/sys/kernel/security/ima/policy',
                       '/sys/kernel/debug/kprobes/enabled', '/sys/kernel/tracing/kprobe_events', '/sys/kernel/config/target']
            for path in agents + helpers:
                attempt(path, lambda: put(path, '|/home/user/helper'), harmless=inside)
            os.makedirs('/home/user/cg', exist_ok=True)
            for kind, options in (('cgroup', 'memory'), ('cgroup', 'rdma'), ('cgroup', 'none,name=own'), ('cgroup2', '')):
                attempt(kind + options, lambda: call('mount', b'x', b'/home/user/cg', kind.encode(), 0, options.encode()),
                        harmless=inside)
            # A core dump goes nowhere, and an unknown format makes the kernel ask for a module only by its own name.
            child = os.fork()
            if child == 0:
                os.abort()
            print('refused core', os.WCOREDUMP(os.waitpid(child, 0)[1]) and 'ESCAPED')
            with open('/home/user/odd', 'wb') as file:
                file.write(b'\\xff\\xff\\xff\\xff' * 64)
            os.chmod('/home/user/odd', 0o755)
            attempt('binfmt', lambda: os.execv('/home/user/odd', ['odd']))
            """;

    /// Its switches. What is written would do no harm to a host that took it.
    private static final String SWITCHES = """
            for path, text in {'/proc/sysrq-trigger': 'h', '/proc/sys/kernel/sysrq': '1', '/proc/sys/vm/drop_caches': '0',
                               '/proc/sys/kernel/ns_last_pid': '1000', '/proc/sys/vm/overcommit_memory': '0',
                               '/proc/sys/kernel/hostname': 'x', '/proc/sys/kernel/domainname': 'x',
                               '/proc/sys/kernel/randomize_va_space': '0', '/proc/sys/kernel/yama/ptrace_scope': '0',
                               '/proc/sys/user/max_user_namespaces': '1000', '/proc/sys/fs/protected_symlinks': '0',
                               '/proc/sys/net/ipv4/ip_forward': '1', '/proc/irq/default_smp_affinity': '1', '/proc/mtrr': 'x',
                               '/proc/acpi/wakeup': 'x', '/proc/scsi/scsi': 'x', '/proc/bus/pci/00/00.0': 'x',
                               '/proc/fs/jbd2': 'x', '/proc/dynamic_debug/control': 'x', '/sys/power/state': 'x',
                               '/sys/kernel/mm/ksm/run': '0', '/sys/kernel/debug/x': 'x', '/sys/kernel/profiling': '0',
                               '/sys/module/kvm/parameters/x': 'x', '/sys/class/block/vda/uevent': 'x',
                               '/sys/firmware/efi/efivars/x': 'x', '/proc/self/oom_score_adj': '-1000',
                               '/proc/1/oom_score_adj': '1000', '/proc/self/loginuid': '0', '/proc/self/uid_map': '0 0 1',
                               '/proc/self/gid_map': '0 0 1', '/proc/self/timens_offsets': 'monotonic 1 0'}.items():
                attempt(path, lambda: put(path, text), harmless=inside)
            """;

    /// Its memory, its log, its symbols. A file that is shown empty tells nothing.
    private static final String SECRETS = """
            for path in ['/proc/kcore', '/proc/kmsg', '/dev/kmsg', '/proc/kallsyms', '/proc/keys', '/proc/key-users',
                         '/proc/config.gz', '/proc/sched_debug', '/proc/timer_list', '/proc/slabinfo', '/proc/iomem',
                         '/proc/ioports', '/proc/vmallocinfo', '/proc/kpagecount', '/proc/kpageflags', '/proc/modules',
                         '/proc/interrupts', '/proc/diskstats', '/proc/swaps', '/proc/cmdline', '/proc/bootconfig',
                         '/sys/kernel/vmcoreinfo', '/sys/kernel/notes', '/sys/kernel/btf/vmlinux', '/sys/kernel/debug',
                         '/sys/firmware/acpi/tables/DSDT', '/sys/firmware/dmi/tables/DMI', '/sys/class/dmi/id/product_uuid',
                         '/sys/devices/virtual/dmi/id/product_serial', '/dev/mem', '/dev/kmem', '/dev/port', '/dev/kvm',
                         '/dev/vda', '/dev/sda', '/dev/nvme0n1', '/dev/loop0', '/dev/loop-control', '/dev/vsock',
                         '/dev/net/tun', '/dev/vhost-net', '/dev/vhost-vsock', '/dev/cuse', '/dev/dri/card0',
                         '/dev/input/event0', '/dev/snd/timer', '/dev/hwrng', '/dev/rtc0', '/dev/watchdog', '/dev/console',
                         '/dev/ttyS0', '/dev/tty0', '/dev/vcs', '/dev/uinput', '/dev/userfaultfd', '/dev/mapper/control',
                         '/dev/btrfs-control', '/dev/autofs', '/dev/fb0', '/dev/nvidiactl', '/dev/virtio-ports']:
                attempt(path, lambda: get(path), harmless=nothing)
            """;

    private static final String WRITABLE = """
            import stat
            def walk():
                for top in ('/proc', '/sys'):
                    for at, directories, files in os.walk(top):
                        if at == '/proc':
                            directories[:] = [d for d in directories if not d.isdigit() and d not in ('self', 'thread-self')]
                        yield from (os.path.join(at, name) for name in files)
            seen = 0
            for path in walk():
                seen += 1
                try:
                    fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
                except OSError:
                    continue
                status = os.fstat(fd)
                masked = stat.S_ISCHR(status.st_mode) and status.st_rdev == os.makedev(1, 3)
                os.close(fd)
                print('refused' if masked or EMULATED else 'ESCAPED', path)
            print('refused' if seen > 5 else 'ESCAPED', 'files seen', seen)
            """;

    /// What a process may change of itself on any Linux, and what nobody may.
    private static final String OWN = """
            HARMLESS = {'comm', 'coredump_filter', 'clear_refs', 'mem', 'timerslack_ns', 'autogroup', 'sched', 'oom_score_adj',
                        'oom_adj', 'latency', 'cmdline'}
            for name in sorted(os.listdir('/proc/self')):
                path = '/proc/self/' + name
                if os.path.isdir(path) or name == 'exe':
                    continue
                try:
                    fd = os.open(path, os.O_RDWR | os.O_NONBLOCK)
                except OSError as error:
                    print('refused', path, error.strerror)
                    continue
                try:
                    os.write(fd, b'0 0 1')
                    print('refused' if name in HARMLESS or EMULATED else 'ESCAPED', path)
                except OSError as error:
                    print('refused', path, error.strerror)
                os.close(fd)
            for name in sorted(os.listdir('/proc/self/attr')) if os.path.isdir('/proc/self/attr') else []:
                attempt('attr/' + name, lambda: put('/proc/self/attr/' + name, 'unconfined'), harmless=inside)
            """;

    private static final String NODES = """
            NODES = [('mem', 'c', 1, 1), ('kmsg', 'c', 1, 11), ('vda', 'b', 254, 0), ('vdb', 'b', 253, 0), ('sda', 'b', 8, 0),
                     ('loop', 'b', 7, 0), ('kvm', 'c', 10, 232), ('console', 'c', 5, 1), ('tun', 'c', 10, 200), ('ram', 'b', 1, 0),
                     ('null', 'c', 1, 3), ('fuse', 'c', 10, 229), ('userfault', 'c', 10, 126)]
            def openable(name, kind, major, minor, at):
                mode = (0o020666 if kind == 'c' else 0o060666)
                path = at + '/node-' + name
                os.mknod(path, mode, os.makedev(major, minor))
                with open(path, 'rb') as file:
                    return file.read(16)
            for at in ('/home/user', '/tmp', '/dev/shm', '/dev', '/run'):
                for node in NODES:
                    attempt(at + ' ' + node[0], lambda: openable(*node, at), harmless=inside)
            ALLOWED = {'null', 'zero', 'full', 'random', 'urandom', 'tty', 'ptmx', 'console', 'fuse', 'tun'} if EMULATED else {
                       'null', 'zero', 'full', 'random', 'urandom', 'tty', 'ptmx'}
            import stat
            for at, directories, files in os.walk('/'):
                directories[:] = [d for d in directories if at != '/' or d not in ('proc', 'sys')]
                for name in files:
                    path = os.path.join(at, name)
                    try:
                        status = os.lstat(path)
                    except OSError:
                        continue
                    if stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode):
                        known = name in ALLOWED or at == '/dev/pts'
                        print('refused' if known else 'ESCAPED', 'device', path, os.major(status.st_rdev), os.minor(status.st_rdev))
            """;

    protected LinuxKernelEscapeSuite(Supplier<BackendBench> benches) {
        super(benches);
    }

    @Test
    void theKernelStartsNoProgramOnTheHost() {
        repelled(HELPERS);
    }

    @Test
    void theKernelsSwitchesAreNotTheGuests() {
        repelled(SWITCHES);
    }

    @Test
    void theKernelKeepsItsSecrets() {
        repelled(SECRETS);
    }

    /// Every file, not only those that anyone thought of. On an emulated kernel some of its own switches may be
    /// written: they are no host's, whose own are compared.
    @Test
    void nothingBelowProcAndSysIsWritable() {
        repelled(WRITABLE);
    }

    @Test
    void aProcessChangesOfItselfOnlyWhatHarmsNobody() {
        repelled(OWN);
    }

    @Test
    void noDeviceCanBeMade() {
        repelled(NODES);
    }

    @Test
    void theGuestHasNoPrivilege() {
        Ran ran = bash(sandbox(), "cat /proc/self/status; id -u");
        if (isEmulated()) {
            // Its user has none either; root inside has some, of that kernel.
            assertThat(ran.stdout()).as(ran.toString()).containsPattern("CapEff:\\s0000000000000000\n");
        } else {
            assertThat(ran.stdout())
                    .as(ran.toString())
                    .containsPattern("CapInh:\\s0000000000000000\n")
                    .containsPattern("CapPrm:\\s0000000000000000\n")
                    .containsPattern("CapEff:\\s0000000000000000\n")
                    .containsPattern("CapBnd:\\s0000000000000000\n")
                    .containsPattern("CapAmb:\\s0000000000000000\n")
                    .containsPattern("NoNewPrivs:\\s1\n")
                    .containsPattern("Seccomp:\\s2\n")
                    .containsPattern("Groups:\\s1000 \n")
                    .endsWith("1000\n");
        }
    }
}
