package dev.glovebox.server.e2b.envd;

import dev.glovebox.sdk.RecordJson;
import dev.glovebox.server.e2b.ResponseStream;
import io.helidon.webserver.http.ServerResponse;
import java.nio.ByteBuffer;
import java.util.Map;

/// A stream of messages to a client. It ends with a frame of its own, which says whether all went well: without it, a
/// client knows that the stream was cut. Belongs to the thread that serves the request.
final class ConnectStream implements AutoCloseable {
    static final String MEDIA_TYPE = "application/connect+json";

    private static final byte DATA = 0;
    private static final byte END = 2;

    private final ResponseStream stream;

    ConnectStream(ServerResponse response) {
        this.stream = new ResponseStream(response, MEDIA_TYPE);
    }

    boolean hasBegun() {
        return stream.hasBegun();
    }

    /// Sends a message, now.
    void send(Map<String, ?> message) {
        sendParts(RecordJson.write(message));
    }

    /// Sends a message that is there in parts, now.
    void sendParts(byte[]... parts) {
        frame(DATA, parts);
    }

    /// Ends the stream as one that went well.
    void end() {
        frame(END, RecordJson.write(Map.of()));
        stream.finish();
    }

    /// Ends the stream with an error.
    void fail(ConnectFailure failure) {
        frame(END, RecordJson.write(Map.of("error", failure.body())));
        stream.finish();
    }

    private void frame(byte flags, byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        ByteBuffer frame = ByteBuffer.allocate(EnvelopeReader.HEAD_BYTES + length);
        frame.put(flags).putInt(length);
        for (byte[] part : parts) {
            frame.put(part);
        }
        stream.write(frame.array());
    }

    @Override
    public void close() {
        stream.close();
    }
}
