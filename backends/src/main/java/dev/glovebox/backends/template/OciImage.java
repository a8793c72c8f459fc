package dev.glovebox.backends.template;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// An OCI image as the root of a template: skopeo fetches it, umoci applies its layers (ADR 0010).
///
/// @param digest of the image's manifest where it was fetched from
record OciImage(String digest, Map<String, String> env, String user, String workdir, List<String> start) {
    private static final String TAG = "template";

    private static final String FORMS = "an image is NAME:TAG of a registry (python:3.12-slim), the path of a layout"
            + " directory (./layout:TAG) or of an OCI archive (./image.tar), or has one of skopeo's prefixes"
            + " (docker-archive:PATH for what 'docker save' writes)";

    /// Refuses a path where no image is; what lies in a registry is only known when it is asked.
    ///
    /// @throws GloveboxException INVALID_ARGUMENT
    static void requirePresent(String reference) {
        if (!reference.matches("\\.{0,2}/.*") || !source(reference).startsWith("docker:")) {
            return;
        }
        String found = Files.isDirectory(Path.of(reference))
                ? reference + " is a directory without the file oci-layout, and so no OCI image"
                : "there is no OCI image at " + reference;
        throw new GloveboxException(ErrorCode.INVALID_ARGUMENT, found + ": " + FORMS);
    }

    /// The digest of an image where it is.
    private static String digest(ToolLauncher tools, String reference, String source) {
        try {
            return tools.run(
                            "skopeo inspect",
                            ToolLauncher.Options.NETWORK,
                            List.of("skopeo", "inspect", "--format", "{{.Digest}}", source))
                    .strip();
        } catch (GloveboxException failure) {
            throw new GloveboxException(failure.code(), notFound(reference, source, failure), failure);
        }
    }

    static String notFound(String reference, String source, GloveboxException failure) {
        String where = source.equals(reference) ? "" : ", looked for as " + source + ",";
        return "the OCI image '" + reference + "'" + where + " was not found or cannot be read: " + FORMS + "; "
                + failure.getMessage();
    }

    /// What skopeo is to be asked for: the reference as it is if it names a transport, a layout or an archive if there
    /// is one of that name, else an image of a registry.
    static String source(String reference) {
        if (reference.matches("(docker|oci|oci-archive|docker-archive|dir|containers-storage):.+")) {
            return reference;
        }
        Path path = Path.of(reference.replaceAll(":[\\w.-]*$", ""));
        if (Files.exists(path.resolve("oci-layout"))) {
            return "oci:" + reference;
        }
        return Files.isRegularFile(Path.of(reference)) ? "oci-archive:" + reference : "docker://" + reference;
    }

    /// What the metadata says of it: a registry's image by its name; of one on this machine only of what kind it was.
    static String described(String reference) {
        String source = source(reference);
        return source.startsWith("docker://") ? source : source.substring(0, source.indexOf(':'));
    }

    /// The same image by its digest, where the transport can do that: the tag may move meanwhile.
    static String pinned(String source, String digest) {
        if (!source.startsWith("docker://")) {
            return source;
        }
        String name = source.replaceAll("@sha256:[0-9a-f]+$", "");
        int colon = name.lastIndexOf(':');
        return (colon > name.lastIndexOf('/') ? name.substring(0, colon) : name) + "@" + digest;
    }

    /// Fetches an image and unpacks it into a directory that is not there yet.
    static OciImage unpack(ToolLauncher tools, Path build, String reference, Path root) throws IOException {
        ToolLauncher.require("skopeo", "umoci");
        String source = source(reference);
        String digest = digest(tools, reference, source);
        Path layout = build.resolve("oci");
        tools.run(
                "skopeo copy",
                ToolLauncher.Options.NETWORK,
                List.of("skopeo", "copy", "--quiet", pinned(source, digest), "oci:" + layout + ":" + TAG));
        tools.run(
                "umoci raw unpack",
                ToolLauncher.Options.ALONE,
                List.of("umoci", "raw", "unpack", "--image", layout + ":" + TAG, root.toString()));
        return read(layout, digest);
    }

    /// What the image says of how it wants to be run.
    private static OciImage read(Path layout, String digest) throws IOException {
        try {
            TemplateJson index = json(layout.resolve("index.json"));
            TemplateJson manifest =
                    json(blob(layout, index.objects("manifests").getFirst().required("digest")));
            TemplateJson config = json(blob(layout, manifest.object("config").required("digest")))
                    .object("config");
            Map<String, String> env = new LinkedHashMap<>();
            for (String variable : config.texts("Env")) {
                int equals = variable.indexOf('=');
                if (equals > 0) {
                    env.put(variable.substring(0, equals), variable.substring(equals + 1));
                }
            }
            String user = config.text("User", "");
            String workdir = config.text("WorkingDir", "");
            return new OciImage(
                    digest,
                    env,
                    user.isEmpty() ? RootFinish.USER : user,
                    workdir.isEmpty() || workdir.equals("/") ? RootFinish.HOME : workdir,
                    List.of());
        } catch (IllegalArgumentException | java.util.NoSuchElementException e) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT, "the image's own documents cannot be read: " + e.getMessage(), e);
        }
    }

    private static Path blob(Path layout, String digest) {
        if (!digest.startsWith("sha256:") || !Sha256.isOne(digest.substring("sha256:".length()))) {
            throw new IllegalArgumentException("'" + digest + "' is no digest of a blob");
        }
        return layout.resolve("blobs/sha256").resolve(digest.substring("sha256:".length()));
    }

    private static TemplateJson json(Path file) throws IOException {
        return TemplateJson.read(Files.readAllBytes(file), String.valueOf(file.getFileName()));
    }
}
