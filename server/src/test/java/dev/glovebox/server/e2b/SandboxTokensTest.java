package dev.glovebox.server.e2b;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.SandboxId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SandboxTokensTest {
    private static final SandboxId ONE = new SandboxId("iabcdefghij0123456789");
    private static final SandboxId OTHER = new SandboxId("i9876543210jihgfedcba");

    @Test
    void eachFitsOneSandboxAndOnePurpose() {
        SandboxTokens tokens = new SandboxTokens(new byte[32]);
        Set<String> all = new HashSet<>(
                Set.of(tokens.access(ONE), tokens.traffic(ONE), tokens.access(OTHER), tokens.traffic(OTHER)));
        assertThat(all).hasSize(4).allMatch(token -> token.matches("[0-9a-f]{64}"));
        assertThat(tokens.isAccess(ONE, tokens.access(ONE))).isTrue();
        assertThat(tokens.isTraffic(ONE, tokens.traffic(ONE))).isTrue();
        all.remove(tokens.access(ONE));
        assertThat(all).noneMatch(token -> tokens.isAccess(ONE, token));
        assertThat(tokens.isAccess(ONE, null)).isFalse();
        assertThat(tokens.isAccess(ONE, "")).isFalse();
        assertThat(tokens.isTraffic(ONE, tokens.traffic(ONE) + "0")).isFalse();
        byte[] key = new byte[32];
        key[0] = 1;
        assertThat(new SandboxTokens(key).access(ONE)).isNotEqualTo(tokens.access(ONE));
    }

    @Test
    void keepTheirKeyForTheOwnerAlone(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("tokens.key");
        SandboxTokens made = SandboxTokens.open(file, new SecureRandom());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(Files.size(file)).isEqualTo(32);
        assertThat(SandboxTokens.open(file, new SecureRandom()).access(ONE)).isEqualTo(made.access(ONE));
        Files.write(file, new byte[3]);
        assertThatThrownBy(() -> SandboxTokens.open(file, new SecureRandom()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("tokens.key");
    }
}
