package dev.glovebox.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/// Where a Glovebox keeps what it keeps: its owner's alone.
record HomeDirectory(Path path) {

    /// Made if it is missing.
    static HomeDirectory make(Path path) {
        HomeDirectory home = new HomeDirectory(path.toAbsolutePath());
        try {
            for (Path directory : new Path[] {home.path, home.run()}) {
                Files.createDirectories(directory);
                Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the directory " + path + " cannot be used: " + reason(e), e);
        }
        return home;
    }

    /// A file system's exception tells the file and nothing else where the class says the reason.
    private static String reason(IOException failure) {
        return switch (failure) {
            case AccessDeniedException _ -> "you may not write there";
            case NoSuchFileException missing -> missing.getFile() + " cannot be made";
            case FileAlreadyExistsException taken -> taken.getFile() + " is there and no directory";
            default -> String.valueOf(failure.getMessage());
        };
    }

    Path database() {
        return path.resolve("glovebox.db");
    }

    Path audit() {
        return path.resolve("audit");
    }

    Path run() {
        return path.resolve("run");
    }

    Path socket() {
        return run().resolve("api.sock");
    }

    /// Locked by the server that has this home ([HomeLock]).
    Path lock() {
        return run().resolve("server.lock");
    }

    /// The templates that were built here (`glovebox template build`).
    Path templates() {
        return path.resolve("templates");
    }

    /// The key that sandboxes' tokens are made with.
    Path tokenKey() {
        return path.resolve("tokens.key");
    }

    /// The key that secrets are sealed with.
    Path secretKey() {
        return path.resolve("secrets.key");
    }

    /// The local authority's key and certificate.
    Path tls() {
        return path.resolve("tls");
    }

    /// Where the built product is; the launcher says it.
    static Path distribution() {
        String dist = System.getProperty("glovebox.dist");
        if (dist == null) {
            throw new IllegalStateException("start Glovebox by ./glovebox: the property glovebox.dist is missing");
        }
        return Path.of(dist);
    }

    static Path java() {
        return Path.of(System.getProperty("java.home"));
    }
}
