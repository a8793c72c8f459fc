package dev.glovebox.bench;

import java.nio.file.Path;
import java.util.List;

/// Bare gVisor with a network: a pair of interfaces between two network namespaces of its own, a service at one end and
/// gVisor's own stack at the other, with nothing of the product in between. What a sandbox of that tier could receive
/// at
/// best. Belongs to one thread.
final class BareGate implements AutoCloseable {
    private static final String SERVICE = "10.254.254.1";
    private static final int PORT = 4000;

    /// After a line `bytes N` sends so many.
    private static final String SERVE = """
            import socket
            listener = socket.create_server(("%s", %d))
            print("up", flush=True)
            while True:
                peer = listener.accept()[0]
                left = int(peer.makefile().readline().split()[1])
                piece = bytes(1 << 18)
                while left > 0:
                    peer.sendall(piece[:min(left, len(piece))])
                    left -= len(piece)
                peer.close()
            """.formatted(SERVICE, PORT);

    /// Takes the command line of gVisor, which takes the address off the interface; ends with everything that it began.
    private static final String WIRE = """
            set -e
            unshare --net sleep 600 & guest=$!
            sleep 0.2
            ip link add gate mtu 65535 type veth peer name eth0 mtu 65535 netns $guest
            ip addr add 10.254.254.1/30 dev gate
            ip link set gate up
            ip link set lo up
            nsenter -t $guest -n sh -ec "ip addr add 10.254.254.2/30 dev eth0; ip link set eth0 up; ip link set lo up;
                ip route add default via 10.254.254.1"
            python3 -u serve.py >serve.log & service=$!
            while [ ! -s serve.log ]; do sleep 0.05; done
            nsenter -t $guest -n "$@" </dev/null
            kill $guest $service
            """;

    private final BareShell shell;
    private final String platform;

    BareGate(LinuxCase one) {
        shell = new BareShell(one.here());
        platform = Guests.gvisorPlatform(one.product());
        // gVisor takes a namespace with this directory for the host's own, in which it refuses to have a network.
        shell.run("mount -t tmpfs none /proc/sys/net");
        shell.run(file("serve.py", SERVE) + file("wire.sh", WIRE) + ":");
    }

    /// What a program prints that is given an address, a port and a number.
    String run(String program, long count) {
        shell.run(file("rootfs/program.py", program) + ":");
        Path bundle = shell.bundle(
                "network",
                List.of("/usr/bin/python3", "/program.py", SERVICE, Integer.toString(PORT), Long.toString(count)),
                "{\"type\":\"network\",\"path\":\"/proc/self/ns/net\"}");
        return shell.run("unshare --net sh wire.sh " + shell.gvisor(platform, bundle, "sandbox"));
    }

    private static String file(String name, String content) {
        return "cat >" + name + " <<'END-OF-FILE'\n" + content + "END-OF-FILE\n";
    }

    @Override
    public void close() {
        shell.close();
    }
}
