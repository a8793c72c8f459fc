package dev.glovebox.sdk;

import dev.glovebox.wire.api.ContextList;
import dev.glovebox.wire.api.ContextRequest;
import dev.glovebox.wire.api.ContextResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The code interpreter contexts of one sandbox.
public final class Contexts {
    private final Transport transport;
    private final String path;

    Contexts(Transport transport, String path) {
        this.transport = transport;
        this.path = path;
    }

    /// Opens one; it starts in the home directory.
    public CodeContext open(String language) {
        return open(language, null);
    }

    public CodeContext open(String language, @Nullable String directory) {
        ContextResponse opened =
                transport.json("POST", path, new ContextRequest(language, directory), ContextResponse.class);
        return new CodeContext(transport, path + "/" + Query.encode(opened.id()), opened);
    }

    public List<ContextResponse> list() {
        return transport.json("GET", path, null, ContextList.class).items();
    }
}
