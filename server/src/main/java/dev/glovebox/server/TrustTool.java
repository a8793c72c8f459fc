package dev.glovebox.server;

import dev.glovebox.server.e2b.traffic.TrafficHosts;
import dev.glovebox.server.tls.LocalAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;

/// The local certificate authority, for `glovebox trust`.
public final class TrustTool {
    /// The domain of a server that was given none. Every name below `localhost` means this machine to browsers, and to
    /// whoever has them ask systemd-resolved or nss-myhostname.
    public static final String DOMAIN = "glovebox.localhost";

    private TrustTool() {}

    /// The certificate to trust; made if it is missing.
    ///
    /// @param domains that it vouches for if it is made now; empty for [#DOMAIN]
    public static Path certificate(Path home, List<String> domains) {
        HomeDirectory directory = HomeDirectory.make(home);
        Path certificate = LocalAuthority.certificateFile(directory.tls());
        if (!Files.exists(certificate)) {
            List<String> names = domains.isEmpty() ? List.of(DOMAIN) : domains;
            LocalAuthority.open(
                    directory.tls(),
                    TrafficHosts.of(names, List.of()).domains(),
                    Clock.systemUTC(),
                    new SecureRandom());
        }
        return certificate;
    }
}
