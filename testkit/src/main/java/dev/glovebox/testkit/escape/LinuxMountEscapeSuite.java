package dev.glovebox.testkit.escape;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.testkit.BackendBench;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/// Change what is mounted where: with the old calls, the new ones, and by entering another namespace.
public abstract class LinuxMountEscapeSuite extends LinuxEscapeTopic {
    private static final String MOUNT = """
            MS_RDONLY, MS_REMOUNT, MS_BIND, MS_MOVE, MS_REC, MS_SHARED = 1, 32, 4096, 8192, 16384, 1 << 20
            place = b'/home/user/place'
            os.makedirs(place, exist_ok=True)
            for kind in ['tmpfs', 'proc', 'sysfs', 'overlay', 'devtmpfs', 'debugfs', 'tracefs', 'securityfs', 'bpf', 'mqueue',
                         'ramfs', 'fuse', 'ext4', 'xfs', 'btrfs', 'nfs', '9p', 'virtiofs', 'cifs', 'binfmt_misc', 'hugetlbfs',
                         'devpts', 'erofs', 'squashfs', 'iso9660', 'pstore', 'efivarfs', 'configfs', 'fusectl']:
                for source in (b'none', b'/dev/vda', b'/home/user/image'):
                    attempt(kind, lambda: call('mount', source, place, kind.encode(), 0, b''), harmless=inside)
            for what in (b'/', b'/proc', b'/etc', b'/home/user', b'/proc/1/root', b'/proc/self/ns/mnt'):
                attempt('bind', lambda: call('mount', what, place, None, MS_BIND | MS_REC, None), harmless=inside)
                attempt('move', lambda: call('mount', what, place, None, MS_MOVE, None), harmless=inside)
            for what in (b'/', b'/proc', b'/proc/sys', b'/sys', b'/dev', b'/proc/kcore'):
                for flags in (MS_REMOUNT, MS_REMOUNT | MS_BIND, MS_SHARED | MS_REC, MS_BIND):
                    attempt('again', lambda: call('mount', what, what, None, flags, None), harmless=inside)
                for flags in (0, 1, 2, 4, 8):
                    attempt('umount', lambda: call('umount2', what, flags), harmless=inside)
            for line in open('/proc/self/mountinfo'):
                where = line.split()[4].encode()
                attempt('umount', lambda: call('umount2', where, 2), harmless=inside)
            attempt('pivot', lambda: call('pivot_root', b'/home/user', b'/home/user/place'), harmless=inside)
            attempt('pivot', lambda: call('pivot_root', b'.', b'.'), harmless=inside)
            for command in (['mount', '-t', 'tmpfs', 'x', '/home/user/place'], ['umount', '-l', '/proc'],
                            ['unshare', '-Urm', 'true'], ['nsenter', '-t', '1', '-m', 'true'], ['fusermount', '-u', '/'],
                            ['losetup', '-f', '/home/user/image'], ['sudo', '-n', 'mount', '-t', 'tmpfs', 'x', '/home/user/place']):
                attempt(command[0], lambda: subprocess.run(command, check=True, capture_output=True), harmless=inside)
            """;

    private static final String NEW_CALLS = """
            AT_FDCWD, CLONE, RECURSIVE, EMPTY = -100, 1, 0x8000, 0x1000
            for flags in (CLONE, CLONE | RECURSIVE, 0):
                for what in (b'/', b'/proc', b'/proc/1/root', b'/proc/self/root'):
                    attempt('open_tree', lambda: call('open_tree', AT_FDCWD, what, flags), harmless=inside)
            for kind in (b'tmpfs', b'proc', b'cgroup2', b'overlay', b'ext4', b'nfs'):
                attempt('fsopen', lambda: call('fsopen', kind, 0), harmless=inside)
            attempt('fspick', lambda: call('fspick', AT_FDCWD, b'/', 0), harmless=inside)
            for fd in range(-1, 8):
                attempt('fsconfig', lambda: call('fsconfig', fd, 6, None, None, 0), harmless=inside)
                attempt('fsmount', lambda: call('fsmount', fd, 0, 0), harmless=inside)
                attempt('move_mount', lambda: call('move_mount', fd, b'', AT_FDCWD, b'/home/user', 4), harmless=inside)
            attributes = (ctypes.c_uint64 * 4)(0, 1, 0, 0)
            attempt('mount_setattr', lambda: call('mount_setattr', AT_FDCWD, b'/proc/sys', 0, attributes, 32), harmless=inside)
            attempt('mount_setattr', lambda: call('mount_setattr', AT_FDCWD, b'/', RECURSIVE, attributes, 32), harmless=inside)
            buffer = ctypes.create_string_buffer(4096)
            request = (ctypes.c_uint64 * 4)(32, 0xffffffffffffffff, 0, 0)
            attempt('listmount', lambda: call('listmount', request, buffer, 100, 0), harmless=inside)
            attempt('statmount', lambda: call('statmount', request, buffer, 4096, 0), harmless=inside)
            """;

    /// The way out of a root directory that only root may take, with descriptors to hold on to.
    private static final String ROOT = """
            os.makedirs('/home/user/root/inner', exist_ok=True)
            def classic():
                holder = os.open('/', os.O_RDONLY)
                os.chroot('/home/user/root')
                os.fchdir(holder)
                for _ in range(64):
                    os.chdir('..')
                os.chroot('.')
                return sorted(os.listdir('/'))
            child = os.fork()
            if child == 0:
                attempt('chroot', lambda: os.chroot('/home/user'), harmless=inside)
                attempt('classic', classic, harmless=inside)
                os._exit(0)
            os.waitpid(child, 0)
            import glob
            for path in glob.glob('/proc/[0-9]*/ns/*') + glob.glob('/proc/1/ns/*'):
                def enter():
                    fd = os.open(path, os.O_RDONLY)
                    return call('setns', fd, 0)
                attempt(path, enter, harmless=inside)
            attempt('pidfd', lambda: call('setns', call('pidfd_open', 1, 0), 0x20000), harmless=inside)
            for name in ('root', 'cwd', 'exe', 'task/1/root', 'map_files'):
                attempt('1/' + name, lambda: os.listdir('/proc/1/' + name), harmless=inside)
            """;

    protected LinuxMountEscapeSuite(Supplier<BackendBench> benches) {
        super(benches);
    }

    private String mounts() {
        return bash(sandbox(), "cut -d' ' -f3- /proc/self/mountinfo").stdout();
    }

    @Test
    void nothingIsMountedOrUnmounted() {
        String before = mounts();
        repelled(MOUNT);
        assertThat(isEmulated() || mounts().equals(before)).isTrue();
    }

    @Test
    void theNewerCallsDoNotEither() {
        String before = mounts();
        repelled(NEW_CALLS);
        assertThat(isEmulated() || mounts().equals(before)).isTrue();
    }

    @Test
    void theRootDirectoryIsTheEnd() {
        repelled(ROOT);
    }
}
