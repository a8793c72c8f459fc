package dev.glovebox.cli;

import dev.glovebox.sdk.ApiException;
import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.Sandbox;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `glovebox cp`: one file into a sandbox or out of it.
@Command(name = "cp", description = "Copy a file into a sandbox or out of it.", sortOptions = false)
final class CpVerb implements Callable<Integer> {
    private static final Pattern INSIDE = Pattern.compile("i[a-z0-9]{20}:.*");

    @Mixin
    private Server server = new Server();

    @Parameters(index = "0", paramLabel = "FROM", description = "A local file, ID:PATH, or '-'.")
    private String from = "";

    @Parameters(index = "1", paramLabel = "TO", description = "A local file or directory, ID:PATH, or '-'.")
    private String to = "";

    @Override
    public Integer call() throws IOException {
        boolean isOut = INSIDE.matcher(from).matches();
        if (isOut == INSIDE.matcher(to).matches()) {
            throw new IllegalArgumentException("exactly one of FROM and TO is ID:PATH, a file in a sandbox");
        }
        String[] inside = (isOut ? from : to).split(":", 2);
        if (isOut) {
            if (!to.equals("-")) {
                LocalFile.requireDirectoryOf(Path.of(to));
            }
        } else if (!from.equals("-")) {
            refuseTree(Path.of(from), inside[0]);
        }
        if (inside[1].isEmpty() && (isOut || from.equals("-"))) {
            throw new IllegalArgumentException("name the file in the sandbox: " + inside[0] + ":PATH");
        }
        try (Glovebox client = server.require()) {
            Sandbox sandbox = client.sandboxes().get(inside[0]);
            if (isOut) {
                copyOut(sandbox, inside[1]);
            } else {
                copyIn(sandbox, inside[1]);
            }
        }
        return 0;
    }

    private static void refuseTree(Path directory, String id) {
        if (Files.isDirectory(directory)) {
            throw new IllegalArgumentException(directory + " is a directory, and cp copies one file: where the sandbox"
                    + " has a shell, 'tar c " + directory + " | glovebox exec -i " + id + " -- tar x' copies it");
        }
    }

    /// A path that is empty, ends with `/`, or is a directory inside, is where the file goes under its own name.
    private void copyIn(Sandbox sandbox, String path) throws IOException {
        if (from.equals("-")) {
            sandbox.files().write(path, System.in);
            return;
        }
        Path file = Path.of(from);
        if (path.isEmpty() || path.endsWith("/")) {
            write(sandbox, path + file.getFileName(), file);
            return;
        }
        try {
            write(sandbox, path, file);
        } catch (ApiException refusal) {
            if (!refusal.code().equals("wrong_file_type")) {
                throw refusal;
            }
            write(sandbox, path + "/" + file.getFileName(), file);
        }
    }

    private static void write(Sandbox sandbox, String path, Path file) throws IOException {
        try (InputStream content = Files.newInputStream(file)) {
            sandbox.files().write(path, content);
        }
    }

    /// Into a file beside the target first, so that a broken copy leaves nothing behind.
    private void copyOut(Sandbox sandbox, String path) throws IOException {
        if (to.equals("-")) {
            copyToStdout(sandbox, path);
            return;
        }
        String name = path.substring(path.lastIndexOf('/') + 1);
        Path target = Files.isDirectory(Path.of(to)) ? Path.of(to).resolve(name) : Path.of(to);
        Path part = target.resolveSibling("." + target.getFileName() + ".part");
        try {
            try (OutputStream content = Files.newOutputStream(part)) {
                sandbox.files().read(path, content);
            }
            Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    /// What cannot be written to us is no fault of the server's.
    private static OutputStream raw(GuestStream stdout) {
        return new OutputStream() {
            @Override
            public void write(int one) {
                stdout.writeRaw(new byte[] {(byte) one});
            }

            @Override
            public void write(byte[] bytes, int from, int count) {
                stdout.writeRaw(Arrays.copyOfRange(bytes, from, from + count));
            }
        };
    }

    private static void copyToStdout(Sandbox sandbox, String path) {
        GuestStream stdout = GuestStream.stdout();
        if (stdout.isTerminal()) {
            stdout.write(sandbox.files().read(path));
            stdout.finish();
        } else {
            sandbox.files().read(path, raw(stdout));
        }
    }
}
