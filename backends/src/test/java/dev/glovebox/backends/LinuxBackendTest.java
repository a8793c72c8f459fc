package dev.glovebox.backends;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Tier;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinuxBackendTest {
    @TempDir
    private Path home;

    @Test
    void isReadyWhenTheTemplateThatNobodyNamesIsThere() {
        Set<String> built = ConcurrentHashMap.newKeySet();
        try (Supervision supervision = new Supervision(home, home);
                LinuxBackend backend = LinuxBackend.open(new LinuxOptions(
                        supervision,
                        name -> built.contains(name) ? Optional.of(home.resolve(name)) : Optional.empty(),
                        Optional.empty(),
                        Map.of(),
                        true))) {
            built.add("base");
            assertThat(backend.isReady(Tier.GVISOR)).isFalse();
            built.add("code");
            assertThat(backend.isReady(Tier.GVISOR)).isTrue();
            assertThat(backend.isReady(Tier.JAIL)).isTrue();
        }
    }
}
