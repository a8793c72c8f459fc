package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.ByteSink;
import dev.glovebox.core.Command;
import dev.glovebox.core.FileAccess;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.GuestUser;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;

/// Sends a file of a sandbox, or a part of it, as it is read.
final class FileDownload {
    private static final DateTimeFormatter DATE = DateTimeFormatter.RFC_1123_DATE_TIME;

    private final EnvdCall call;
    private final FileAccess access;
    private final LinkWalk.Real file;
    private final String name;

    private FileDownload(EnvdCall call, FileAccess access, LinkWalk.Real file, String name) {
        this.call = call;
        this.access = access;
        this.file = file;
        this.name = name;
    }

    static void serve(EnvdCall call) {
        FileSignature.require(call, FileSignature.Operation.READ);
        GuestUser user = FilesRoutes.user(call);
        String asked = call.query("path").orElse("");
        GuestPath path = call.path(asked, user);
        FileAccess access = EnvdCall.access(user);
        LinkWalk.Real file = new LinkWalk(call, access)
                .follow(path)
                .orElseThrow(() -> new HttpRefusal(404, "path '" + path + "' does not exist"));
        switch (file.entry().type()) {
            case FILE -> new FileDownload(call, access, file, path.fileName()).send();
            case DIRECTORY -> throw HttpRefusal.invalid("path '" + path + "' is a directory");
            case SYMLINK, OTHER -> throw HttpRefusal.invalid("path '" + path + "' is not a regular file");
        }
    }

    private void send() {
        ServerResponse response = call.response();
        long size = file.entry().sizeBytes();
        response.header(HeaderNames.CONTENT_DISPOSITION, Dispositions.inline(name));
        response.header(HeaderNames.LAST_MODIFIED, DATE.format(modified().atZone(ZoneOffset.UTC)));
        response.header(HeaderNames.ETAG, tag());
        response.header(HeaderNames.ACCEPT_RANGES, "bytes");
        response.header(HeaderNames.VARY, "Accept-Encoding");
        response.header(HeaderNames.CACHE_CONTROL, "private, no-cache");
        response.header(HeaderNames.create("X-Content-Type-Options"), "nosniff");
        response.header(HeaderNames.create("Content-Security-Policy"), "sandbox; default-src 'none'");
        if (isKnownToClient()) {
            response.status(Status.NOT_MODIFIED_304).send();
            return;
        }
        try {
            Optional<ByteRange> range = range(size);
            if (range.isPresent()) {
                response.status(Status.PARTIAL_CONTENT_206);
                response.header(HeaderNames.CONTENT_RANGE, range.get().of(size));
                send(range.get().first(), range.get().length(), Codings.IDENTITY);
            } else {
                send(0, size, coding());
            }
        } catch (ByteRange.Unsatisfiable e) {
            response.header(HeaderNames.CONTENT_RANGE, "bytes */" + size);
            call.error(416, "the file has " + size + " bytes, of which the range asked for has none");
        }
    }

    private Codings coding() {
        return Codings.accepted(call.header(HeaderNames.ACCEPT_ENCODING).orElse(""));
    }

    /// Times outside of what a date of HTTP can say are those of a guest's jest.
    private Instant modified() {
        Instant time = file.entry().modified().truncatedTo(ChronoUnit.SECONDS);
        return time.isBefore(Instant.EPOCH) ? Instant.EPOCH : time;
    }

    private String tag() {
        Instant time = file.entry().modified();
        return "\"%x-%x-%x\""
                .formatted(time.getEpochSecond(), time.getNano(), file.entry().sizeBytes());
    }

    private boolean isKnownToClient() {
        Optional<String> tags = call.header(HeaderNames.IF_NONE_MATCH);
        if (tags.isPresent()) {
            String known = tags.get();
            return known.strip().equals("*") || known.contains(tag());
        }
        return call.header(HeaderNames.IF_MODIFIED_SINCE)
                .flatMap(FileDownload::date)
                .filter(since -> !modified().isAfter(since))
                .isPresent();
    }

    private Optional<ByteRange> range(long size) {
        Optional<String> wanted = call.header(HeaderNames.RANGE);
        boolean isSame = call.header(HeaderNames.IF_RANGE)
                .map(known -> known.equals(tag()) || date(known).equals(Optional.of(modified())))
                .orElse(true);
        return wanted.isPresent() && isSame ? ByteRange.of(wanted.get(), size) : Optional.empty();
    }

    private static Optional<Instant> date(String text) {
        try {
            return Optional.of(ZonedDateTime.parse(text, DATE).toInstant());
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /// A file that says it is empty may still have content: those of `/proc` do. It is read to its end, and its length
    /// is
    /// not announced.
    private void send(long offset, long length, Codings coding) {
        boolean isSizeKnown = length > 0;
        call.response().header(HeaderNames.CONTENT_TYPE, MediaTypes.ofFileName(name));
        if (coding == Codings.GZIP) {
            call.response().header(HeaderNames.CONTENT_ENCODING, "gzip");
        } else if (isSizeKnown) {
            call.response().header(HeaderNames.CONTENT_LENGTH, Long.toString(length));
        }
        Sink sink = new Sink(coding);
        try {
            call.execute(new Command.ReadFile(
                    call.target().id(), file.path(), access, offset, isSizeKnown ? length : -1, sink));
            if (coding == Codings.IDENTITY && isSizeKnown && sink.count != length) {
                throw new CloseConnectionException("the file has become shorter while it was sent");
            }
            sink.open().close();
        } catch (IOException e) {
            throw new CloseConnectionException("the client went away", e);
        } catch (RuntimeException e) {
            if (sink.out != null) {
                throw new CloseConnectionException("the file could not be sent to its end", e);
            }
            call.response().headers().remove(HeaderNames.CONTENT_LENGTH);
            call.response().headers().remove(HeaderNames.CONTENT_ENCODING);
            throw e;
        }
    }

    /// Opens the response at the first byte, so that a failure before it is told as any other.
    private final class Sink implements ByteSink {
        private final Codings coding;
        private @org.jspecify.annotations.Nullable OutputStream out;
        private long count;

        Sink(Codings coding) {
            this.coding = coding;
        }

        OutputStream open() throws IOException {
            OutputStream opened = out;
            if (opened == null) {
                OutputStream plain = call.response().outputStream();
                opened = coding == Codings.GZIP ? new GZIPOutputStream(plain, 8192) : plain;
                out = opened;
            }
            return opened;
        }

        @Override
        public void write(byte[] bytes) {
            try {
                open().write(bytes);
                count += bytes.length;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
