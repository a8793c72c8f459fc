package dev.glovebox.server.tls;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.util.stream.Stream;

/// Finds addresses of names as the JDK does, and names of addresses never. Helidon asks for the name of whoever begins
/// TLS, on the thread that serves him: he would decide whose name server we ask and wait for. Found as a service.
public final class NoReverseLookup extends InetAddressResolverProvider {
    @Override
    public InetAddressResolver get(Configuration configuration) {
        InetAddressResolver builtin = configuration.builtinResolver();
        return new InetAddressResolver() {
            @Override
            public Stream<InetAddress> lookupByName(String host, LookupPolicy policy) throws UnknownHostException {
                return builtin.lookupByName(host, policy);
            }

            @Override
            public String lookupByAddress(byte[] address) throws UnknownHostException {
                return InetAddress.getByAddress(address).getHostAddress();
            }
        };
    }

    @Override
    public String name() {
        return "glovebox: no reverse lookup";
    }
}
