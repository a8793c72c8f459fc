package dev.glovebox.cli;

import dev.glovebox.server.Main;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `glovebox serve`: the service, until a signal ends it.
@Command(name = "serve", description = "Run the service until it is ended (Ctrl-C).", sortOptions = false)
final class ServeVerb implements Callable<Integer> {
    @Mixin
    private Home home = new Home();

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:7070",
            description = "Where to listen (${DEFAULT-VALUE}); port 0 takes any that is free.")
    private String listen = "127.0.0.1:7070";

    @Option(names = "--metrics-open", description = "Show /metrics without a key.")
    private boolean metricsOpen;

    @Option(
            names = "--allow-jail",
            description = "Let tenants name the tier jail, which shares the host's kernel: for code you half trust.")
    private boolean jailAllowed;

    @Option(
            names = "--domain",
            paramLabel = "DOMAIN",
            description =
                    "A domain of this server: {port}-{sandbox}.DOMAIN is a port of a sandbox, api.DOMAIN the API for"
                            + " E2B's clients (glovebox.localhost).")
    private List<String> domains = new ArrayList<>();

    @Option(
            names = "--shared-host",
            paramLabel = "HOST",
            description = "A host where headers say which sandbox is meant (E2B_SANDBOX_URL); localhost and addresses"
                    + " always are.")
    private List<String> sharedHosts = new ArrayList<>();

    @Option(
            names = "--tls",
            paramLabel = "HOST:PORT",
            description = "Where to speak TLS too; with certificates of the local authority ('glovebox trust') unless"
                    + " files are given.")
    private @Nullable String tls;

    @Option(names = "--tls-cert", paramLabel = "FILE", description = "The server's certificate and its chain, in PEM.")
    private @Nullable Path certificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "The certificate's private key, in PEM.")
    private @Nullable Path key;

    @Override
    public Integer call() {
        Main.serve(new Main.Options(
                home.directory(), listen, metricsOpen, jailAllowed, new Main.Names(domains, sharedHosts), tls()));
        return 0;
    }

    private Optional<Main.Tls> tls() {
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException("--tls-cert and --tls-key belong together");
        }
        if (tls == null && certificate != null) {
            throw new IllegalArgumentException("--tls-cert needs --tls HOST:PORT");
        }
        Optional<Main.CertificateFiles> files = certificate == null || key == null
                ? Optional.empty()
                : Optional.of(new Main.CertificateFiles(certificate, key));
        return Optional.ofNullable(tls).map(address -> new Main.Tls(address, files));
    }
}
