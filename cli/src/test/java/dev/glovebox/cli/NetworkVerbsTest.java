package dev.glovebox.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.wire.api.NetworkRules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/// The verbs about networks, as far as they need no server.
class NetworkVerbsTest {
    @TempDir
    private Path home;

    private Path policy(String json) throws IOException {
        return Files.writeString(home.resolve("policy.json"), json);
    }

    private static int execute(String... arguments) {
        return Main.execute(arguments);
    }

    @ParameterizedTest
    @CsvSource({
        "api.example.com,443,0",
        "api.example.com,8443,1",
        "evil.example,443,1",
        "1.2.3.4,5432,0",
        "1.2.3.4,5433,1",
        "10.0.0.1,443,1",
        "orders-db.tunnel,5432,0",
        "other.tunnel,5432,1",
        "api.example.com,0,2",
        "api.example.com,70000,2",
        "api.example.com,http,2",
        "not a name,443,2",
    })
    void explainsWhatAPolicyWouldDecide(String host, String port, int status) throws IOException {
        Path file = policy("{\"allowOut\": [\"api.example.com\", \"1.2.3.4:5432\"], \"tunnels\": [\"orders-db\"]}");
        assertThat(execute("policy", "explain", file.toString(), host, port)).isEqualTo(status);
    }

    @Test
    void explainsUdpToo() throws IOException {
        String file = policy("{\"allowOut\": [\"udp://1.2.3.4:123\"]}").toString();
        assertThat(execute("policy", "explain", "--udp", file, "1.2.3.4", "123"))
                .isZero();
        assertThat(execute("policy", "explain", file, "1.2.3.4", "123")).isEqualTo(1);
    }

    @Test
    void refusesPoliciesThatAreNone() throws IOException {
        assertThat(execute("policy", "explain", home.resolve("nowhere").toString(), "a.example", "443"))
                .isEqualTo(Main.USAGE);
        assertThat(execute("policy", "explain")).isEqualTo(Main.USAGE);
        assertThat(execute("policy", "explain", policy("{\"allowout\": []}").toString(), "a.example", "443"))
                .isEqualTo(Main.USAGE);
        assertThat(execute("policy", "explain", policy("{\"denyOut\": [\"x\"]}").toString(), "a.example", "443"))
                .isEqualTo(Main.USAGE);
        assertThat(execute("policy", "schema")).isZero();
        Path broken = policy("{\"limits\": {\"byte\": 1}}");
        assertThatThrownBy(() -> NetworkOptions.read(broken))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("policy.json", "'limits.byte' is not known here", "bytesPerSecond");
        Path meaningless = policy("{\"allowOut\": [\"a.example\", \"udp://b.example:1\"]}");
        assertThatThrownBy(() -> NetworkOptions.read(meaningless))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("policy.json", "the field 'allowOut[1]': ", "udp://b.example:1");
    }

    @Test
    void entriesAndAPolicyAddUp() throws IOException {
        NetworkOptions options = new NetworkOptions();
        CommandLine line = new CommandLine(CommandLine.Model.CommandSpec.create()
                .addMixin("network", CommandLine.Model.CommandSpec.forAnnotatedObject(options)));
        line.parseArgs();
        assertThat(options.toWire()).isNull();
        line.parseArgs("--allow", "a.example", "--allow", "1.2.3.4:5432");
        assertThat(options.toWire()).isEqualTo(NetworkRules.allowing(List.of("a.example", "1.2.3.4:5432")));
        String file = policy("{\"allowOut\": [\"b.example\"], \"denyOut\": [\"ALL_TRAFFIC\"]}")
                .toString();
        line.parseArgs("--network", file, "--allow", "a.example");
        NetworkRules both = Objects.requireNonNull(options.toWire());
        assertThat(both.allowOut()).containsExactly("b.example", "a.example");
        assertThat(both.denyOut()).containsExactly("ALL_TRAFFIC");
    }

    @Test
    void refusesWrongCallsBeforeItAsksAnybody() throws IOException {
        String file = policy("{}").toString();
        assertThat(execute("net", "--close", "--allow", "a.example", "i0")).isEqualTo(Main.USAGE);
        assertThat(execute("net")).isEqualTo(Main.USAGE);
        assertThat(execute("secret", "put", "KEY")).isEqualTo(Main.USAGE);
        assertThat(execute("secret", "put", "--host", "a.example")).isEqualTo(Main.USAGE);
        assertThat(execute("secret", "put", "KEY", "value", "--host", "a.example"))
                .as("a value is never an argument")
                .isEqualTo(Main.USAGE);
        assertThat(execute("secret", "remove")).isEqualTo(Main.USAGE);
        assertThat(execute("tunnel", "put", "db")).isEqualTo(Main.USAGE);
        assertThat(execute("tunnel", "put", "db", "10.0.0.1")).isEqualTo(Main.USAGE);
        assertThat(execute("tunnel", "put", "db", "10.0.0.1:0")).isEqualTo(Main.USAGE);
        assertThat(execute("tunnel", "remove")).isEqualTo(Main.USAGE);
        assertThat(execute("net", "i0", "--network", file, "--home", home.toString()))
                .isEqualTo(Main.FAILED);
        assertThat(execute("secret", "list", "--home", home.toString())).isEqualTo(Main.FAILED);
        assertThat(execute("tunnel", "list", "--home", home.toString())).isEqualTo(Main.FAILED);
    }
}
