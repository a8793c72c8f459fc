package dev.glovebox.server.e2b.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class MetadataFilterTest {
    @Test
    void readsWhatClientsSend() {
        // As it is on the wire of the npm client for {"k e": "v&1"}; the server has decoded the query once.
        String query = URLDecoder.decode("k%252520e%3Dv%2525261", StandardCharsets.UTF_8);
        assertThat(MetadataFilter.parse(query)).isEqualTo(Map.of("k e", "v&1"));
        assertThat(MetadataFilter.parse("user%3Da%26app%3Db")).isEqualTo(Map.of("user", "a", "app", "b"));
        assertThat(MetadataFilter.parse("user=a&app=b")).isEqualTo(Map.of("user", "a", "app", "b"));
        assertThat(MetadataFilter.parse("empty%3D")).isEqualTo(Map.of("empty", ""));
        assertThat(MetadataFilter.parse("")).isEmpty();
    }

    @Test
    void refusesWhatIsNoFilter() {
        assertThatThrownBy(() -> MetadataFilter.parse("novalue")).isInstanceOf(ControlError.class);
        assertThatThrownBy(() -> MetadataFilter.parse("=x")).isInstanceOf(ControlError.class);
        assertThatThrownBy(() -> MetadataFilter.parse("a%3D%25zz")).isInstanceOf(ControlError.class);
    }
}
