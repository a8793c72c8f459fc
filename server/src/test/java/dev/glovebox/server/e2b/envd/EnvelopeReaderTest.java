package dev.glovebox.server.e2b.envd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.Limits;
import java.io.ByteArrayInputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class EnvelopeReaderTest {
    /// As the client sends it.
    private static final String START = "{\"process\":{\"cmd\":\"/bin/bash\",\"args\":[\"-l\",\"-c\",\"echo hi\"],"
            + "\"envs\":{\"A\":\"1\"},\"cwd\":\"/tmp\"},\"stdin\":false}";

    private static byte[] envelope(int flags, int length, String json) {
        byte[] payload = json.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(5 + payload.length)
                .put((byte) flags)
                .putInt(length)
                .put(payload)
                .array();
    }

    private static EnvelopeReader reader(byte[]... parts) {
        return new EnvelopeReader(
                Arrays.stream(parts)
                        .map(part -> (java.io.InputStream) new ByteArrayInputStream(part))
                        .reduce(SequenceInputStream::new)
                        .orElseThrow(),
                Limits.ENVD_START_BYTES_MAX);
    }

    @Test
    void readsWhatTheClientSends() {
        byte[] golden = envelope(0, 0x68, START);
        assertThat(golden).hasSize(109);
        EnvelopeReader reader = reader(golden, golden);
        ConnectMessage message = reader.next().orElseThrow();
        ConnectMessage process = message.requiredMessage("process");
        assertThat(process.text("cmd")).isEqualTo("/bin/bash");
        assertThat(process.texts("args")).containsExactly("-l", "-c", "echo hi");
        assertThat(process.textMap("envs")).containsEntry("A", "1").hasSize(1);
        assertThat(process.text("cwd")).isEqualTo("/tmp");
        assertThat(message.flag("stdin", true)).isFalse();
        assertThat(reader.next()).isPresent();
        assertThat(reader.next()).isEmpty();
    }

    @Test
    void aStreamThatEndsEarlyIsRefusedWhereverItEnds() {
        byte[] golden = envelope(0, 0x68, START);
        for (int length = 1; length < golden.length; length++) {
            EnvelopeReader reader = reader(Arrays.copyOf(golden, length));
            assertThatThrownBy(reader::next)
                    .isInstanceOfSatisfying(
                            ConnectFailure.class,
                            failure -> assertThat(failure.code()).isEqualTo(ConnectCode.INVALID_ARGUMENT));
        }
    }

    @Test
    void lengthsThatAreTooLargeAreRefusedBeforeAnythingIsHeld() {
        for (int length : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, Limits.ENVD_START_BYTES_MAX + 1}) {
            assertThatThrownBy(() -> reader(envelope(0, length, "{}")).next())
                    .isInstanceOfSatisfying(
                            ConnectFailure.class,
                            failure -> assertThat(failure.code()).isEqualTo(ConnectCode.RESOURCE_EXHAUSTED));
        }
    }

    @Test
    void flagsOfAClientAreNone() {
        assertThatThrownBy(() -> reader(envelope(1, 2, "{}")).next())
                .isInstanceOfSatisfying(
                        ConnectFailure.class,
                        failure -> assertThat(failure.code()).isEqualTo(ConnectCode.UNIMPLEMENTED));
        for (int flags : new int[] {2, 3, 0x80, 0xff}) {
            assertThatThrownBy(() -> reader(envelope(flags, 2, "{}")).next()).isInstanceOf(ConnectFailure.class);
        }
    }
}
