package dev.glovebox.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.sdk.Contents;
import dev.glovebox.wire.api.Content;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class Utf8SplitterTest {
    @Test
    void keepsTextTextWhereverItIsCut() {
        byte[] text = "aé日\uD83D\uDE80z".getBytes(StandardCharsets.UTF_8);
        for (int cut = 0; cut <= text.length; cut++) {
            Utf8Splitter splitter = new Utf8Splitter();
            StringBuilder all = new StringBuilder();
            splitter.push(Arrays.copyOf(text, cut)).map(Content::text).ifPresent(all::append);
            splitter.push(Arrays.copyOfRange(text, cut, text.length))
                    .map(Content::text)
                    .ifPresent(all::append);
            assertThat(splitter.finish()).isEmpty();
            assertThat(all).hasToString("aé日\uD83D\uDE80z");
        }
    }

    @Test
    void losesNoByteOfAnything() {
        Random random = new Random(3);
        for (int round = 0; round < 500; round++) {
            Utf8Splitter splitter = new Utf8Splitter();
            ByteArrayOutputStream in = new ByteArrayOutputStream();
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            for (int i = 0; i < 5; i++) {
                byte[] noise = new byte[random.nextInt(8)];
                random.nextBytes(noise);
                in.writeBytes(noise);
                splitter.push(noise).map(Contents::bytes).ifPresent(out::writeBytes);
            }
            splitter.finish().map(Contents::bytes).ifPresent(out::writeBytes);
            assertThat(out.toByteArray()).isEqualTo(in.toByteArray());
        }
    }
}
