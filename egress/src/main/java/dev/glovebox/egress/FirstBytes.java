package dev.glovebox.egress;

import dev.glovebox.core.egress.Handshake;
import java.util.Optional;

/// Finds out from the first bytes of a connection what it asks for, as they come.
interface FirstBytes {
    /// More bytes. The answer is empty as long as they do not suffice.
    Optional<Handshake> feed(byte[] bytes, int length);

    /// What it takes of the memory: in proportion to what came, for most connections send little.
    long heldBytes();
}
