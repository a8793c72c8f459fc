package dev.glovebox.cli;

import dev.glovebox.sdk.ApiException;
import dev.glovebox.sdk.TransportException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/// What we ourselves have to say: answers on standard output, errors as one sentence on standard error. Always
/// UTF-8; controls in it are shown, not sent.
final class Messages {
    private Messages() {}

    /// An answer.
    static void say(String text) {
        write(FileDescriptor.out, text.endsWith("\n") ? text : text + "\n");
    }

    /// A remark or an error.
    static void note(String text) {
        write(FileDescriptor.err, text + "\n");
    }

    /// Text of a guest or a server, made safe to show.
    static String safe(String text) {
        TerminalText escaper = new TerminalText();
        byte[] shown = escaper.push(text.getBytes(StandardCharsets.UTF_8));
        return new String(shown, StandardCharsets.UTF_8) + new String(escaper.finish(), StandardCharsets.UTF_8);
    }

    @SuppressWarnings("MustBeClosedChecker") // The descriptor is the process' own.
    private static void write(FileDescriptor descriptor, String text) {
        try {
            new FileOutputStream(descriptor).write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new BrokenPipeException(e);
        }
    }

    static int usage(ParameterException e) {
        CommandLine line = e.getCommandLine();
        String name = line.getCommandSpec().qualifiedName();
        // The parser says "option" twice of some values.
        String words = String.valueOf(e.getMessage()).replace("option option", "option");
        note("glovebox: " + safe(words) + " ('" + name + " --help' tells more)");
        return Main.USAGE;
    }

    private static String words(FileSystemException refused) {
        String reason = refused instanceof AccessDeniedException
                ? "you may not"
                : String.valueOf(refused.getReason()).toLowerCase(Locale.ROOT);
        return "the file " + refused.getFile() + " cannot be used: " + reason;
    }

    static int failure(Exception e) {
        return switch (e) {
            case ParameterException usage -> usage(usage);
            case BrokenPipeException _ -> Main.BROKEN_PIPE;
            case ApiException refusal -> {
                note("glovebox: " + safe(refusal.detail()));
                yield refusal.code().equals("invalid_argument") ? Main.USAGE : Main.FAILED;
            }
            case TransportException _, IllegalStateException _, UncheckedIOException _ -> {
                note("glovebox: " + safe(String.valueOf(e.getMessage())));
                yield Main.FAILED;
            }
            case IllegalArgumentException _ -> {
                note("glovebox: " + safe(String.valueOf(e.getMessage())));
                yield Main.USAGE;
            }
            case NoSuchFileException missing -> {
                note("glovebox: there is no file " + safe(missing.getFile()));
                yield Main.USAGE;
            }
            case FileSystemException refused -> {
                note("glovebox: " + safe(words(refused)));
                yield Main.USAGE;
            }
            case IOException _ -> {
                note("glovebox: " + safe(e.toString()));
                yield Main.FAILED;
            }
            default -> {
                note("glovebox: something went wrong inside: " + safe(e.toString()));
                yield Main.FAILED;
            }
        };
    }
}
