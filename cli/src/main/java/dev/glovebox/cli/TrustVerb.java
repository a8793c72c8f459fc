package dev.glovebox.cli;

import dev.glovebox.server.TrustTool;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `glovebox trust`: how clients come to trust the certificates of `serve --tls`.
@Command(
        name = "trust",
        description = "Say how clients come to trust the certificates that 'serve --tls' makes.",
        sortOptions = false)
final class TrustVerb implements Callable<Integer> {
    @Mixin
    private Home home = new Home();

    @Option(
            names = "--domain",
            paramLabel = "DOMAIN",
            description = "A domain that it vouches for, if the authority is made now (glovebox.localhost).")
    private List<String> domains = new ArrayList<>();

    @Option(names = "--path", description = "Print the certificate's path and nothing else.")
    private boolean pathOnly;

    @Override
    public Integer call() {
        Path certificate = TrustTool.certificate(home.directory(), domains);
        Messages.say(Messages.safe(pathOnly ? certificate.toString() : text(certificate)));
        return 0;
    }

    private static String text(Path certificate) {
        return """
                The local certificate authority of this Glovebox is
                  %1$s
                It vouches for the domains of this server and the names below them, and for nothing else. It is for
                clients on machines that you trust with this server; with real certificates (--tls-cert, --tls-key)
                nobody needs it.

                Node.js            export NODE_EXTRA_CA_CERTS=%1$s
                Python (httpx)     export SSL_CERT_FILE=%1$s
                Python (requests)  export REQUESTS_CA_BUNDLE=%1$s
                curl               curl --cacert %1$s https://api.glovebox.localhost:8443/health
                Java               keytool -importcert -cacerts -alias glovebox -file %1$s
                Debian, Ubuntu     sudo cp %1$s /usr/local/share/ca-certificates/glovebox.crt
                                   sudo update-ca-certificates
                Firefox, Chrome    Settings, Certificates, Authorities, Import

                SSL_CERT_FILE and REQUESTS_CA_BUNDLE replace the list of the system: with them the program trusts this
                authority alone. Names below localhost lead to this machine in browsers by themselves; other programs
                need systemd-resolved, libnss-myhostname, or a domain of yours (--domain).""".formatted(certificate);
    }
}
