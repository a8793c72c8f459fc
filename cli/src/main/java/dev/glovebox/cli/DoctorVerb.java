package dev.glovebox.cli;

import dev.glovebox.sdk.RecordJson;
import dev.glovebox.server.Doctor;
import dev.glovebox.wire.api.TierList;
import dev.glovebox.wire.api.TierResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `glovebox doctor`: which tiers work here.
@Command(
        name = "doctor",
        description = "Say which tiers work on this machine and, for each that does not, why and the remedy.",
        sortOptions = false)
final class DoctorVerb implements Callable<Integer> {
    @Mixin
    private Home home = new Home();

    @Option(names = "--json", description = "Answer as JSON.")
    private boolean json;

    @Override
    public Integer call() {
        List<TierResponse> tiers = Doctor.tiers(home.directory());
        if (json) {
            Messages.say(new String(RecordJson.write(new TierList(tiers)), StandardCharsets.UTF_8));
        } else {
            tiers.forEach(DoctorVerb::show);
        }
        return tiers.stream().anyMatch(TierResponse::available) ? 0 : Main.FAILED;
    }

    private static void show(TierResponse tier) {
        String name = tier.tier() + " ".repeat(Math.max(1, 9 - tier.tier().length()));
        Messages.say((tier.available() ? "yes  " : "no   ") + name + Messages.safe(tier.why()));
        if (!tier.available() && !tier.remedy().isEmpty()) {
            Messages.say("              remedy: " + Messages.safe(tier.remedy()));
        }
    }
}
