package dev.glovebox.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GuestPathTest {
    @ParameterizedTest
    @CsvSource({
        "/, /",
        "//, /",
        "/a, /a",
        "/a/, /a",
        "/a//b, /a/b",
        "/./a/./b/., /a/b",
        "/a/../b, /b",
        "/.., /",
        "/../../etc/passwd, /etc/passwd",
        "/a/b/../../../c, /c",
        "/..a/b.., /..a/b..",
        "/.../x, /.../x",
        "'/ /x', '/ /x'",
    })
    void normalisesAsText(String given, String expected) {
        assertThat(new GuestPath(given).value()).isEqualTo(expected);
    }

    @Test
    void normalisingTwiceIsNormalisingOnce() {
        GuestPath once = new GuestPath("/a/../../b//c/.");
        assertThat(new GuestPath(once.value())).isEqualTo(once);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "./a", "../a", "~", "C:\\x", "\\a", " /a", "a\0"})
    void refusesWhatIsNotAbsolute(String given) {
        GloveboxException refusal = catchThrowableOfType(GloveboxException.class, () -> new GuestPath(given));
        assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(refusal).hasMessageContaining("is absolute and begins with '/'");
    }

    @Test
    void refusesANulCharacter() {
        GloveboxException refusal = catchThrowableOfType(GloveboxException.class, () -> new GuestPath("/a\0b"));
        assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(refusal).hasMessageContaining("NUL");
    }

    @Test
    void countsItsBoundInBytes() {
        String longest = "/" + "a".repeat(Limits.PATH_BYTES_MAX - 1);
        assertThat(new GuestPath(longest).value()).isEqualTo(longest);
        GloveboxException refusal =
                catchThrowableOfType(GloveboxException.class, () -> new GuestPath("/" + "é".repeat(2048)));
        assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(refusal).hasMessageContaining("4097 bytes").hasMessageContaining("4096");
    }

    @ParameterizedTest
    @CsvSource({
        "x, /home/user/x",
        "./x, /home/user/x",
        "../x, /home/x",
        "../../../../x, /x",
        "/x, /x",
        "'', /home/user",
        ".., /home",
    })
    void resolvesAsAUserWrites(String given, String expected) {
        assertThat(GuestPath.resolve(GuestPath.HOME, given).value()).isEqualTo(expected);
    }

    @Test
    void theLastPartIsTheName() {
        assertThat(new GuestPath("/a/b.txt").fileName()).isEqualTo("b.txt");
        assertThat(GuestPath.ROOT.fileName()).isEmpty();
    }
}
