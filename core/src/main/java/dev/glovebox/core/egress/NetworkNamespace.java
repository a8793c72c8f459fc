package dev.glovebox.core.egress;

/// A network namespace of this host (`man 7 network_namespaces`).
///
/// @param file opens it; may come to mean another one when its sandbox has ended
/// @param cookie the kernel's number of it, which no other ever gets (SO_NETNS_COOKIE)
public record NetworkNamespace(String file, long cookie) {}
