package dev.glovebox.testkit.escape;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Execution;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.SandboxHandle;
import dev.glovebox.testkit.BackendBench;
import dev.glovebox.testkit.BackendBench.Ran;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/// One idea of an attack on a sandbox that is a Linux system, as a Python program that may make any system call.
public abstract class LinuxEscapeTopic extends EscapeTopic {
    /// Begins every attack. `call` makes a system call by its name; `inside` says that an answer is harmless where the
    /// kernel is an emulation, for it then changed that emulation only.
    private static final String PRELUDE = """
            import ctypes, errno, os, platform, subprocess, sys
            EMULATED = EMULATED_OR_NOT
            libc = ctypes.CDLL(None, use_errno=True)
            NUMBERS = dict(line.split(':') for line in '''\
            clone:56,220 unshare:272,97 setns:308,268 clone3:435 mount:165,40 umount2:166,39 pivot_root:155,41
            chroot:161,51 open_tree:428 move_mount:429 fsopen:430 fsconfig:431 fsmount:432 fspick:433 mount_setattr:442
            statmount:457 listmount:458 ptrace:101,117 process_vm_readv:310,270 process_vm_writev:311,271 kcmp:312,272
            pidfd_open:434 pidfd_send_signal:424 pidfd_getfd:438 process_madvise:440 keyctl:250,219 add_key:248,217
            request_key:249,218 io_uring_setup:425 io_uring_register:427 bpf:321,280 perf_event_open:298,241
            userfaultfd:323,282 open_by_handle_at:304,265 name_to_handle_at:303,264 finit_module:313,273
            init_module:175,105 delete_module:176,106 kexec_load:246,104 reboot:169,142 swapon:167,224
            sethostname:170,161 setdomainname:171,162 settimeofday:164,170 clock_settime:227,112
            clock_adjtime:305,266 acct:163,89 syslog:103,116 quotactl:179,60 quotactl_fd:443 personality:135,92
            fanotify_init:300,262 memfd_secret:447 move_pages:279,239 mbind:237,235 iopl:172,-1 ioperm:173,-1
            modify_ldt:154,-1 vhangup:153,58 setxattr:188,5 capset:126,91 lsm_get_self_attr:459 cachestat:451
            map_shadow_stack:453 mknodat:259,33'''.split())
            def call(name, *arguments):
                both = NUMBERS[name].split(',')
                number = int(both[0] if platform.machine() == 'x86_64' else both[-1])
                ctypes.set_errno(0)
                got = libc.syscall(ctypes.c_long(number),
                                   *[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
                if got < 0:
                    raise OSError(ctypes.get_errno(), name + ': ' + os.strerror(ctypes.get_errno()))
                return got
            def inside(got):
                return EMULATED
            def put(path, text):
                with open(path, 'w') as file:
                    file.write(text)
                return 'written'
            def get(path):
                with open(path, 'rb') as file:
                    return file.read(1 << 16)
            def nothing(got):
                return not got or EMULATED
            """;

    protected LinuxEscapeTopic(Supplier<BackendBench> benches) {
        super(benches);
    }

    /// Whether the sandbox has a kernel of its own, and a root who is nobody on the host.
    protected final boolean isEmulated() {
        return bench().tier() == Tier.GVISOR;
    }

    protected final Attack attack(String python) {
        return new Attack(PRELUDE.replace("EMULATED_OR_NOT", isEmulated() ? "True" : "False") + python, "");
    }

    /// Runs an attack as the sandbox's user, and where there is a root inside also as that. It must come to nothing,
    /// the host must be as before, and the sandbox must go on.
    protected final void repelled(String python) {
        Map<String, String> before = hostState();
        assertRefused(attackWith(sandbox(), python));
        livesOn(sandbox(), Language.PYTHON);
        if (isEmulated()) {
            assertRefused(asRoot(sandbox(), python));
            livesOn(sandbox(), Language.PYTHON);
        }
        assertThat(hostState()).isEqualTo(before);
    }

    /// Runs an attack whose lines the caller looks at.
    protected final Ran attackWith(SandboxHandle sandbox, String python) {
        return run(sandbox, Language.PYTHON, attack(python));
    }

    protected final Execution.ProcessSpec spec(String python) {
        return spec(Language.PYTHON, attack(python));
    }

    protected final Ran asRoot(SandboxHandle sandbox, String python) {
        return BackendBench.run(
                sandbox, command("sudo", "-n", "python3", "-c", attack(python).in(Language.PYTHON)));
    }

    protected static void assertRefused(Ran ran) {
        assertThat(lines(ran)).as(ran.toString()).isNotEmpty();
        assertThat(lines(ran).stream().filter(line -> !line.startsWith("refused ")))
                .isEmpty();
        assertThat(ran.result().outcome()).as(ran.stderr()).isEqualTo(new Outcome.Exited(0));
    }

    protected static Execution.ProcessSpec command(String... arguments) {
        return new Execution.ProcessSpec(
                List.of(arguments), Optional.empty(), Map.of(), GuestPath.HOME, false, ResourceLimits.DEFAULT);
    }

    protected static Ran bash(SandboxHandle sandbox, String script) {
        return BackendBench.run(sandbox, command("bash", "-c", script));
    }

    /// A command and a file operation, as a caller would have them.
    protected static void answers(SandboxHandle sandbox) {
        Ran ran = bash(sandbox, "echo here");
        assertThat(ran.stdout()).as(ran.toString()).isEqualTo("here\n");
        sandbox.makeDirectory(path("/home/user/answers"));
        sandbox.remove(path("/home/user/answers"));
    }

    /// What attacks of public record change on a host, as it is now.
    protected static Map<String, String> hostState() {
        Map<String, String> state = new TreeMap<>();
        for (String name : List.of(
                "kernel/core_pattern",
                "kernel/modprobe",
                "kernel/hotplug",
                "kernel/poweroff_cmd",
                "kernel/hostname",
                "kernel/domainname",
                "kernel/sysrq",
                "kernel/randomize_va_space",
                "kernel/panic",
                "kernel/perf_event_paranoid",
                "kernel/kptr_restrict",
                "kernel/unprivileged_bpf_disabled",
                "fs/suid_dumpable",
                "fs/protected_symlinks",
                "vm/overcommit_memory",
                "vm/drop_caches",
                "net/ipv4/ip_forward")) {
            state.put(name, read(Path.of("/proc/sys", name)));
        }
        state.put("uevent_helper", read(Path.of("/sys/kernel/uevent_helper")));
        state.put("passwd", read(Path.of("/etc/passwd")));
        state.put("shadow", read(Path.of("/etc/shadow")));
        state.put("swaps", read(Path.of("/proc/swaps")));
        return state;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException _) {
            return "cannot be read";
        }
    }
}
