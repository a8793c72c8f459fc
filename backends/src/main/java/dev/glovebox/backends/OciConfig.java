package dev.glovebox.backends;

import dev.glovebox.core.Limits;
import java.nio.file.Path;
import java.util.List;

/// The `config.json` of an OCI bundle whose first process is the agent (OCI runtime specification 1.0).
final class OciConfig {
    /// What the agent needs to act for the users inside, and what root inside expects to have.
    private static final List<String> CAPABILITIES = List.of(
            "CAP_CHOWN",
            "CAP_DAC_OVERRIDE",
            "CAP_FOWNER",
            "CAP_FSETID",
            "CAP_KILL",
            "CAP_NET_BIND_SERVICE",
            "CAP_SETFCAP",
            "CAP_SETGID",
            "CAP_SETPCAP",
            "CAP_SETUID",
            "CAP_SYS_CHROOT",
            "CAP_SYS_PTRACE");

    /// gVisor puts no bound on a tmpfs of its own unless it is told one, and what is in it is memory of the sandbox as
    /// a whole: it would end with its kernel.
    private static final long SHARED_MEMORY_BYTES = 64L * 1024 * 1024;

    /// What one more process of the guest takes of gVisor's memory on the host, rounded up (measured: 1 MiB, and
    /// more while hundreds start at once).
    private static final long PROCESS_BYTES = 3L * 1024 * 1024;

    /// What gVisor's kernel itself holds, generously.
    private static final long KERNEL_BYTES = 128L * 1024 * 1024;

    private static final String EMPTY_NETWORK = "{\"type\":\"network\"},";
    /// The runtime's own: the one that it was started in.
    private static final String OWN_NETWORK = "{\"type\":\"network\",\"path\":\"/proc/self/ns/net\"},";

    private OciConfig() {}

    /// `/tmp` is a directory of the writable layer, which has a bound: gVisor would put memory without one there. The
    /// number of processes is bounded for each user, for gVisor knows no control groups.
    ///
    /// @param network whether it uses the network namespace that it is started in, else an empty one
    static String of(Path agent, long memoryBytes, boolean network) {
        String capabilities = CAPABILITIES.stream()
                .map(OciConfig::quoted)
                .reduce((a, b) -> a + "," + b)
                .orElseThrow();
        return """
                {"ociVersion":"1.0.0",
                 "process":{"terminal":false,"user":{"uid":0,"gid":0},"cwd":"/",
                  "args":["/.glovebox/agent","--keep-privileges","--no-stem","--lanes","3","--memory-limit","%d"],
                  "env":["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
                  "capabilities":{"bounding":[%s],"effective":[%s],"permitted":[%s]},
                  "rlimits":[{"type":"RLIMIT_NOFILE","hard":65536,"soft":65536},
                   {"type":"RLIMIT_NPROC","hard":%d,"soft":%d}],
                  "noNewPrivileges":false},
                 "root":{"path":"rootfs","readonly":false},
                 "hostname":"sandbox",
                 "mounts":[
                  {"destination":"/proc","type":"proc","source":"proc"},
                  {"destination":"/dev","type":"tmpfs","source":"tmpfs"},
                  {"destination":"/dev/pts","type":"devpts","source":"devpts"},
                  {"destination":"/dev/shm","type":"tmpfs","source":"shm","options":["mode=1777","size=%d"]},
                  {"destination":"/tmp","type":"bind","source":"layer/tmp","options":["bind","rw"]},
                  {"destination":"/sys","type":"sysfs","source":"sysfs","options":["ro"]},
                  {"destination":"/.glovebox/agent","type":"bind","source":%s,"options":["bind","ro"]}],
                 "linux":{"namespaces":[{"type":"pid"},%s{"type":"ipc"},{"type":"uts"},
                  {"type":"mount"}]}}
                """.formatted(
                        memoryBytes,
                        capabilities,
                        capabilities,
                        capabilities,
                        processes(memoryBytes),
                        processes(memoryBytes),
                        SHARED_MEMORY_BYTES,
                        quoted(agent.toString()),
                        network ? OWN_NETWORK : EMPTY_NETWORK);
    }

    /// As many as cannot fill the control group by being there alone: then the kernel would end the sandbox as a whole.
    private static long processes(long memoryBytes) {
        return Math.min(Limits.PIDS_DEFAULT, (memoryBytes + KERNEL_BYTES) / PROCESS_BYTES);
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
