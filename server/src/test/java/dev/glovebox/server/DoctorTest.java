package dev.glovebox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.TierStatus;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class DoctorTest {
    private static String remedyForMicrovm(TierStatus... found) {
        List<TierStatus> all = Doctor.complete(Arrays.asList(found));
        assertThat(all).extracting(TierStatus::tier).containsExactly(Tier.values());
        return all.stream()
                .filter(status -> status.tier() == Tier.MICROVM)
                .findFirst()
                .orElseThrow()
                .remedy();
    }

    private static TierStatus status(Tier tier, boolean works) {
        return new TierStatus(tier, works, "because", works ? "" : "do something");
    }

    @Test
    void advisesWhatWorksHereInsteadOfATierWithoutABackend() {
        assertThat(remedyForMicrovm(
                        status(Tier.WASM, true),
                        status(Tier.ISOLATE, true),
                        status(Tier.JAIL, true),
                        status(Tier.GVISOR, true)))
                .isEqualTo("use the tier gvisor or wasm or isolate");
        assertThat(remedyForMicrovm(status(Tier.WASM, true), status(Tier.JAIL, true), status(Tier.GVISOR, false)))
                .isEqualTo("use the tier wasm");
        assertThat(remedyForMicrovm(status(Tier.WASM, false))).isEqualTo("follow the remedy of another tier");
    }
}
