package dev.glovebox.sdk;

import dev.glovebox.wire.api.FileList;
import dev.glovebox.wire.api.FileResponse;
import dev.glovebox.wire.api.MoveRequest;
import dev.glovebox.wire.api.PathRequest;
import dev.glovebox.wire.api.WatchEventResponse;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// The files of one sandbox. Paths are absolute, or relative to the home directory.
public final class SandboxFiles {
    private static final int PIECE_BYTES = 128 * 1024;

    private final Transport transport;
    private final String path;
    private final @Nullable String user;

    SandboxFiles(Transport transport, String path, @Nullable String user) {
        this.transport = transport;
        this.path = path;
        this.user = user;
    }

    /// The content of a file, all at once.
    public byte[] read(String file) {
        return transport.call("GET", target("", file), "*/*", new HttpBody.None(false), InputStream::readAllBytes);
    }

    /// The content of a file, as it comes; `target` is not closed.
    public void read(String file, OutputStream target) {
        transport.call("GET", target("", file), "*/*", new HttpBody.None(false), body -> copy(body, target));
    }

    /// In larger pieces than [InputStream#transferTo] takes.
    private static long copy(InputStream source, OutputStream target) throws IOException {
        byte[] piece = new byte[PIECE_BYTES];
        long total = 0;
        for (int count = source.read(piece); count >= 0; count = source.read(piece)) {
            target.write(piece, 0, count);
            total += count;
        }
        return total;
    }

    /// Replaces or makes a file, its parent directories too.
    public FileResponse write(String file, byte[] content) {
        return write(file, new ByteArrayInputStream(content));
    }

    /// As [#write(String, byte[])], without holding it all; `content` is not closed.
    public FileResponse write(String file, InputStream content) {
        return transport.call(
                "PUT",
                target("", file),
                "application/json",
                new HttpBody.Stream(content),
                body -> Transport.read(FileResponse.class, body));
    }

    public FileResponse stat(String file) {
        return transport.json("GET", target("/stat", file), null, FileResponse.class);
    }

    /// Entries below a directory, `depth` levels deep.
    public List<FileResponse> list(String directory, int depth) {
        String target = target("/list", query -> query.with("path", directory).with("depth", Integer.toString(depth)));
        return transport.json("GET", target, null, FileList.class).items();
    }

    public FileResponse makeDirectory(String directory) {
        return transport.json("POST", target("/mkdir", query -> query), new PathRequest(directory), FileResponse.class);
    }

    public FileResponse move(String from, String to) {
        return transport.json("POST", target("/move", query -> query), new MoveRequest(from, to), FileResponse.class);
    }

    /// Removes a file, or a directory with all in it.
    public void remove(String file) {
        transport.send("DELETE", target("", file), null);
    }

    private String target(String suffix, String file) {
        return target(suffix, query -> query.with("path", file));
    }

    private String target(String suffix, UnaryOperator<Query> parameters) {
        Query query = parameters.apply(new Query(path + suffix));
        return (user == null ? query : query.with("user", user)).toString();
    }

    /// Tells the listener what happens in a directory, until it is gone, or the calling thread is interrupted, or the
    /// listener throws.
    ///
    /// @param recursive also what is below it
    /// @param watching is run once nothing is missed any more
    public void watch(String directory, boolean recursive, Runnable watching, Consumer<WatchEventResponse> listener) {
        String target =
                target("/watch", query -> query.with("path", directory).with("recursive", Boolean.toString(recursive)));
        transport.call("GET", target, EventStream.MEDIA_TYPE, new HttpBody.None(false), body -> {
            EventStream.watch(body, watching, listener);
            return directory;
        });
    }
}
