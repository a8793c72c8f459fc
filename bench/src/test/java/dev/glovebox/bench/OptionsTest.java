package dev.glovebox.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class OptionsTest {
    private static Options parse(String... words) {
        return Options.parse(words);
    }

    @Test
    void withoutWordsItMeasuresEverythingThoroughly() {
        Options options = parse();
        assertThat(options.quick()).isFalse();
        assertThat(options.names()).isEmpty();
        assertThat(options.soak()).isEmpty();
        assertThat(options.json()).isEmpty();
    }

    @Test
    void takesOptionsBetweenNames() {
        Options options = parse("start", "--quick", "loop", "--json", "out.json", "--seed", "9");
        assertThat(options.quick()).isTrue();
        assertThat(options.names()).containsExactly("start", "loop");
        assertThat(options.json()).contains(Path.of("out.json"));
        assertThat(options.seed()).isEqualTo(9);
    }

    @Test
    void soaksAsLongAsAsked() {
        assertThat(parse("soak").soak()).contains(Duration.ofMinutes(15));
        assertThat(parse("soak", "--minutes", "2").soak()).contains(Duration.ofMinutes(2));
    }

    @Test
    void refusesWhatMakesNoSense() {
        assertThatThrownBy(() -> parse("--seed", "many"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the option --seed needs a number, not many");
        assertThatThrownBy(() -> parse("--json"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the option --json needs a value");
    }
}
