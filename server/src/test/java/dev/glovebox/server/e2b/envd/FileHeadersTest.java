package dev.glovebox.server.e2b.envd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.FileEntry;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What is read from, and written to, the heads of requests for files.
final class FileHeadersTest {
    @Test
    void signaturesAreThoseOfTheClients() {
        assertThat(FileSignature.of("/home/user/a b.txt", FileSignature.Operation.READ, "", "tok", Optional.empty()))
                .isEqualTo("v1_m19cDbXO/F43G5cx59umbZW/2oYPnQHTX2ja2COKnRs");
        assertThat(FileSignature.of("x", FileSignature.Operation.WRITE, "root", "tok", Optional.of("1796068713")))
                .isEqualTo("v1_g/4hsc5aWvF7xa+IAKmed31ZBSFhbMaFQr8/SW49yI4");
    }

    @ParameterizedTest
    @CsvSource({
        "bytes=0-0, 0, 0",
        "bytes=2-4, 2, 4",
        "bytes=5-, 5, 9",
        "bytes=-3, 7, 9",
        "bytes=-100, 0, 9",
        "bytes=8-100, 8, 9"
    })
    void rangesAreParts(String header, long first, long last) {
        assertThat(ByteRange.of(header, 10)).contains(new ByteRange(first, last));
    }

    @ParameterizedTest
    @ValueSource(strings = {"bytes=", "bytes=-", "bytes=4-2", "bytes=0-1,3-4", "lines=1-2", "bytes=a-b", "bytes=1"})
    void whatIsNoSingleRangeIsTheWhole(String header) {
        assertThat(ByteRange.of(header, 10)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"bytes=10-", "bytes=99-100", "bytes=-0"})
    void rangesBeyondTheEndAreRefused(String header) {
        assertThatThrownBy(() -> ByteRange.of(header, 10)).isInstanceOf(ByteRange.Unsatisfiable.class);
    }

    @Test
    void namesOfAnyCharactersAreSent() {
        assertThat(Dispositions.inline("a b.txt")).isEqualTo("inline; filename=\"a b.txt\"");
        assertThat(Dispositions.inline("ä\"\\\r\n.txt"))
                .isEqualTo("inline; filename=\"_____.txt\"; filename*=UTF-8''%C3%A4%22%5C%0D%0A.txt");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "form-data; name=\"file\"; filename=\"a/b c.txt\" | a/b c.txt",
                "form-data; name=\"file\"; filename=\"ä😀\" | ä😀",
                "form-data; name=\"file\"; filename=\"a%22b;c\" | a\"b;c",
                "form-data; name=\"file\"; filename=\"a\\\\b\" | a\\b",
                "form-data; name=\"file\"; filename=\"a\\b\" | a\\b",
                "form-data; filename=plain; name=file | plain",
                "form-data; name=\"file\"; filename*=UTF-8''%C3%A4%20b | ä b"
            })
    void namesAreReadAsClientsWriteThem(String header, String name) {
        assertThat(Dispositions.fileName(Dispositions.parameters(header))).contains(name);
        assertThat(Dispositions.parameters(header)).containsEntry("name", "file");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | IDENTITY",
                "gzip | GZIP",
                "gzip, deflate | IDENTITY",
                "gzip, deflate, br | IDENTITY",
                "* | IDENTITY",
                "gzip;q=0 | IDENTITY",
                "gzip, identity;q=0 | GZIP",
                "gzip;q=0.5, identity | IDENTITY",
                "br, gzip, *;q=0 | GZIP",
                "identity | IDENTITY"
            })
    void contentIsPackedForWhoWantsItPacked(String header, Codings coding) {
        assertThat(Codings.accepted(header)).isEqualTo(coding);
    }

    @ParameterizedTest
    @ValueSource(strings = {"identity;q=0", "br, *;q=0", "*;q=0"})
    void whoTakesNeitherFormIsRefused(String header) {
        assertThatThrownBy(() -> Codings.accepted(header))
                .isInstanceOfSatisfying(
                        HttpRefusal.class,
                        refusal -> assertThat(refusal.status()).isEqualTo(406));
    }

    @ParameterizedTest
    @CsvSource({
        "FILE, 0644, -rw-r--r--",
        "DIRECTORY, 0755, drwxr-xr-x",
        "DIRECTORY, 01777, dtrwxrwxrwx",
        "SYMLINK, 0777, Lrwxrwxrwx",
        "FILE, 04755, urwxr-xr-x",
        "FILE, 0, ----------"
    })
    void permissionsReadAsInGo(FileEntry.Type type, String mode, String text) {
        FileEntry entry = new FileEntry("/x", type, 0, Integer.decode(mode), Instant.EPOCH, "");
        assertThat(FileInfos.permissions(entry)).isEqualTo(text);
    }
}
