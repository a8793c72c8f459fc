package dev.glovebox.egress;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// How many files, sockets among them, this process may have open. A server that has none left accepts nobody any
/// more, so all that others can make it open is bounded by a part of them.
public final class OpenFiles {
    private static final Path OWN_LIMITS = Path.of("/proc/self/limits");
    private static final Pattern OPEN_FILES = Pattern.compile("(?m)^Max open files +(\\d{1,12}) ");
    /// Where the system does not say: what old ones give.
    private static final long UNKNOWN = 4096;

    private OpenFiles() {}

    /// The bound that the kernel holds this process to.
    public static long max() {
        try {
            Matcher found = OPEN_FILES.matcher(Files.readString(OWN_LIMITS));
            return found.find() ? Long.parseLong(found.group(1)) : UNKNOWN;
        } catch (IOException _) {
            return UNKNOWN;
        }
    }
}
