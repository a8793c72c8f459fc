package dev.glovebox.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// One of our own output streams, for what a guest says: raw into a file or a pipe, made harmless for a
/// terminal.
final class GuestStream {
    private final FileOutputStream out;
    private final boolean isTerminal;
    private final TerminalText escaper = new TerminalText();

    private GuestStream(FileDescriptor descriptor, int number) {
        out = new FileOutputStream(descriptor);
        isTerminal = isTerminal(number);
    }

    static GuestStream stdout() {
        return new GuestStream(FileDescriptor.out, 1);
    }

    static GuestStream stderr() {
        return new GuestStream(FileDescriptor.err, 2);
    }

    boolean isTerminal() {
        return isTerminal;
    }

    /// As it is, to whatever it goes.
    void writeRaw(byte[] bytes) {
        try {
            out.write(bytes);
        } catch (IOException e) {
            throw new BrokenPipeException(e);
        }
    }

    void write(byte[] bytes) {
        try {
            out.write(isTerminal ? escaper.push(bytes) : bytes);
        } catch (IOException e) {
            throw new BrokenPipeException(e);
        }
    }

    /// What is left of the guest's last character.
    void finish() {
        if (isTerminal) {
            try {
                out.write(escaper.finish());
            } catch (IOException e) {
                throw new BrokenPipeException(e);
            }
        }
    }

    /// Whether a descriptor of ours is a terminal. `System.console()` knows only of input and output together,
    /// and the foreign function API takes 50 ms to say it.
    static boolean isTerminal(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException e) {
            return false;
        }
    }
}
