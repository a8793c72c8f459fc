package dev.glovebox.server.e2b.control;

import dev.glovebox.core.Limits;
import dev.glovebox.core.policy.Policy;
import java.time.Duration;

/// Seconds that a caller wrote, as leases. What is more than there can be is refused, not cut.
final class Timeouts {
    private Timeouts() {}

    static Duration lease(long seconds, Policy policy) {
        if (seconds <= 0) {
            throw ControlError.invalid("Timeout must be greater than 0");
        }
        Duration max = policy.leaseMax().compareTo(Limits.LEASE_MAX) < 0 ? policy.leaseMax() : Limits.LEASE_MAX;
        if (seconds > max.toSeconds()) {
            throw ControlError.invalid(
                    "Timeout cannot be greater than " + words(max) + ", and it is " + seconds + " seconds");
        }
        return Duration.ofSeconds(seconds);
    }

    private static String words(Duration max) {
        return max.toSeconds() % 3600 == 0 ? max.toHours() + " hours" : max.toSeconds() + " seconds";
    }
}
