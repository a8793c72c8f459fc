package dev.glovebox.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
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
            description = "A domain of this server: {port}-{sandbox}.DOMAIN is a port of a sandbox, for E2B's clients.")
    private List<String> domains = new ArrayList<>();

    @Option(
            names = "--shared-host",
            paramLabel = "HOST",
            description = "A host where headers say which sandbox is meant (E2B_SANDBOX_URL); localhost and addresses"
                    + " always are.")
    private List<String> sharedHosts = new ArrayList<>();

    @Override
    public Integer call() {
        dev.glovebox.server.Main.serve(new dev.glovebox.server.Main.Options(
                home.directory(), listen, metricsOpen, jailAllowed, domains, sharedHosts));
        return 0;
    }
}
