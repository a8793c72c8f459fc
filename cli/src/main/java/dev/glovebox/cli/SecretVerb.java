package dev.glovebox.cli;

import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.RecordJson;
import dev.glovebox.wire.api.SecretList;
import dev.glovebox.wire.api.SecretRequest;
import dev.glovebox.wire.api.SecretResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `glovebox secret`: what is sent on behalf of sandboxes and never enters them. The value is read from standard input
/// only: arguments are in the history of the shell and in the list of processes.
@Command(
        name = "secret",
        description = "Put, list or remove secrets; the value to put is read from standard input.",
        sortOptions = false)
final class SecretVerb implements Callable<Integer> {
    /// Far more than any server takes: what is larger is a mistake.
    private static final int VALUE_BYTES_MAX = 64 * 1024;

    private enum Action {
        PUT,
        LIST,
        REMOVE
    }

    @Mixin
    private Server server = new Server();

    @Option(
            names = "--host",
            paramLabel = "HOST",
            description = "A host that it may be sent to, such as api.example.com; may be repeated.")
    private List<String> hosts = new ArrayList<>();

    @Option(names = "--json", description = "Answer as JSON.")
    private boolean json;

    @Parameters(index = "0", paramLabel = "put|list|remove", description = "What to do.")
    private Action action = Action.LIST;

    @Parameters(index = "1", arity = "0..1", paramLabel = "NAME", description = "The secret to put or to remove.")
    private @Nullable String name;

    @Override
    public Integer call() throws IOException {
        switch (action) {
            case PUT -> put(named());
            case LIST -> {
                try (Glovebox client = server.require()) {
                    list(client.secrets().list());
                }
            }
            case REMOVE -> {
                String removed = named();
                try (Glovebox client = server.require()) {
                    client.secrets().remove(removed);
                }
            }
        }
        return 0;
    }

    private String named() {
        if (name == null) {
            throw new IllegalArgumentException("name the secret: 'glovebox secret list' shows all");
        }
        return name;
    }

    private void put(String named) throws IOException {
        if (hosts.isEmpty()) {
            throw new IllegalArgumentException("say with --host which hosts the secret may be sent to");
        }
        try (Glovebox client = server.require()) {
            SecretResponse kept = client.secrets().put(named, new SecretRequest(hosts, value()));
            if (json) {
                Messages.say(new String(RecordJson.write(kept), StandardCharsets.UTF_8));
            }
        }
    }

    /// Without the line end that `echo` and editors add.
    private static String value() throws IOException {
        byte[] bytes = System.in.readNBytes(VALUE_BYTES_MAX + 1);
        if (bytes.length > VALUE_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "the secret on standard input has more than " + VALUE_BYTES_MAX + " bytes");
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return text.endsWith("\r\n")
                    ? text.substring(0, text.length() - 2)
                    : text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("the secret on standard input is not text: encode it", e);
        }
    }

    private void list(List<SecretResponse> secrets) {
        if (json) {
            Messages.say(new String(RecordJson.write(new SecretList(secrets)), StandardCharsets.UTF_8));
            return;
        }
        for (SecretResponse secret : secrets) {
            Messages.say(Messages.safe(
                    String.join("  ", secret.name(), secret.updatedAt(), String.join(" ", secret.hosts()))));
        }
    }
}
