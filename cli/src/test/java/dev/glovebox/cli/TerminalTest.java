package dev.glovebox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.wire.api.TerminalSet;
import org.junit.jupiter.api.Test;

final class TerminalTest {
    private static java.util.Optional<TerminalSet> parse(String said) {
        return Terminal.parse(said.split(" ", -1));
    }

    @Test
    void readsWhatSttySays() {
        assertThat(parse("30 100")).contains(new TerminalSet(100, 30));
        assertThat(parse("")).isEmpty();
        assertThat(parse("stty: no terminal")).isEmpty();
    }

    @Test
    void takesATerminalWithoutASizeForAUsualOne() {
        assertThat(parse("0 0")).contains(new TerminalSet(80, 24));
    }
}
