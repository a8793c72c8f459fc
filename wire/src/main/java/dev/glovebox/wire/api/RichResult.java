package dev.glovebox.wire.api;

import java.util.Map;

/// One rich result, as in Jupyter's messaging: MIME type to content; binary content is base64. `main` marks the
/// value of the last expression.
public record RichResult(boolean main, Map<String, String> data) {}
