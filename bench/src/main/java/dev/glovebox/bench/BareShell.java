package dev.glovebox.bench;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/// A shell beside a template's root file system with nothing of the product around it: the bare primitive of Linux
/// sandboxes. The mounts and all processes are in namespaces of its own, and end with it or with the benchmark.
/// Belongs to one thread.
final class BareShell implements AutoCloseable {
    private static final String MARK = "glovebox-bench-done:";
    private static final String LINE_END = "\n";
    /// What the next shell does first: a line after `exec` might have been read by the shell before it.
    private static final String GREETING = "echo " + MARK + "0; exec /bin/sh";

    private static final long END_SECONDS_MAX = 20;

    /// Answers each line of code by a fork of itself that runs it.
    private static final String READY_PYTHON = """
            import os, sys
            import numpy, pandas
            print("%1$s0", flush=True)
            for line in sys.stdin:
                child = os.fork()
                if child == 0:
                    exec(line)
                    sys.stdout.flush()
                    os._exit(0)
                status = os.waitpid(child, 0)[1]
                print("%1$s" + str(status), flush=True)
            """.formatted(MARK);

    private final Linux here;
    private final Path directory;
    private final Process process;
    private final OutputStream input;
    private final InputStream output;
    private int containers;

    BareShell(Linux here) {
        this.here = here;
        this.directory = TemporaryTree.create("glovebox-bare");
        try {
            this.process = new ProcessBuilder(
                            "unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "/bin/sh")
                    .redirectError(errors().toFile())
                    .start();
        } catch (IOException e) {
            TemporaryTree.delete(directory);
            throw new UncheckedIOException(e);
        }
        this.input = process.getOutputStream();
        this.output = new BufferedInputStream(process.getInputStream(), 1 << 16);
        prepare();
    }

    private Path errors() {
        return directory.resolve("errors.txt");
    }

    /// The same layers as the product's: the image, and memory over it.
    private void prepare() {
        run("set -e; cd " + quoted(directory)
                + "; mkdir lower data rootfs; mount -t erofs -o ro,loop " + quoted(here.image()) + " lower"
                + "; mount -t tmpfs -o size=4g bare data; mkdir data/upper data/work"
                + "; mount -t overlay -o lowerdir=lower,upperdir=data/upper,workdir=data/work bare rootfs; set +e");
    }

    /// Runs a command line to its end and returns what it printed, which must end with a line's end.
    String run(String command) {
        return ask(command + "; echo " + MARK + "$?");
    }

    /// Runs a command line that prints so many bytes, and takes them as they come.
    void drain(String command, long bytes) {
        send(command + "; echo; echo " + MARK + "$?");
        byte[] buffer = new byte[1 << 16];
        try {
            long left = bytes;
            while (left > 0) {
                int count = output.read(buffer, 0, (int) Math.min(buffer.length, left));
                if (count < 0) {
                    throw ended();
                }
                left -= count;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        answer();
    }

    /// Becomes a shell inside the root file system, in namespaces as a jail has them, without any of its bounds.
    void enterNamespaces() {
        mountKernel();
        ask("exec " + namespaces() + " /bin/sh -c '" + GREETING + "'");
    }

    /// Lets `chroot` have what programs expect of a kernel.
    void mountKernel() {
        run("mount --rbind /dev rootfs/dev && mount -t proc proc rootfs/proc");
    }

    /// Begins a command line that starts a program in namespaces of its own, inside the root file system.
    static String namespaces() {
        return "unshare --mount --pid --net --ipc --uts --cgroup --fork chroot rootfs";
    }

    /// Becomes a shell inside a bare container of gVisor.
    void enterGvisor(String platform) {
        ask("exec " + gvisor(platform, bundle("shell", List.of("/bin/sh", "-c", GREETING))));
    }

    /// Makes a bundle whose process has these arguments.
    Path bundle(String name, List<String> arguments) {
        return bundle(name, arguments, "{\"type\":\"network\"}");
    }

    /// @param network the namespace that it is in, as OCI's configuration has it
    Path bundle(String name, List<String> arguments, String network) {
        Path bundle = directory.resolve(name);
        String words = arguments.stream()
                .map(word -> '"' + word.replace("\\", "\\\\").replace("\"", "\\\"") + '"')
                .collect(Collectors.joining(","));
        try {
            Files.createDirectories(bundle);
            Files.writeString(bundle.resolve("config.json"), config(words, network));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bundle;
    }

    private String config(String words, String network) {
        return """
            {"ociVersion":"1.0.0",
             "process":{"terminal":false,"user":{"uid":0,"gid":0},"cwd":"/","args":[%s],
              "env":["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],"noNewPrivileges":true},
             "root":{"path":"%s","readonly":false},
             "hostname":"bare",
             "mounts":[
              {"destination":"/proc","type":"proc","source":"proc"},
              {"destination":"/dev","type":"tmpfs","source":"tmpfs"},
              {"destination":"/sys","type":"sysfs","source":"sysfs","options":["ro"]}],
             "linux":{"namespaces":[{"type":"pid"},%s,{"type":"ipc"},{"type":"uts"},
              {"type":"mount"}]}}
            """.formatted(words, directory.resolve("rootfs"), network);
    }

    /// A command line that runs a bundle in bare gVisor, as the product's is but for the agent and the limits.
    String gvisor(String platform, Path bundle) {
        return gvisor(platform, bundle, "none");
    }

    /// @param network which stack it has; runsc's word
    String gvisor(String platform, Path bundle, String network) {
        containers++;
        return quoted(here.runsc().orElseThrow())
                + " --root=" + quoted(directory.resolve("data/state")) + " --platform=" + platform
                + " --network=" + network + " --ignore-cgroups --host-settings=ignore --overlay2=none run --bundle="
                + quoted(bundle) + " bare-" + containers;
    }

    /// Becomes an interpreter with numpy and pandas imported, which answers [#python] from now on.
    void becomePython() {
        ask("exec python3 -c '" + READY_PYTHON + "'");
    }

    /// Runs one line in a fork of the interpreter.
    String python(String code) {
        return ask(code);
    }

    private String ask(String line) {
        send(line);
        return answer();
    }

    private void send(String line) {
        try {
            input.write((line + LINE_END).getBytes(StandardCharsets.UTF_8));
            input.flush();
        } catch (IOException e) {
            throw ended();
        }
    }

    private String answer() {
        StringBuilder text = new StringBuilder();
        while (true) {
            String line = line();
            if (line.startsWith(MARK)) {
                if (!line.equals(MARK + "0")) {
                    throw new BenchException("a bare command failed: " + lastWords());
                }
                return text.toString();
            }
            text.append(line).append(LINE_END);
        }
    }

    private String line() {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        try {
            for (int next = output.read(); next != '\n'; next = output.read()) {
                if (next < 0) {
                    throw ended();
                }
                line.write(next);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    private BenchException ended() {
        return new BenchException("a bare shell ended: " + lastWords());
    }

    private String lastWords() {
        try {
            return Files.readString(errors()).strip();
        } catch (IOException e) {
            return "it said nothing";
        }
    }

    private static String quoted(Path path) {
        return "'" + path.toString().replace("'", "'\\''") + "'";
    }

    @Override
    public void close() {
        try {
            input.close();
            if (!process.waitFor(END_SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroy();
                process.waitFor();
            }
        } catch (IOException e) {
            process.destroy();
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
        }
        TemporaryTree.delete(directory);
    }
}
