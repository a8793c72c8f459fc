package dev.glovebox.backends.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OciImageTest {
    @Test
    void aReferenceSaysWhereTheImageIs(@TempDir Path directory) throws IOException {
        assertThat(OciImage.source("python:3.12-slim")).isEqualTo("docker://python:3.12-slim");
        assertThat(OciImage.source("docker://x/y@sha256:1")).isEqualTo("docker://x/y@sha256:1");
        assertThat(OciImage.source("oci-archive:/a.tar")).isEqualTo("oci-archive:/a.tar");
        Files.writeString(directory.resolve("oci-layout"), "{}");
        assertThat(OciImage.source(directory + ":tag")).isEqualTo("oci:" + directory + ":tag");
        Path archive = Files.writeString(directory.resolve("image.tar"), "");
        assertThat(OciImage.source(archive.toString())).isEqualTo("oci-archive:" + archive);
        assertThat(OciImage.described(archive.toString())).isEqualTo("oci-archive");
        assertThat(OciImage.described("a/b:tag")).isEqualTo("docker://a/b:tag");
    }

    @Test
    void aPathWithoutAnImageIsMissedBeforeAnythingIsFetched(@TempDir Path directory) throws IOException {
        for (String missing : new String[] {"/missing", "./missing:tag", "../missing.tar", directory + "/gone"}) {
            assertThatThrownBy(() -> OciImage.requirePresent(missing))
                    .isInstanceOfSatisfying(
                            GloveboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                    .hasMessageContainingAll("there is no OCI image at " + missing, "NAME:TAG", "layout directory");
        }
        assertThatThrownBy(() -> OciImage.requirePresent(directory.toString()))
                .hasMessageContaining(directory + " is a directory without the file oci-layout");
        Path archive = Files.writeString(directory.resolve("image.tar"), "");
        OciImage.requirePresent(archive.toString());
        Files.writeString(directory.resolve("oci-layout"), "{}");
        OciImage.requirePresent(directory + ":tag");
        OciImage.requirePresent("python:3.12-slim");
        OciImage.requirePresent("docker-archive:/saved.tar");
    }

    @Test
    void whatSkopeoDoesNotFindIsToldInASentence() {
        GloveboxException raw = new GloveboxException(ErrorCode.INTERNAL, "skopeo inspect failed");
        assertThat(OciImage.notFound("missing", "docker://missing", raw))
                .startsWith(
                        "the OCI image 'missing', looked for as docker://missing, was not found or cannot be read: ")
                .endsWith("; skopeo inspect failed");
        assertThat(OciImage.notFound("oci:/x", "oci:/x", raw))
                .startsWith(
                        "the OCI image 'oci:/x' was not found or cannot be read: an image is NAME:TAG of a registry");
    }

    @Test
    void aRegistrysImageIsFetchedByItsDigest() {
        assertThat(OciImage.pinned("docker://host.example:5000/a/b:tag", "sha256:1"))
                .isEqualTo("docker://host.example:5000/a/b@sha256:1");
        assertThat(OciImage.pinned("docker://host.example:5000/a/b", "sha256:1"))
                .isEqualTo("docker://host.example:5000/a/b@sha256:1");
        assertThat(OciImage.pinned("docker://a:tag@sha256:2", "sha256:1")).isEqualTo("docker://a@sha256:1");
        assertThat(OciImage.pinned("oci:/layout:tag", "sha256:1")).isEqualTo("oci:/layout:tag");
    }
}
