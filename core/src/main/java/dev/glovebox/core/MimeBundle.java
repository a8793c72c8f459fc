package dev.glovebox.core;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/// One rich result, as in Jupyter's messaging: MIME type to content. Binary content is base64, as there. `main` marks
/// the value of the last expression; the others were displayed on the way.
public record MimeBundle(boolean main, Map<String, String> data) {
    public MimeBundle {
        data = Collections.unmodifiableMap(new LinkedHashMap<>(data));
    }
}
