package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GuestPath;
import dev.glovebox.wire.e2b.FileInfo;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// What E2B's clients are told of files.
final class FileInfos {
    /// Extended attributes whose names begin so are a file's metadata.
    static final String METADATA = "user.e2b.";

    private static final int PERMISSIONS = 0777;
    private static final int SETUID = 04000;
    private static final int SETGID = 02000;
    private static final int STICKY = 01000;
    /// Of a tier without users: what clients expect to read.
    private static final String DEFAULT_OWNER = "user";

    private FileInfos() {}

    /// A file; of a symbolic link also what it leads to.
    ///
    /// @param path under which it was asked for
    static FileInfo of(GuestPath path, FileEntry entry, LinkWalk links) {
        boolean isLink = entry.type() == FileEntry.Type.SYMLINK;
        Optional<LinkWalk.Real> target = isLink ? links.follow(path) : Optional.empty();
        return new FileInfo(
                path.fileName().isEmpty() ? "/" : path.fileName(),
                isLink ? target.map(real -> type(real.entry())).orElse("FILE_TYPE_UNSPECIFIED") : type(entry),
                path.value(),
                Long.toString(entry.sizeBytes()),
                target.map(LinkWalk.Real::entry).orElse(entry).mode() & PERMISSIONS,
                permissions(entry),
                entry.owner().isEmpty() ? DEFAULT_OWNER : entry.owner(),
                entry.group().isEmpty() ? DEFAULT_OWNER : entry.group(),
                entry.modified().toString(),
                isLink
                        ? target.map(LinkWalk.Real::path)
                                .orElse(pointed(path, entry))
                                .value()
                        : null,
                metadata(entry));
    }

    /// What a link that leads nowhere means to lead to.
    private static GuestPath pointed(GuestPath path, FileEntry entry) {
        GuestPath directory =
                new GuestPath(path.value().substring(0, path.value().lastIndexOf('/') + 1));
        return GuestPath.resolve(directory, entry.linkTarget());
    }

    private static String type(FileEntry entry) {
        return switch (entry.type()) {
            case FILE -> "FILE_TYPE_FILE";
            case DIRECTORY -> "FILE_TYPE_DIRECTORY";
            case SYMLINK, OTHER -> "FILE_TYPE_UNSPECIFIED";
        };
    }

    /// As Go writes them: letters for what is special, or a dash, then nine of `rwx-`.
    static String permissions(FileEntry entry) {
        StringBuilder text = new StringBuilder();
        switch (entry.type()) {
            case DIRECTORY -> text.append('d');
            case SYMLINK -> text.append('L');
            case FILE, OTHER -> {}
        }
        text.append((entry.mode() & SETUID) != 0 ? "u" : "").append((entry.mode() & SETGID) != 0 ? "g" : "");
        text.append((entry.mode() & STICKY) != 0 ? "t" : "");
        if (text.isEmpty()) {
            text.append('-');
        }
        String letters = "rwxrwxrwx";
        for (int i = 0; i < letters.length(); i++) {
            boolean isSet = (entry.mode() & (1 << (letters.length() - 1 - i))) != 0;
            text.append(isSet ? letters.charAt(i) : '-');
        }
        return text.toString();
    }

    private static @org.jspecify.annotations.Nullable Map<String, String> metadata(FileEntry entry) {
        Map<String, String> metadata = metadata(entry.attributes());
        return metadata.isEmpty() ? null : metadata;
    }

    /// Of a file's extended attributes, those that are metadata.
    static Map<String, String> metadata(Map<String, String> attributes) {
        Map<String, String> metadata = new LinkedHashMap<>();
        attributes.forEach((name, value) -> {
            if (name.startsWith(METADATA)) {
                metadata.put(name.substring(METADATA.length()), value);
            }
        });
        return metadata;
    }
}
