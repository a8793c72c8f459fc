package dev.glovebox.wire.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The numbers that travel, one by one: none ever changes its meaning. Who adds one adds it here.
class ProtocolNumbersTest {
    private static final String TYPES = """
            1 HELLO, 2 WELCOME, 3 OPEN, 4 DATA, 5 END, 6 CREDIT, 7 CLOSE, 8 CONTROL, 9 CANCEL, 10 PING, 11 PONG,
            12 GOODBYE, 13 SHARED""";

    private static final String KINDS = """
            1 PROCESS, 2 STAT, 3 LIST, 4 READ, 5 WRITE, 6 MAKE_DIRECTORY, 7 MOVE, 8 REMOVE, 9 WATCH, 10 CONNECT,
            11 CONTEXT_OPEN, 12 EXECUTE, 13 CONTEXT_CLOSE, 14 METRICS, 15 CONFIGURE, 16 FREEZE, 17 THAW, 18 SPAWN,
            19 NETWORK, 20 OUTBOUND""";

    private static final String STATUSES = """
            0 OK, 1 INVALID, 2 NOT_FOUND, 3 ALREADY_EXISTS, 4 NOT_A_DIRECTORY, 5 IS_A_DIRECTORY, 6 NOT_EMPTY,
            7 PERMISSION, 8 NO_SPACE, 9 TOO_MANY, 10 UNSUPPORTED, 11 CANCELLED, 12 FAILED""";

    private static final String TAGS = """
            1 VERSION, 2 TOKEN, 3 AGENT, 4 CAPABILITY, 10 STATUS, 11 MESSAGE, 20 ARGUMENT, 21 ENVIRONMENT,
            22 DIRECTORY, 23 USER, 24 COLUMNS, 25 ROWS, 26 LANGUAGE, 27 CODE, 28 SIGNAL, 29 INTERRUPT, 30 STDIN_OPEN,
            31 FILE_NAME, 40 WALL_MILLIS, 41 CPU_MILLIS, 42 MEMORY_BYTES, 43 OUTPUT_BYTES, 44 DISK_BYTES,
            45 FILE_COUNT, 50 OUTCOME, 51 EXIT_CODE, 52 RULE, 53 REASON, 54 USED_WALL_MICROS, 55 USED_CPU_MICROS,
            56 USED_MEMORY_BYTES, 57 USED_OUTPUT_BYTES, 60 PATH, 61 TARGET_PATH, 62 FILE_TYPE, 63 FILE_SIZE,
            64 FILE_MODE, 65 FILE_MODIFIED, 66 LINK_TARGET, 67 RECURSIVE, 68 OFFSET, 69 LENGTH, 70 DEPTH, 71 PORT,
            80 CONTEXT, 81 MAIN_RESULT, 82 MIME_TYPE, 83 MIME_CONTENT, 84 ERROR_NAME, 85 ERROR_VALUE,
            86 ERROR_TRACEBACK, 90 TEMPLATE, 91 TIER, 92 SANDBOX, 93 ENTROPY, 94 CLOCK_MICROS, 95 POOLED,
            96 PHASE_MICROS, 97 MORE, 98 CONTEXT_LOST, 99 STARTED, 100 PROCESS_ID, 101 QUEUED_MICROS, 102 SANDBOXES,
            103 RUNNING, 104 QUEUED, 105 WARM, 106 USED_DISK_BYTES, 107 USED_FILES,
            108 FILE_OWNER, 109 FILE_GROUP, 110 XATTRS, 111 XATTR_NAME, 112 XATTR_VALUE, 113 WATCH_EVENT,
            114 PEAK_MEMORY_BYTES, 115 CONNECTION, 116 HOST, 117 TRUST, 118 SHARED""";

    @Test
    void pinsTheNumbersOfFrameTypes() {
        assertThat(numbers(FrameType.values(), FrameType::code)).isEqualTo(numbers(TYPES));
        for (FrameType type : FrameType.values()) {
            assertThat(FrameType.ofCode(type.code())).isSameAs(type);
        }
    }

    @Test
    void pinsTheNumbersOfRequestKinds() {
        assertThat(numbers(RequestKind.values(), RequestKind::code)).isEqualTo(numbers(KINDS));
        for (RequestKind kind : RequestKind.values()) {
            assertThat(RequestKind.ofCode(kind.code())).isSameAs(kind);
        }
    }

    @Test
    void pinsTheNumbersOfStatuses() {
        assertThat(numbers(Status.values(), Status::code)).isEqualTo(numbers(STATUSES));
        for (Status status : Status.values()) {
            assertThat(Status.ofCode(status.code())).isSameAs(status);
        }
    }

    @Test
    void pinsTheNumbersOfTags() {
        assertThat(numbers(Tag.values(), Tag::code)).isEqualTo(numbers(TAGS));
        for (Tag tag : Tag.values()) {
            assertThat(Tag.ofCode(tag.code())).isSameAs(tag);
        }
    }

    @Test
    void pinsTheBoundsOfTheEncoding() {
        assertThat(Protocol.VERSION).isEqualTo(1);
        assertThat(Protocol.HEADER_BYTES).isEqualTo(12);
        assertThat(Protocol.PAYLOAD_BYTES_MAX).isEqualTo(65_536);
        assertThat(Protocol.INITIAL_CREDIT_BYTES).isEqualTo(262_144);
        assertThat(Protocol.CREDIT_BYTES_MAX).isEqualTo(1_073_741_824);
        assertThat(Protocol.CHANNELS_MAX).isEqualTo(1024);
        assertThat(Protocol.RECORD_BYTES_MAX).isEqualTo(16_777_216);
        assertThat(Protocol.CONTROL_CHANNEL).isZero();
        assertThat(List.of(Protocol.STDIN, Protocol.STDOUT, Protocol.STDERR, Protocol.RECORDS, Protocol.CONTENT))
                .containsExactly(0, 1, 2, 3, 4);
        assertThat(Protocol.STREAMS_MAX).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 21, 255, 65_535, Integer.MAX_VALUE})
    void refusesRequestKindsThatDoNotExist(int code) {
        assertThatThrownBy(() -> RequestKind.ofCode(code))
                .isInstanceOf(ProtocolException.class)
                .hasMessage("request kind " + code + " does not exist");
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 13, 256, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 32})
    void takesAStatusThatItDoesNotKnowForAFailure(long code) {
        assertThat(Status.ofCode(code)).isSameAs(Status.FAILED);
    }

    @Test
    void knowsNoTagsBetweenTheNumbers() {
        assertThat(Tag.ofCode(-1)).isNull();
        assertThat(Tag.ofCode(0)).isNull();
        assertThat(Tag.ofCode(5)).isNull();
        assertThat(Tag.ofCode(119)).isNull();
    }

    // ---- the page says the same

    @Test
    void agreesWithThePageOnFrameTypes() throws IOException {
        Map<Integer, String> onPage = found("(?m)^\\| ([A-Z]+) \\| (\\d+) \\| (?:agent|host|both) \\|", 2, 1);
        assertThat(onPage).isEqualTo(numbers(TYPES));
    }

    @Test
    void agreesWithThePageOnRequestKinds() throws IOException {
        String headings = page().lines().filter(line -> line.startsWith("### ")).collect(Collectors.joining("\n"));
        assertThat(found(headings, "(\\d+) ([A-Z_]+)", 1, 2)).isEqualTo(numbers(KINDS));
    }

    @Test
    void agreesWithThePageOnStatuses() throws IOException {
        String page = page();
        int start = page.indexOf("STATUS: 0 OK");
        String statuses = page.substring(start, page.indexOf("\n\n", start));
        assertThat(found(statuses, "(\\d+) ([A-Z_]{2,})", 1, 2)).isEqualTo(numbers(STATUSES));
    }

    @Test
    void agreesWithThePageOnStreams() throws IOException {
        assertThat(found("(?m)^\\| ([A-Z]+) \\| (\\d) \\| to the", 2, 1))
                .isEqualTo(numbers("0 STDIN, 1 STDOUT, 2 STDERR, 3 RECORDS, 4 CONTENT"));
    }

    @Test
    void namesNoFieldOnThePageThatDoesNotExist() throws IOException {
        String page = page();
        for (Tag tag : Tag.values()) {
            if (tag != Tag.PORT) {
                assertThat(page)
                        .as("PORT belongs to CONNECT, which no agent does yet")
                        .contains(tag.name());
            }
        }
    }

    private static Map<Integer, String> numbers(String list) {
        return found(list, "(\\d+) ([A-Z_]+)", 1, 2);
    }

    private static <T extends Enum<T>> Map<Integer, String> numbers(T[] values, ToIntFunction<T> code) {
        return Arrays.stream(values)
                .collect(Collectors.toMap(code::applyAsInt, Enum::name, (a, b) -> a + "," + b, TreeMap::new));
    }

    private static Map<Integer, String> found(String pattern, int number, int name) throws IOException {
        return found(page(), pattern, number, name);
    }

    private static Map<Integer, String> found(String text, String pattern, int number, int name) {
        Function<MatchResult, Integer> key = match -> Integer.valueOf(match.group(number));
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .collect(Collectors.toMap(
                        key, match -> match.group(name), (a, b) -> a.equals(b) ? a : a + "," + b, TreeMap::new));
    }

    private static String page() throws IOException {
        return Files.readString(Path.of(System.getProperty("glovebox.root"), "docs/agent-protocol.md"));
    }
}
