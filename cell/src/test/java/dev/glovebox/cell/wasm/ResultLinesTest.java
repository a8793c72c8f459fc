package dev.glovebox.cell.wasm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.cell.GuestStreams;
import dev.glovebox.core.ExecutionError;
import dev.glovebox.core.MimeBundle;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResultLinesTest {
    private final List<Object> seen = new ArrayList<>();
    private final ResultLines lines = new ResultLines();

    ResultLinesTest() {
        lines.use(new GuestStreams() {
            @Override
            public int read(byte[] target, int offset, int length) {
                return -1;
            }

            @Override
            public void stdout(byte[] bytes, int offset, int length) {}

            @Override
            public void stderr(byte[] bytes, int offset, int length) {}

            @Override
            public void result(MimeBundle bundle) {
                seen.add(bundle);
            }

            @Override
            public void error(ExecutionError error) {
                seen.add(error);
            }
        });
    }

    private void write(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        lines.write(bytes, 0, bytes.length);
    }

    @Test
    void readsDocumentsCutAnywhere() {
        write("{\"type\":\"result\",\"main\":true,\"da");
        write("ta\":{\"text/plain\":\"2\"}}\n{\"type\":\"error\",\"name\":\"E\",");
        write("\"value\":\"v\",\"traceback\":\"t\"}\n");
        assertThat(seen)
                .containsExactly(new MimeBundle(true, Map.of("text/plain", "2")), new ExecutionError("E", "v", "t"));
        assertThat(lines.lastError()).isEqualTo("E");
    }

    @Test
    void passesOverWhatAGuestWroteItself() {
        write("garbage\n\n{\"type\":7}\n{\"type\":\"result\",\"data\":[]}\n");
        assertThat(seen).isEmpty();
    }

    @Test
    void dropsALineThatIsTooLongAndGoesOn() {
        byte[] much = new byte[1024 * 1024];
        for (int i = 0; i < 40; i++) {
            lines.write(much, 0, much.length);
        }
        write("\n{\"type\":\"result\",\"data\":{}}\n");
        assertThat(seen).containsExactly(new MimeBundle(false, Map.of()));
    }
}
