package dev.glovebox.server.e2b;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import dev.glovebox.core.Sandbox;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What E2B's interfaces know of a sandbox and the engine does not. It lives in the sandbox's metadata, under a name
/// that callers cannot use, so that it is there as long as the sandbox is.
///
/// @param template the template as it was asked for; empty for a sandbox that was not made here
/// @param secured whether callers need its access token
/// @param publicTraffic whether its ports answer without the traffic token
/// @param maskedHost the `Host` that servers inside see, with `${PORT}` for the port
public record SandboxFacts(
        Optional<String> template, boolean secured, boolean publicTraffic, Optional<String> maskedHost) {
    /// A sandbox that was made through another interface: nothing is known, so nothing is open.
    public static final SandboxFacts UNKNOWN = new SandboxFacts(Optional.empty(), true, false, Optional.empty());

    private static final String NAME = "glovebox.e2b";
    private static final String TEMPLATE = "template=";
    private static final String UNSECURED = "unsecured";
    private static final String PUBLIC = "public";
    private static final String MASK = "mask=";

    /// The facts of a sandbox.
    public static SandboxFacts of(Sandbox sandbox) {
        String text = sandbox.metadata().get(NAME);
        return text == null ? UNKNOWN : parse(text);
    }

    private static SandboxFacts parse(String text) {
        List<String> words = Arrays.asList(text.split(" ", -1));
        return new SandboxFacts(
                value(words, TEMPLATE), !words.contains(UNSECURED), words.contains(PUBLIC), value(words, MASK));
    }

    private static Optional<String> value(List<String> words, String name) {
        return words.stream()
                .filter(word -> word.startsWith(name))
                .map(word -> word.substring(name.length()))
                .findFirst();
    }

    /// A caller's metadata with these facts in it.
    public Map<String, String> into(Map<String, String> metadata) {
        if (metadata.containsKey(NAME)) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT, "the metadata name '" + NAME + "' belongs to Glovebox: use another");
        }
        if (metadata.size() >= Limits.METADATA_ENTRIES_MAX) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "there are " + metadata.size() + " metadata entries; the bound is "
                            + (Limits.METADATA_ENTRIES_MAX - 1));
        }
        Map<String, String> all = new HashMap<>(metadata);
        all.put(NAME, text());
        return all;
    }

    /// A sandbox' metadata without what belongs to Glovebox: the caller's own words.
    public static Map<String, String> callers(Sandbox sandbox) {
        Map<String, String> own = new HashMap<>(sandbox.metadata());
        own.remove(NAME);
        return own;
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        template.ifPresent(name -> text.append(TEMPLATE).append(name).append(' '));
        text.append(secured ? "" : UNSECURED + " ").append(publicTraffic ? PUBLIC + " " : "");
        maskedHost.ifPresent(host -> text.append(MASK).append(host));
        return text.toString().strip();
    }
}
