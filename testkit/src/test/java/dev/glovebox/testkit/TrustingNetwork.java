package dev.glovebox.testkit;

import dev.glovebox.core.PortPeer;
import dev.glovebox.core.egress.DialedNetwork;
import dev.glovebox.core.egress.NetworkGrant;
import dev.glovebox.core.egress.NetworkUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A network whose sandbox trusts one authority more.
record TrustingNetwork(DialedNetwork network, String pem) implements DialedNetwork {
    @Override
    public Optional<PortPeer> dial(String host, int port, Refusals told) {
        return network.dial(host, port, told);
    }

    @Override
    public List<String> trustPem() {
        List<String> all = new ArrayList<>(network.trustPem());
        all.add(pem);
        return all;
    }

    @Override
    public void replace(NetworkGrant grant) {
        network.replace(grant);
    }

    @Override
    public NetworkUsage usage() {
        return network.usage();
    }

    @Override
    public String authorityPem() {
        return network.authorityPem();
    }

    @Override
    public void close() {
        network.close();
    }
}
