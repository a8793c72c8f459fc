package dev.glovebox.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.sdk.ApiException;
import dev.glovebox.wire.api.NetworkRules;
import java.util.List;
import org.junit.jupiter.api.Test;

class PolicyToolTest {
    @Test
    void saysWhichEntriesOpenNothing() {
        assertThat(PolicyTool.closedEntries(
                        NetworkRules.allowing(List.of("a.example", "10.0.0.1:5432", "localhost", "1.2.3.4"))))
                .satisfiesExactly(
                        first -> assertThat(first)
                                .contains("entry 10.0.0.1:5432 opens nothing", "private network", "tunnel put"),
                        second -> assertThat(second)
                                .contains("entry localhost opens nothing", "machine itself", "tunnel put"));
    }

    @Test
    void refusesRulesThatAreNoneInTheWordsOfAServer() {
        assertThatThrownBy(() -> PolicyTool.closedEntries(NetworkRules.allowing(List.of("*"))))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("ALL_TRAFFIC");
    }
}
