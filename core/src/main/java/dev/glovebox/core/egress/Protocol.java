package dev.glovebox.core.egress;

/// What leaves a sandbox, if anything does.
public enum Protocol {
    TCP,
    UDP;

    public String word() {
        return this == TCP ? "tcp" : "udp";
    }
}
