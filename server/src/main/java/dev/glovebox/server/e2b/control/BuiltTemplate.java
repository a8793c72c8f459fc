package dev.glovebox.server.e2b.control;

import java.time.Instant;

/// A Linux template that is built on this machine.
///
/// @param digest of its image
public record BuiltTemplate(String name, String digest, Instant created) {}
