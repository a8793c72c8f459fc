package dev.glovebox.server.e2b.envd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ConnectMessageTest {
    private static ConnectMessage parse(String json) {
        return ConnectMessage.parse(json.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void whatIsAbsentOrNullHasItsDefault() {
        ConnectMessage message = parse("{\"path\":null,\"unknown\":{\"a\":[1,2.5,true,{}]}}");
        assertThat(message.text("path")).isEmpty();
        assertThat(message.flag("recursive")).isFalse();
        assertThat(message.flag("stdin", true)).isTrue();
        assertThat(message.number("depth")).isEmpty();
        assertThat(message.texts("args")).isEmpty();
        assertThat(message.textMap("envs")).isEmpty();
        assertThat(message.message("process")).isEmpty();
        assertThat(message.bytes("stdin")).isEmpty();
        assertThat(message.word("signal")).isEmpty();
    }

    @Test
    void fieldsHaveEitherName() {
        assertThat(parse("{\"watcherId\":\"a\"}").text("watcherId")).isEqualTo("a");
        assertThat(parse("{\"watcher_id\":\"a\"}").text("watcherId")).isEqualTo("a");
        assertThat(parse("{\"include_entry\":true}").flag("includeEntry")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"42", "\"42\"", "42.0", "4.2e1"})
    void numbersHaveManyForms(String form) {
        assertThat(parse("{\"pid\":" + form + "}").number("pid")).hasValue(42);
    }

    @Test
    void enumerationsAreNamesOrNumbers() {
        assertThat(parse("{\"signal\":\"SIGNAL_SIGKILL\"}").word("signal")).isEqualTo("SIGNAL_SIGKILL");
        assertThat(parse("{\"signal\":9}").word("signal")).isEqualTo("9");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-_8=", "+/8=", "-_8", "+/8"})
    void bytesAreBase64OfEitherAlphabet(String form) {
        assertThat(parse("{\"stdin\":\"" + form + "\"}").bytes("stdin").orElseThrow())
                .containsExactly(0xfb, 0xff);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "7",
                "null",
                "{",
                "{}{}",
                "{\"a\"",
                "{\"a\":1,}",
                "{\"a\":01}",
                "{\"a\":NaN}",
                "{\"a\":99999999999999999999}",
                "{\"args\":[null]}"
            })
    void whatIsNoMessageIsRefused(String json) {
        assertThatThrownBy(() -> parse(json)).isInstanceOf(ConnectFailure.class);
    }

    @Test
    void aWrongTypeIsRefusedByTheNameOfTheFieldAlone() {
        ConnectMessage message = parse("{\"f\":\"secret\",\"o\":{},\"l\":[\"secret\",1]}");
        assertThatThrownBy(() -> message.number("f")).hasMessage("the field 'f' must be a whole number");
        assertThatThrownBy(() -> message.flag("f")).hasMessage("the field 'f' must be true or false");
        assertThatThrownBy(() -> message.message("f")).hasMessage("the field 'f' must be an object");
        assertThatThrownBy(() -> message.text("o")).hasMessage("the field 'o' must be a text");
        assertThatThrownBy(() -> message.texts("l")).hasMessage("the field 'l' must be made of texts");
        assertThatThrownBy(() -> parse("{\"f\":\"a b\"}").bytes("f")).hasMessage("the field 'f' must be base64");
    }

    @Test
    void whatNestsDeepIsRefused() {
        String deep = "{\"a\":".repeat(100_000) + "1" + "}".repeat(100_000);
        assertThatThrownBy(() -> parse(deep)).isInstanceOf(ConnectFailure.class);
        String list = "{\"a\":" + "[".repeat(100_000);
        assertThatThrownBy(() -> parse(list)).isInstanceOf(ConnectFailure.class);
    }

    @Test
    void garbageIsRefusedAndNothingElse() {
        byte[] good = "{\"process\":{\"cmd\":\"a\",\"args\":[\"b\"],\"envs\":{\"A\":\"1\"}},\"stdin\":false}"
                .getBytes(StandardCharsets.UTF_8);
        Random random = new Random(7);
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = good.clone();
            for (int i = 0; i <= random.nextInt(4); i++) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            try {
                ConnectMessage message = ConnectMessage.parse(bytes);
                message.message("process").ifPresent(process -> process.textMap("envs"));
            } catch (ConnectFailure refused) {
                assertThat(refused.code()).isEqualTo(ConnectCode.INVALID_ARGUMENT);
            }
        }
    }
}
