package dev.glovebox.backends;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Language;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.Requirements;
import dev.glovebox.core.egress.NetworkGrant;
import dev.glovebox.wire.agent.Tag;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class RequestsTest {
    private static List<String> variables(Map<String, String> template, Map<String, String> own) {
        SecureRandom random = new SecureRandom();
        Requirements requirements = new Requirements(
                SandboxId.random(random),
                TenantId.DEFAULT,
                Tier.JAIL,
                Language.PYTHON,
                Optional.of("geo"),
                ResourceLimits.DEFAULT,
                own,
                NetworkGrant.CLOSED,
                false);
        return Requests.configureLinux(requirements, template, random).texts(Tag.ENVIRONMENT);
    }

    @Test
    void aLinuxSandboxHasTheVariablesOfItsTemplateAndItsOwnAreStronger() {
        assertThat(variables(Map.of("GEO", "template", "MORE", "m"), Map.of("GEO", "mine", "OWN", "o")))
                .containsExactlyInAnyOrder("GEO=mine", "MORE=m", "OWN=o");
        assertThat(variables(Map.of(), Map.of())).isEmpty();
    }
}
