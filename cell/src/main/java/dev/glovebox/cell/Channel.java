package dev.glovebox.cell;

import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.ProtocolException;

/// An open channel, as the connection's thread sees it. No method blocks.
interface Channel {
    default void data(int stream, byte[] bytes) {
        throw new ProtocolException("this request takes no bytes on stream " + stream);
    }

    default void end(int stream) {
        throw new ProtocolException("this request has no stream " + stream + " to end");
    }

    default void credit(int stream, int bytes) {
        throw new ProtocolException("this request sends no stream " + stream);
    }

    /// Passed over where it means nothing.
    default void control(Fields fields) {}

    /// Ends the request; its CLOSE follows soon.
    void cancel();
}
