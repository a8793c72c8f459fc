package dev.glovebox.testkit.escape;

import dev.glovebox.testkit.BackendBench;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/// System calls that a workload has no business with: namespaces, odd sockets, and those in which kernels had bugs.
public abstract class LinuxCallEscapeSuite extends LinuxEscapeTopic {
    private static final String NAMESPACES = """
            SPACES = {'mnt': 0x20000, 'cgroup': 0x2000000, 'uts': 0x4000000, 'ipc': 0x8000000, 'user': 0x10000000,
                      'pid': 0x20000000, 'net': 0x40000000, 'time': 0x80}
            SPACES.update({'user+' + name: 0x10000000 | flag for name, flag in list(SPACES.items())})
            SPACES['all'] = 0x7e020080
            def in_child(act):
                child = os.fork()
                if child == 0:
                    try:
                        act()
                        os._exit(0)
                    except OSError as error:
                        os._exit(error.errno)
                    except BaseException:
                        os._exit(255)
                status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
                if status != 0:
                    raise OSError(max(status, 1), 'child: ' + str(status))
            def clone(number, *arguments):
                got = call(number, *arguments)
                if got == 0:
                    os._exit(0)
                os.waitpid(got, 0)
                return got
            for name, flag in SPACES.items():
                attempt('unshare ' + name, lambda: in_child(lambda: call('unshare', flag)), harmless=inside)
                attempt('clone ' + name, lambda: clone('clone', (flag & ~0x80) | 17, 0, 0, 0, 0)
                        if flag != 0x80 else in_child(lambda: call('unshare', 0x80)), harmless=inside)
                arguments = (ctypes.c_uint64 * 11)(flag, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0)
                attempt('clone3 ' + name, lambda: clone('clone3', arguments, 88), harmless=inside)
            for command in (['unshare', '--user', '--map-root-user', 'id', '-u'], ['unshare', '-Urpf', '--mount-proc', 'true']):
                attempt(' '.join(command), lambda: subprocess.run(command, check=True, capture_output=True).stdout, harmless=inside)
            """;

    private static final String SOCKETS = """
            import socket, struct
            PLAIN = {(family, kind) for family in (1, 2, 10) for kind in (1, 2, 5)}
            for family in range(0, 46):
                for kind in (1, 2, 3, 4, 5, 6, 10):
                    if (family, kind) in PLAIN or family == 16:
                        continue
                    attempt(f'socket {family} {kind}', lambda: socket.socket(family, kind, 0), harmless=inside)
            for protocol in range(1, 23):
                attempt(f'netlink {protocol}', lambda: socket.socket(16, 3, protocol), harmless=inside)
            for protocol in (1, 6, 17, 58, 132, 255):
                attempt(f'raw {protocol}', lambda: socket.socket(2, 3, protocol), harmless=inside)
                attempt(f'raw6 {protocol}', lambda: socket.socket(10, 3, protocol), harmless=inside)
            attempt('mptcp', lambda: socket.socket(2, 1, 262).connect(('10.0.0.1', 1)))
            def route(kind, body):
                with socket.socket(16, 3, 0) as link:
                    link.send(struct.pack('=IHHII', 16 + len(body), kind, 0x605, 1, 0) + body)
                    code = struct.unpack('=i', link.recv(4096)[16:20])[0]
                    if code < 0:
                        raise OSError(-code, os.strerror(-code))
            attempt('new link', lambda: route(16, struct.pack('=BBHiII', 0, 0, 0, 0, 1, 1) + struct.pack('=HH8s', 12, 3, b'dummy0')),
                    harmless=inside)
            attempt('new address', lambda: route(20, struct.pack('=BBBBI', 2, 24, 0, 0, 1) + struct.pack('=HH4s', 8, 2, b'\\x0a\\0\\0\\1')),
                    harmless=inside)
            attempt('lo down', lambda: __import__('fcntl').ioctl(socket.socket(), 0x8914, struct.pack('16sH14x', b'lo', 0)), harmless=inside)
            for name in os.listdir('/sys/class/net') if os.path.isdir('/sys/class/net') else []:
                print('refused' if name == 'lo' else 'ESCAPED', 'interface', name)
            for name in (entry[1] for entry in socket.if_nameindex()):
                print('refused' if name == 'lo' else 'ESCAPED', 'interface', name)
            for target in ('1.1.1.1', '169.254.169.254', '8.8.8.8', '10.0.0.1', '172.17.0.1', '192.168.0.1'):
                attempt(target, lambda: socket.create_connection((target, 80), timeout=2))
                attempt('udp ' + target, lambda: socket.socket(2, 2).sendto(b'x', (target, 53)))
            attempt('dns', lambda: socket.gethostbyname('example.com'))
            """;

    /// Calls of which each was the way in of some exploit, or changes the machine. Those that an emulated kernel
    /// answers it answers by itself.
    private static final String EXOTIC = """
            import fcntl, signal
            buffer = ctypes.create_string_buffer(4096)
            zero = ctypes.create_string_buffer(256)
            for name, arguments in [
                    ('io_uring_setup', (8, zero)), ('io_uring_register', (0, 0, None, 0)), ('bpf', (0, zero, 120)), ('bpf', (5, zero, 120)),
                    ('perf_event_open', (zero, 0, -1, -1, 0)), ('userfaultfd', (1,)), ('userfaultfd', (0x80000,)),
                    ('name_to_handle_at', (-100, b'/', b'\\x80' + bytes(255), buffer, 0)), ('open_by_handle_at', (0, zero, 0)),
                    ('keyctl', (0, -3, 1)), ('keyctl', (1, b'own')), ('keyctl', (11, -5, buffer, 100)), ('add_key', (b'user', b'x', b'y', 1, -3)),
                    ('add_key', (b'keyring', b'x', None, 0, -5)), ('request_key', (b'user', b'x', None, -3)),
                    ('init_module', (zero, 10, b'')), ('finit_module', (0, b'', 0)), ('delete_module', (b'x', 0x800)), ('kexec_load', (0, 0, None, 0)),
                    ('reboot', (0xfee1dead, 672274793, 0, None)), ('swapon', (b'/home/user/swap', 0)), ('sethostname', (b'x', 1)),
                    ('setdomainname', (b'x', 1)), ('settimeofday', (zero, None)), ('clock_settime', (0, zero)), ('clock_adjtime', (0, b'\\1' + bytes(255))),
                    ('acct', (b'/home/user/acct',)), ('syslog', (3, buffer, 4096)), ('syslog', (10, None, 0)), ('quotactl', (0x800002, b'/dev/vda', 0, buffer)),
                    ('quotactl_fd', (0, 0, 0, buffer)), ('personality', (0x0040000,)), ('fanotify_init', (0, 0)), ('fanotify_init', (0x200, 0)),
                    ('memfd_secret', (0,)), ('move_pages', (1, 0, None, None, None, 0)), ('mbind', (0, 4096, 0, None, 0, 0)), ('vhangup', ()),
                    ('lsm_get_self_attr', (100, None, buffer, 0)), ('map_shadow_stack', (0, 4096, 0)), ('iopl', (3,)), ('ioperm', (0, 8, 1)),
                    ('modify_ldt', (1, b'\\0' * 16, 16))]:
                attempt(name, lambda: call(name, *arguments), harmless=inside)
            for fd in (0, 1, 2):
                for request in (0x5412, 0x541c, 0x540e, 0x5423):
                    attempt('terminal', lambda: fcntl.ioctl(fd, request, b'x' * 8))
            attempt('tty', lambda: fcntl.ioctl(os.open('/dev/tty', os.O_RDWR), 0x5412, b'x'))
            for name in ('trusted.overlay.opaque', 'trusted.x', 'security.capability', 'system.posix_acl_access'):
                value = bytes([1, 0, 0, 2]) + b'\\xff' * 16
                attempt(name, lambda: os.setxattr('/home/user', name, value), harmless=inside)
            # The same calls by other doors: of 32 bits, and of the x32 interface.
            import mmap
            def by(code):
                child = os.fork()
                if child == 0:
                    page = mmap.mmap(-1, 4096, prot=7)
                    page.write(code)
                    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
                    os._exit(0 if ctypes.CFUNCTYPE(ctypes.c_int)(address)() == os.getpid() else 1)
                status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
                if status != 0:
                    raise OSError('status ' + str(status))
            if platform.machine() == 'x86_64':
                attempt('int 80', lambda: by(bytes.fromhex('b814000000cd80c3')), harmless=inside)
                attempt('x32', lambda: by(bytes.fromhex('b8270000400f05c3')), harmless=inside)
            """;

    protected LinuxCallEscapeSuite(Supplier<BackendBench> benches) {
        super(benches);
    }

    @Test
    void thereAreNoNamespacesToMake() {
        repelled(NAMESPACES);
    }

    @Test
    void thereAreOnlyPlainSocketsAndNoNetwork() {
        repelled(SOCKETS);
    }

    @Test
    void callsThatNobodyNeedsAreNotThere() {
        repelled(EXOTIC);
    }
}
