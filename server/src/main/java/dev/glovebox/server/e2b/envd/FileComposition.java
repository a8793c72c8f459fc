package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.ByteSink;
import dev.glovebox.core.ByteSource;
import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.FileAccess;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.GuestUser;
import dev.glovebox.sdk.RecordJson;
import dev.glovebox.wire.e2b.WrittenFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/// Puts files together to one, and removes them.
final class FileComposition {
    private static final int REQUEST_BYTES_MAX = 1024 * 1024;
    private static final int SOURCES_MAX = 10_000;

    private FileComposition() {}

    static void serve(EnvdCall call) {
        call.requireToken();
        ConnectMessage request = ConnectMessage.parse(body(call));
        GuestUser user = request.optionalText("username")
                .filter(name -> !name.isEmpty())
                .map(call::userNamed)
                .orElse(GuestUser.USER);
        List<GuestPath> sources = request.texts("sourcePaths").stream()
                .map(path -> call.path(path, user))
                .toList();
        if (sources.isEmpty() || sources.size() > SOURCES_MAX) {
            throw HttpRefusal.invalid("'source_paths' names 1 to " + SOURCES_MAX + " files");
        }
        if (request.text("destination").isEmpty()) {
            throw HttpRefusal.invalid("'destination' is missing");
        }
        GuestPath destination = call.path(request.text("destination"), user);
        compose(call, EnvdCall.access(user), sources, destination);
        call.json(
                200,
                RecordJson.write(List.of(new WrittenFile(destination.value(), destination.fileName(), "file", null))));
    }

    private static byte[] body(EnvdCall call) {
        try (InputStream in = call.request().content().inputStream()) {
            byte[] body = in.readNBytes(REQUEST_BYTES_MAX + 1);
            if (body.length > REQUEST_BYTES_MAX) {
                throw new HttpRefusal(413, "the request is larger than the bound of " + REQUEST_BYTES_MAX + " bytes");
            }
            return body;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void compose(EnvdCall call, FileAccess access, List<GuestPath> sources, GuestPath destination) {
        Pipe pipe = new Pipe();
        Thread reader = Thread.ofVirtual().name("e2b-compose").start(() -> {
            try {
                for (GuestPath source : sources) {
                    call.execute(new Command.ReadFile(call.target().id(), source, access, 0, -1, pipe));
                }
                pipe.end(null);
            } catch (RuntimeException e) {
                pipe.end(e);
            }
        });
        try {
            call.execute(new Command.WriteFile(call.target().id(), destination, access, java.util.Map.of(), pipe));
        } finally {
            reader.interrupt();
        }
        sources.stream()
                .filter(source -> !source.equals(destination))
                .distinct()
                .forEach(source -> {
                    call.execute(new Command.RemoveFile(call.target().id(), source, access));
                });
    }

    /// From who is handed content to who asks for it.
    private static final class Pipe implements ByteSink, ByteSource {
        private static final int CHUNKS = 4;
        private static final byte[] END = new byte[0];

        private final BlockingQueue<byte[]> chunks = new ArrayBlockingQueue<>(CHUNKS);
        private volatile @Nullable RuntimeException failure;
        private byte[] current = END;
        private int at;
        private boolean isOver;

        @Override
        public void write(byte[] bytes) {
            if (bytes.length > 0) {
                put(bytes);
            }
        }

        void end(@Nullable RuntimeException why) {
            failure = why;
            put(END);
        }

        private void put(byte[] bytes) {
            try {
                chunks.put(bytes);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw interrupted();
            }
        }

        @Override
        public int read(byte[] target) {
            if (at == current.length && !isOver) {
                try {
                    current = chunks.take();
                    at = 0;
                    isOver = current.length == 0;
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw interrupted();
                }
            }
            if (isOver) {
                RuntimeException why = failure;
                if (why != null) {
                    throw why;
                }
                return -1;
            }
            byte[] part = Arrays.copyOfRange(current, at, Math.min(current.length, at + target.length));
            System.arraycopy(part, 0, target, 0, part.length);
            at += part.length;
            return part.length;
        }

        private static GloveboxException interrupted() {
            return new GloveboxException(ErrorCode.BACKEND_LOST, "the caller went away");
        }
    }
}
