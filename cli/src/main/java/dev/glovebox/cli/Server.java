package dev.glovebox.cli;

import dev.glovebox.sdk.Glovebox;
import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Which server a command speaks to. A mixin for the verbs that need one.
final class Server {
    @Mixin
    private Home home = new Home();

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "A server elsewhere, with the key in GLOVEBOX_API_KEY (GLOVEBOX_URL, unless one runs here).")
    private @Nullable String url;

    Home home() {
        return home;
    }

    /// The server that `--url` names, else the one on this machine, else the one that `GLOVEBOX_URL` names.
    Optional<Glovebox> find() {
        if (url != null) {
            return Optional.of(remote(url));
        }
        Optional<Glovebox> local = Glovebox.connectIfServed(home.socket());
        if (local.isPresent()) {
            return local;
        }
        String fromEnvironment = System.getenv("GLOVEBOX_URL");
        return fromEnvironment == null || fromEnvironment.isEmpty()
                ? Optional.empty()
                : Optional.of(remote(fromEnvironment));
    }

    Glovebox require() {
        return find().orElseThrow(() -> new IllegalStateException("no server runs here (none answers at "
                + home.socket() + "): start one with 'glovebox serve', or name one with --url"));
    }

    private static Glovebox remote(String address) {
        String key = System.getenv("GLOVEBOX_API_KEY");
        if (key == null || key.isEmpty()) {
            throw new IllegalArgumentException("a server at a URL needs an API key in GLOVEBOX_API_KEY");
        }
        return Glovebox.connect(URI.create(address), key);
    }
}
