package dev.glovebox.cell.isolate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class PreludeTest {
    @Test
    void asksOnlyForCallsThatTheHostHas() {
        Matcher uses = Pattern.compile("OP\\.([A-Z_]+)").matcher(Prelude.script());
        int found = 0;
        while (uses.find()) {
            String name = uses.group(1);
            assertThat(HostCall.ALL).anyMatch(call -> call.name().equals(name));
            found++;
        }
        assertThat(found).isGreaterThan(HostCall.ALL.size());
    }

    @Test
    void isAsciiSoThatV8KeepsItInOneByteACharacter() {
        assertThat(Prelude.script().chars().allMatch(c -> c < 0x80)).isTrue();
    }
}
