package dev.glovebox.backends.template;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/// An image is in use if any mount namespace of this machine has it mounted, whoever did that: sandboxes have
/// namespaces of their own, so every process is asked. It sees what this user may see; as root, everything.
public final class MountedTemplates implements TemplateUse {
    private final Path proc;

    public MountedTemplates() {
        this(Path.of("/proc"));
    }

    MountedTemplates(Path proc) {
        this.proc = proc;
    }

    @Override
    public boolean inUse(String digest) {
        String image = digest + TemplateStore.IMAGE;
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(proc, "[0-9]*")) {
            for (Path process : processes) {
                if (mentions(process.resolve("mountinfo"), image)) {
                    return true;
                }
            }
        } catch (IOException e) {
            // Without /proc nobody can say; an image that is mounted survives being unlinked.
            return false;
        }
        return false;
    }

    private static boolean mentions(Path mounts, String image) {
        try {
            return Files.readString(mounts, StandardCharsets.ISO_8859_1).contains(image);
        } catch (IOException e) {
            return false; // the process ended, or is none of ours
        }
    }
}
