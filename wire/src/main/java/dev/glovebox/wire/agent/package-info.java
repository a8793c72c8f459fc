/// The agent protocol, byte by byte as in `docs/agent-protocol.md`: what a server and an agent say to each other over
/// one byte stream. Everything that an agent sends is hostile: decoders bound before they allocate.
@NullMarked
package dev.glovebox.wire.agent;

import org.jspecify.annotations.NullMarked;
