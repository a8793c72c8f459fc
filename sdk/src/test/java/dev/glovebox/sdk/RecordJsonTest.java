package dev.glovebox.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.sdk.RecordJson.UnknownFields;
import dev.glovebox.wire.api.Content;
import dev.glovebox.wire.api.LeaseRequest;
import dev.glovebox.wire.api.LimitSet;
import dev.glovebox.wire.api.NetworkRules;
import dev.glovebox.wire.api.RunRequest;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RecordJsonTest {
    private static <T extends Record> T strict(Class<T> type, String json) {
        return RecordJson.read(type, json.getBytes(StandardCharsets.UTF_8), UnknownFields.REFUSED);
    }

    @Test
    void readsWhatItWrites() {
        RunRequest request = new RunRequest(
                "python",
                null,
                "print('\u0001 \\ \" \uD83D\uDE00')",
                null,
                null,
                List.of("a", ""),
                Map.of("K", "V"),
                new Content(null, "AA=="),
                Map.of("/a", new Content("x", null)),
                null,
                true,
                new LimitSet(1L, null, Long.MAX_VALUE, null, null, 7));
        byte[] json = RecordJson.write(request);
        assertThat(RecordJson.read(RunRequest.class, json, UnknownFields.REFUSED))
                .isEqualTo(request);
        assertThat(new String(json, StandardCharsets.UTF_8))
                .doesNotContain("null")
                .doesNotContain("\n");
    }

    @Test
    void refusesAnUnknownFieldByItsName() {
        assertThatThrownBy(() -> strict(LeaseRequest.class, "{\"leaseSeconds\":1,\"leaseSecond\":2}"))
                .isInstanceOf(MalformedJsonException.class)
                .hasMessage("the field 'leaseSecond' is not known here; known are leaseSeconds");
        assertThatThrownBy(() -> strict(RunRequest.class, "{\"limits\":{\"x\u202e\":1}}"))
                .hasMessageStartingWith("the field 'limits.\"x?\"' is not known here; known are wallMillis");
    }

    @Test
    void passesAnUnknownFieldOverInAnswers() {
        byte[] json = "{\"new\":{\"a\":[1,{}]},\"leaseSeconds\":5}".getBytes(StandardCharsets.UTF_8);
        assertThat(RecordJson.read(LeaseRequest.class, json, UnknownFields.PASSED_OVER)
                        .leaseSeconds())
                .isEqualTo(5);
    }

    @Test
    void saysWhatIsWrong() {
        assertThatThrownBy(() -> strict(LeaseRequest.class, "{}")).hasMessageContaining("'leaseSeconds' is missing");
        assertThatThrownBy(() -> strict(LeaseRequest.class, "{\"leaseSeconds\":null}"))
                .hasMessageContaining("'leaseSeconds' is missing");
        assertThatThrownBy(() -> strict(LeaseRequest.class, "{\"leaseSeconds\":\"1\"}"))
                .hasMessageContaining("must be a whole number");
        assertThatThrownBy(() -> strict(LeaseRequest.class, "{\"leaseSeconds\":1.5}"))
                .hasMessageContaining("must be a whole number");
        assertThatThrownBy(() -> strict(LeaseRequest.class, "{\"leaseSeconds\":99999999999999999999}"))
                .hasMessageContaining("too large");
        assertThatThrownBy(() -> strict(LeaseRequest.class, "{\"leaseSeconds\":1,\"leaseSeconds\":2}"))
                .hasMessageContaining("twice");
        assertThatThrownBy(() -> strict(RunRequest.class, "{\"env\":{\"A\":\"1\",\"A\":\"2\"}}"))
                .hasMessageContaining("twice");
        assertThatThrownBy(() -> strict(RunRequest.class, "{\"args\":[null]}")).hasMessageContaining("null");
        assertThatThrownBy(() -> strict(RunRequest.class, "[]")).hasMessageContaining("must be an object");
        assertThatThrownBy(() -> strict(RunRequest.class, "")).hasMessageContaining("there is nothing");
        assertThatThrownBy(() -> strict(RunRequest.class, "{} x")).isInstanceOf(MalformedJsonException.class);
        assertThatThrownBy(() -> strict(RunRequest.class, "{\"capture\":0}")).hasMessageContaining("true or false");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"allowOut": ["a", "b", "c", 4]}   | the field 'allowOut[3]' must be a string, not a number
            {"allowOut": [null]}               | the field 'allowOut[0]' must be a string, not null
            {"allowOut": [["a"]]}              | the field 'allowOut[0]' must be a string, not a list
            {"allowOut": {"a": 1}}             | the field 'allowOut' must be a list, not an object
            {"rules": {"a.b": {}}}             | the field 'rules."a.b"' must be a list, not an object
            {"rules": {"a.b": [null]}}         | the field 'rules."a.b"[0]' must be an object, not null
            {"rules": {"a.b": [[]]}}           | the field 'rules."a.b"[0]' must be an object, not a list
            {"rules": {"a.b": [{"x": {}}]}}    | the field 'rules."a.b"[0].x' is not known here; known are transform
            {"rules": {"a.b": [], "a.b": []}}  | the field 'rules."a.b"' is given twice
            {"rules": {"a.b": [{"transform": {"headers": {"Authorization": true}}}]}} | the field 'rules."a.b"[0].transform.headers.Authorization' must be a string, not true
            {"rules": {"a.b": [{"transform": {"headers": ["x"]}}]}} | the field 'rules."a.b"[0].transform.headers' must be an object, not a list
            {"egressProxy": {"username": "x"}} | the field 'egressProxy.address' is missing
            {"limits": {"bytes": 1.5}}         | the field 'limits.bytes' must be a whole number, not a number with a point or an exponent
            {"limits": {"bytes": "1"}}         | the field 'limits.bytes' must be a whole number, not a string
            "x"                                | the text must be an object, not a string
            null                               | the text must be an object, not null
            """)
    void saysWhereItIsWrongAndWhatStandsThere(String json, String words) {
        assertThatThrownBy(() -> strict(NetworkRules.class, json))
                .isInstanceOf(MalformedJsonException.class)
                .hasMessage(words);
    }

    @Test
    void boundsWhatAHostileTextCanCost() {
        String deep = "{\"a\":".repeat(100_000);
        assertThatThrownBy(() -> RecordJson.read(
                        RunRequest.class, deep.getBytes(StandardCharsets.UTF_8), UnknownFields.PASSED_OVER))
                .isInstanceOf(MalformedJsonException.class)
                .hasMessageContaining("nests deeper");
        String name = "{\"" + "a".repeat(100_000) + "\":1}";
        assertThatThrownBy(() -> strict(RunRequest.class, name)).isInstanceOf(MalformedJsonException.class);
        String number = "{\"leaseSeconds\":" + "9".repeat(100_000) + "}";
        assertThatThrownBy(() -> strict(LeaseRequest.class, number)).isInstanceOf(MalformedJsonException.class);
    }

    @Test
    void survivesTruncationAtEveryByte() {
        byte[] json = RecordJson.write(RunRequest.of("python", "print('é')"));
        for (int length = 0; length < json.length; length++) {
            byte[] cut = java.util.Arrays.copyOf(json, length);
            assertThatThrownBy(() -> RecordJson.read(RunRequest.class, cut, UnknownFields.REFUSED))
                    .isInstanceOf(MalformedJsonException.class);
        }
    }

    @Test
    void writesTrees() {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("a", List.of(1, 2L, true, "x", new LeaseRequest(3)));
        tree.put("b", Map.of());
        assertThat(new String(RecordJson.write(tree), StandardCharsets.UTF_8))
                .isEqualTo("{\"a\":[1,2,true,\"x\",{\"leaseSeconds\":3}],\"b\":{}}");
    }
}
