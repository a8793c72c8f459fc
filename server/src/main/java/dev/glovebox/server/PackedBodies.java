package dev.glovebox.server;

import io.helidon.http.Headers;
import io.helidon.http.encoding.ContentDecoder;
import io.helidon.http.encoding.ContentEncoder;
import io.helidon.http.encoding.ContentEncodingContext;
import io.helidon.http.encoding.ContentEncodingContextConfig;

/// Leaves bodies as they are, packed or not: whoever takes them knows whether to unpack them, hand them on, or refuse
/// them. Helidon's own choice is to refuse every request that names a content coding before anybody sees it.
final class PackedBodies implements ContentEncodingContext {
    private static final ContentEncodingContextConfig CONFIG = ContentEncodingContextConfig.builder()
            .contentEncodingsDiscoverServices(false)
            .buildPrototype();

    @Override
    public ContentEncodingContextConfig prototype() {
        return CONFIG;
    }

    @Override
    public boolean contentEncodingEnabled() {
        return false;
    }

    @Override
    public boolean contentDecodingEnabled() {
        return true;
    }

    @Override
    public boolean contentEncodingSupported(String coding) {
        return false;
    }

    @Override
    public boolean contentDecodingSupported(String coding) {
        return true;
    }

    @Override
    public ContentEncoder encoder(String coding) {
        return ContentEncoder.NO_OP;
    }

    @Override
    public ContentDecoder decoder(String coding) {
        return ContentDecoder.NO_OP;
    }

    @Override
    public ContentEncoder encoder(Headers headers) {
        return ContentEncoder.NO_OP;
    }
}
