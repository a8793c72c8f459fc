package dev.glovebox.core.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.GloveboxException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostNameTest {
    @ParameterizedTest
    @CsvSource({
        "api.github.com,api.github.com",
        "API.GitHub.COM,api.github.com",
        "api.github.com.,api.github.com",
        "localhost,localhost",
        "a_b.example.com,a_b.example.com",
        "xn--bcher-kva.example,xn--bcher-kva.example",
        "1.example,1.example",
    })
    void hasOneSpelling(String text, String normal) {
        assertThat(HostName.parse(text)).map(HostName::value).contains(normal);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "a..b",
                ".a",
                "a.b..",
                "-a.com",
                "a-.com",
                "a b.com",
                "a.com/",
                "a.com:80",
                "user@a.com",
                "a.com\u0000.b.com",
                "1.2.3.4",
                "0x7f.0x1",
                "a.0x7f000001",
                "2130706433",
                "a.b.12",
                "*.a.com",
                "bücher.example",
                "\u212aelvin.com",
                "ａpi.github.com",
                "a。com"
            })
    void takesNothingElseForAName(String text) {
        assertThat(HostName.parse(text)).isEmpty();
    }

    @Test
    void boundsLengths() {
        assertThat(HostName.parse("a".repeat(63) + ".com")).isPresent();
        assertThat(HostName.parse("a".repeat(64) + ".com")).isEmpty();
        String longest = "a".repeat(63) + "." + "b".repeat(63) + "." + "c".repeat(63) + "." + "d".repeat(61);
        assertThat(HostName.parse(longest)).isPresent();
        assertThat(HostName.parse(longest + "d")).isEmpty();
    }

    @Test
    void rulesMayBeWrittenInOtherAlphabets() {
        assertThat(HostName.ofRule("Bücher.example")).hasToString("xn--bcher-kva.example");
        assertThat(HostName.ofRule("пример.example")).hasToString("xn--e1afmkfd.example");
        assertThat(HostName.ofRule("日本ひらがな.example").value()).startsWith("xn--");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gіthub.com",
                "ａpi.github.com",
                "api。github.com",
                "a\u200bpi.com",
                "\u212aelvin.com",
                "аpple1а.cоm",
                "fußball.example",
                "bücherß.example",
                "βόλος.example",
                "bü\u200dcher.example",
                "bü\u200ccher.example",
                "bü\u00adcher.example",
                "bü\ufe0fcher.example",
                "bü。evil.example",
                "bü．evil.example",
                "bü｡evil.example",
                "bü／evil.example",
                "＊.example.com",
                "１.example",
                "⒈example.com",
                "a․example.com",
                "xn--bü.example",
                "\u202emoc.elpmaxe"
            })
    void rulesCannotLookLikeOthers(String text) {
        assertThatThrownBy(() -> HostName.ofRule(text))
                .isInstanceOf(GloveboxException.class)
                .message()
                .matches(words -> words.contains("taken for another name")
                        || words.contains("only look like ASCII")
                        || words.contains("read in two ways")
                        || words.contains("is not a host name"));
    }

    @Test
    void starsMatchNamesBelowAndNothingElse() {
        HostPattern pattern = HostPattern.parse("*.pypi.example");
        assertThat(pattern.matches(new HostName("files.pypi.example"))).isTrue();
        assertThat(pattern.matches(new HostName("a.b.pypi.example"))).isTrue();
        assertThat(pattern.matches(new HostName("pypi.example"))).isFalse();
        assertThat(pattern.matches(new HostName("evilpypi.example"))).isFalse();
        assertThat(pattern.matches(new HostName("pypi.example.evil.com"))).isFalse();
        assertThat(pattern).hasToString("*.pypi.example");
        HostPattern one = HostPattern.parse("Pypi.Example");
        assertThat(one.matches(new HostName("pypi.example"))).isTrue();
        assertThat(one.matches(new HostName("files.pypi.example"))).isFalse();
        assertThat(pattern.covers(HostPattern.parse("a.pypi.example"))).isTrue();
        assertThat(pattern.covers(HostPattern.parse("*.a.pypi.example"))).isTrue();
        assertThat(pattern.covers(pattern)).isTrue();
        assertThat(pattern.covers(one)).isFalse();
        assertThat(one.covers(pattern)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "*.com,too wide",
        "*,a star stands only",
        "a.*.com,a star stands only",
        "*a.com,a star stands only",
        "*.*.com,a star stands only",
        "*.,is not a host name",
        "*..com,is not a host name",
        "*.1.2.3.4,is not a host name",
    })
    void refusesStarsElsewhere(String text, String words) {
        assertThatThrownBy(() -> HostPattern.parse(text))
                .isInstanceOf(GloveboxException.class)
                .hasMessageContaining(words);
    }

    @Test
    void whateverIsReadIsReadTheSameAgain() {
        Random random = new Random(2);
        String letters = "abcXYZ019-_.*/:@ \u00fc\u0456\u3002\u0000%";
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int j = random.nextInt(30); j >= 0; j--) {
                text.append(letters.charAt(random.nextInt(letters.length())));
            }
            HostName.parse(text.toString()).ifPresent(name -> {
                assertThat(HostName.parse(name.value())).contains(name);
                assertThat(name.value()).matches("[a-z0-9._-]+");
            });
            try {
                HostPattern pattern = HostPattern.parse(text.toString());
                assertThat(HostPattern.parse(pattern.toString())).isEqualTo(pattern);
            } catch (GloveboxException e) {
                assertThat(e.getMessage()).matches("[\\x20-\\x7e]+");
            }
        }
    }
}
