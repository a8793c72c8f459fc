package dev.glovebox.testkit.escape;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.ByteSource;
import dev.glovebox.core.backend.SandboxHandle;
import dev.glovebox.testkit.BackendBench;
import dev.glovebox.testkit.BackendBench.Ran;
import dev.glovebox.testkit.BackendBench.Running;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Learn about the host and about other sandboxes, and reach them: names, paths, processes, sockets, files.
public abstract class LinuxNeighbourEscapeSuite extends LinuxEscapeTopic {
    private static final String FACTS = """
            cat /proc/sys/kernel/hostname /etc/hostname /proc/cmdline /proc/mounts /proc/self/mountinfo /proc/self/mountstats \\
                /proc/self/cgroup /proc/1/cgroup /proc/partitions /proc/swaps /proc/net/unix /proc/net/tcp /proc/net/route \\
                /proc/net/arp /proc/net/dev /proc/locks /proc/sysvipc/shm /etc/hosts /etc/resolv.conf /proc/1/cmdline 2>/dev/null
            uname -n; hostname; df 2>/dev/null; ls -la / /run /tmp /dev /mnt /srv /opt 2>/dev/null; env
            for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline; cat $p/comm $p/cgroup $p/mountinfo; readlink $p/exe $p/cwd $p/root; done 2>/dev/null
            """;

    private static final String LOOPBACK = """
            import socket
            for family, address in ((2, '127.0.0.1'), (2, '0.0.0.0'), (2, '127.1.2.3'), (10, '::1'), (10, '::'), (10, '::ffff:127.0.0.1')) + HOST_ADDRESSES:
                def connect():
                    with socket.socket(family) as s:
                        s.settimeout(1)
                        s.connect((address, HOST_PORT))
                        return 'connected'
                attempt(address, connect)
            for path in ('HOST_SOCKET', '/proc/1/rootHOST_SOCKET', '/run/docker.sock', '/var/run/docker.sock', '/run/containerd/containerd.sock',
                         '/run/dbus/system_bus_socket', '/run/systemd/private', '/run/systemd/notify', '/dev/log', '/run/podman/podman.sock'):
                attempt(path, lambda: socket.socket(1).connect(path))
            for name in HOST_ABSTRACT:
                for kind in (1, 2, 5):
                    attempt('abstract ' + name, lambda: socket.socket(1, kind).connect('\\0' + name))
            lines = open('/proc/net/unix').read().splitlines()[1:] if os.path.exists('/proc/net/unix') else []
            for line in lines:
                path = line.split()[7] if len(line.split()) > 7 else ''
                print('ESCAPED' if path and not path.startswith(('/tmp', '/home/user')) and not EMULATED else 'refused', 'unix', path)
            """;

    private static final String LEAVE = """
            import socket
            for place in ('/home/user', '/tmp', '/dev/shm', '/var/tmp'):
                with open(place + '/neighbours-secret', 'w') as file:
                    file.write('the neighbours secret')
            s = socket.socket(1)
            s.bind('\\0neighbours-socket')
            s.listen()
            t = socket.socket()
            t.bind(('0.0.0.0', 4711))
            t.listen()
            shared = libc.shmget(4711, 4096, 0o1666)
            process = subprocess.Popen(['sleep', '4711'])
            print('ready', shared >= 0, flush=True)
            process.wait()
            """;

    private static final String SEEK = """
            import socket
            for place in ('/home/user', '/tmp', '/dev/shm', '/var/tmp'):
                attempt(place, lambda: open(place + '/neighbours-secret').read())
            attempt('abstract', lambda: socket.socket(1).connect('\\0neighbours-socket'))
            attempt('port', lambda: socket.create_connection(('127.0.0.1', 4711), timeout=1))
            attempt('shm', lambda: print('ESCAPED') if libc.shmget(4711, 4096, 0) >= 0 else 1 / 0)
            for path in ('/proc/1/root', '/proc/self/root/..', '/..', '/home/user/../../..'):
                attempt(path, lambda: open(path + '/home/user/neighbours-secret').read())
            import glob
            for path in glob.glob('/proc/[0-9]*/cmdline'):
                print('ESCAPED' if get(path) == b'sleep\\0004711\\0' else 'refused', path)
            """;

    protected LinuxNeighbourEscapeSuite(Supplier<BackendBench> benches) {
        super(benches);
    }

    /// Words and numbers that only the host knows.
    private static List<String> hostWords() throws IOException {
        List<String> words = new ArrayList<>();
        words.add(System.getProperty("user.dir"));
        words.add(System.getProperty("java.home"));
        words.add("gb-it");
        words.add("glovebox-supervisor");
        words.add("server-");
        words.add(Files.readString(Path.of("/proc/sys/kernel/hostname")).strip());
        words.addAll(
                Stream.of(Files.readString(Path.of("/proc/cmdline")).strip().split("\\s+"))
                        .filter(word -> word.contains("=") && word.length() > 8)
                        .toList());
        words.add("/linux-" + ProcessHandle.current().pid());
        words.add(Files.readAllLines(Path.of("/proc/meminfo")).getFirst().replaceAll("\\D", ""));
        words.removeIf(word -> word.length() < 5);
        return words;
    }

    @Test
    void nothingInsideKnowsTheHost() throws IOException {
        String memory = "cat /proc/meminfo /proc/zoneinfo /proc/vmstat /proc/buddyinfo 2>/dev/null";
        Ran ran = bash(sandbox(), FACTS + memory);
        for (String word : hostWords()) {
            List<String> telling = ran.stdout()
                    .lines()
                    .filter(line -> line.contains(word))
                    .distinct()
                    .toList();
            assertThat(telling).as("lines with '" + word + "'").isEmpty();
        }
        assertThat(ran.stdout().lines().filter(line -> line.contains("java"))).isEmpty();
    }

    @Test
    void theHostsSocketsAreOutOfReach(@TempDir Path directory) throws IOException {
        Path unix = directory.resolve("host.sock");
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ServerSocketChannel local = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            local.bind(UnixDomainSocketAddress.of(unix));
            local.configureBlocking(false);
            repelled(LOOPBACK.replace("HOST_PORT", Integer.toString(server.getLocalPort()))
                    .replace("HOST_SOCKET", unix.toString())
                    .replace("HOST_ADDRESSES", hostAddresses())
                    .replace("HOST_ABSTRACT", abstractNames()));
            server.setSoTimeout(1);
            org.assertj.core.api.Assertions.assertThatThrownBy(server::accept)
                    .isInstanceOf(SocketTimeoutException.class);
            assertThat(local.accept()).isNull();
        }
    }

    private static String hostAddresses() throws IOException {
        return java.net.NetworkInterface.networkInterfaces()
                .flatMap(java.net.NetworkInterface::inetAddresses)
                .filter(address -> address instanceof java.net.Inet4Address)
                .map(address -> "(2, '" + address.getHostAddress() + "'),")
                .collect(Collectors.joining(" ", "(", ")"));
    }

    private static String abstractNames() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/net/unix"))) {
            return lines.filter(line -> line.contains(" @"))
                    .map(line -> line.substring(line.indexOf(" @") + 2))
                    .filter(name -> name.matches("[\\w/.:-]+"))
                    .map(name -> "'" + name + "'")
                    .distinct()
                    .limit(50)
                    .collect(Collectors.joining(", ", "[", "]"));
        }
    }

    @Test
    void otherSandboxesAreOutOfReach() {
        SandboxHandle other = create(bench().request());
        Running running = BackendBench.startBeside(other, spec(LEAVE));
        running.said().awaitStdout("ready True");
        repelled(SEEK);
        other.signal(running.id(), 9);
        running.await();
    }

    @Test
    void filesOfOneSandboxAreNotTheNexts() {
        SandboxHandle first = create(bench().request());
        first.write(path("/home/user/secret-of-the-first"), ByteSource.of(bytes("secret")));
        first.close();
        SandboxHandle next = create(bench().request());
        Ran ran = bash(
                next, "find / -xdev -name 'secret-of*' 2>/dev/null; ls -A /home/user /tmp /dev/shm; ipcs 2>/dev/null");
        assertThat(ran.stdout()).doesNotContain("secret-of");
    }
}
