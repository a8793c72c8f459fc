package dev.glovebox.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class BulkTest {
    private static final byte[] LINE = "abc\n".getBytes(StandardCharsets.US_ASCII);

    @Test
    void takesBackWhatItGave() throws IOException {
        Bulk bulk = new Bulk(200_001);
        Bulk.Check check = bulk.check();
        assertThat(bulk.source().transferTo(check)).isEqualTo(200_001);
        assertThatCode(() -> check.end("it")).doesNotThrowAnyException();
    }

    @Test
    void repeatsALine() throws IOException {
        Bulk bulk = new Bulk(10, LINE);
        assertThat(bulk.source().readAllBytes()).isEqualTo("abc\nabc\nab".getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void noticesWhatIsMissingAndWhatIsOther() {
        Bulk.Check cut = new Bulk(8, LINE).check();
        cut.write(LINE, 0, 4);
        assertThatThrownBy(() -> cut.end("a file"))
                .isInstanceOf(BenchException.class)
                .hasMessage("a file: 4 bytes came of 8");
        Bulk.Check other = new Bulk(4, LINE).check();
        other.write("abd\n".getBytes(StandardCharsets.US_ASCII), 0, 4);
        assertThatThrownBy(() -> other.end("a file"))
                .isInstanceOf(BenchException.class)
                .hasMessage("a file: 4 bytes came of 4, and not the same");
    }
}
