package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.Command;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.GuestUser;
import dev.glovebox.sdk.RecordJson;
import dev.glovebox.server.api.StreamSource;
import dev.glovebox.wire.e2b.WrittenFile;
import io.helidon.http.HeaderNames;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/// Writes what a client sends into files of a sandbox, as it comes: one file, or any number as parts of a form.
final class FileUpload {
    private static final String FORM = "multipart/form-data";
    private static final String BYTES = "application/octet-stream";
    /// The only part of the form that counts.
    private static final String FIELD = "file";

    private static final int FILES_MAX = 10_000;

    private final EnvdCall call;
    private final GuestUser user;
    private final Optional<String> path;
    private final Map<String, String> attributes;
    private final Set<GuestPath> written = new HashSet<>();
    private final List<WrittenFile> answer = new ArrayList<>();

    private FileUpload(EnvdCall call) {
        this.call = call;
        this.user = FilesRoutes.user(call);
        this.path = call.query("path").filter(text -> !text.isEmpty());
        this.attributes = FileMetadata.attributes(call);
    }

    static void serve(EnvdCall call) {
        FileSignature.require(call, FileSignature.Operation.WRITE);
        FileUpload upload = new FileUpload(call);
        String type = call.header(HeaderNames.CONTENT_TYPE).orElse("");
        try (InputStream body = upload.body()) {
            if (type.toLowerCase(Locale.ROOT).startsWith(FORM)) {
                upload.writeParts(new MultipartReader(
                        body,
                        Optional.ofNullable(Dispositions.parameters(type).get("boundary"))
                                .orElseThrow(() -> HttpRefusal.invalid("a multipart body needs a boundary"))));
            } else if (type.toLowerCase(Locale.ROOT).startsWith(BYTES)) {
                upload.write(
                        upload.path.orElseThrow(() -> HttpRefusal.invalid("the query parameter 'path' is missing")),
                        body);
            } else {
                throw HttpRefusal.invalid("a file is sent as " + FORM + " or as " + BYTES);
            }
        } catch (ZipException e) {
            throw HttpRefusal.invalid("the body is not gzip, though its head says so");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        call.json(200, RecordJson.write(upload.answer));
    }

    private InputStream body() throws IOException {
        InputStream raw = call.request().content().inputStream();
        String coding = call.header(HeaderNames.CONTENT_ENCODING).orElse("");
        return Codings.ofBody(coding) == Codings.GZIP ? new GZIPInputStream(raw, 8192) : raw;
    }

    private void writeParts(MultipartReader parts) throws IOException {
        for (Optional<MultipartReader.Part> next = parts.next(); next.isPresent(); next = parts.next()) {
            MultipartReader.Part part = next.get();
            Map<String, String> parameters =
                    Dispositions.parameters(part.headers().getOrDefault("content-disposition", ""));
            if (FIELD.equals(parameters.get("name"))) {
                write(destination(parameters), part.content());
            }
        }
    }

    private String destination(Map<String, String> parameters) {
        return path.or(() -> Dispositions.fileName(parameters).filter(name -> !name.isEmpty()))
                .orElseThrow(() -> HttpRefusal.invalid(
                        "a part has no file name, and there is no query parameter 'path': where should it go?"));
    }

    private void write(String destination, InputStream content) {
        GuestPath target = call.path(destination, user);
        if (!written.add(target)) {
            throw HttpRefusal.invalid("you cannot upload multiple files to the same path '" + target
                    + "' in one upload request, only the first specified file was uploaded");
        }
        if (written.size() > FILES_MAX) {
            throw HttpRefusal.invalid("one request writes at most " + FILES_MAX + " files");
        }
        FileEntry made = call.execute(new Command.WriteFile(
                call.target().id(), target, EnvdCall.access(user), attributes, new StreamSource(content)));
        Map<String, String> metadata = FileInfos.metadata(attributes);
        answer.add(
                new WrittenFile(target.value(), target.fileName(), word(made), metadata.isEmpty() ? null : metadata));
    }

    private static String word(FileEntry made) {
        return made.type() == FileEntry.Type.DIRECTORY ? "dir" : "file";
    }
}
