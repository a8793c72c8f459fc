package dev.glovebox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.wire.api.LimitSet;
import dev.glovebox.wire.api.NetworkResponse;
import dev.glovebox.wire.api.NetworkRules;
import dev.glovebox.wire.api.NetworkUsageReport;
import dev.glovebox.wire.api.SandboxResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What `ps` and `net` print.
class ListingsTest {
    private static String row(String template) {
        return PsVerb.row(new SandboxResponse(
                "iaaaaaaaaaaaaaaaaaaaa",
                "gvisor",
                "asked for by name",
                "python",
                template,
                "running",
                null,
                "2026-01-02T03:04:05.678901Z",
                "2026-01-02T03:14:05.678901Z",
                new LimitSet(null, null, null, null, null, null),
                Map.of()));
    }

    @Test
    void aSandboxIsOneRow() {
        assertThat(row("code")).matches("iaaaaaaaaaaaaaaaaaaaa +gvisor +code +python +running +2026-01-02T03:14:05Z");
        assertThat(row("")).contains(" gvisor   -  ");
    }

    @Test
    void aNetworkShowsItsLimits() {
        NetworkRules rules = new NetworkRules(
                null,
                null,
                List.of("a.example"),
                List.of("ALL_TRAFFIC"),
                null,
                null,
                null,
                new NetworkRules.NetworkLimitSet(64, 100, 10_485_760L, 0L));
        assertThat(NetVerb.text(new NetworkResponse(rules, new NetworkUsageReport(0, 0, 0, 0, 0)))
                        .lines())
                .contains(
                        "allow   a.example",
                        "limits  64 connections at once, 100 connections a second, 10.0 MiB a second each way, any amount");
        assertThat(NetVerb.limits(new NetworkRules.NetworkLimitSet(null, null, 0L, 1_048_576L)))
                .isEqualTo("any rate, 1.0 MiB in all");
    }
}
