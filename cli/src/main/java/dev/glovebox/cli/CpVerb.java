package dev.glovebox.cli;

import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.Sandbox;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `glovebox cp`: one file into a sandbox or out of it.
@Command(name = "cp", description = "Copy a file into a sandbox or out of it.", sortOptions = false)
final class CpVerb implements Callable<Integer> {
    private static final Pattern INSIDE = Pattern.compile("i[a-z0-9]{20}:.+");

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
        if (!isOut && !from.equals("-")) {
            LocalFile.refuseDirectory(Path.of(from));
        }
        String[] inside = (isOut ? from : to).split(":", 2);
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

    private void copyIn(Sandbox sandbox, String path) throws IOException {
        String target =
                path.endsWith("/") && !from.equals("-") ? path + Path.of(from).getFileName() : path;
        if (from.equals("-")) {
            sandbox.files().write(target, System.in);
            return;
        }
        try (InputStream content = Files.newInputStream(Path.of(from))) {
            sandbox.files().write(target, content);
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

    private static void copyToStdout(Sandbox sandbox, String path) {
        GuestStream stdout = GuestStream.stdout();
        if (stdout.isTerminal()) {
            stdout.write(sandbox.files().read(path));
            stdout.finish();
        } else {
            @SuppressWarnings("resource") // The process' own.
            OutputStream raw = new FileOutputStream(FileDescriptor.out);
            sandbox.files().read(path, raw);
        }
    }
}
