package dev.glovebox.core.secret;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.HeaderTemplate;

/// A secret itself: what a header can hold. It shows itself to nobody by accident.
public record SecretValue(String text) {
    public SecretValue {
        if (text.isEmpty() || text.length() > Limits.SECRET_CHARS_MAX) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a secret of " + text.length() + " characters is outside 1.." + Limits.SECRET_CHARS_MAX);
        }
        if (!HeaderTemplate.isFieldValue(text)) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a secret is sent in a header and holds printable ASCII, spaces and tabs only: leave line ends"
                            + " out, and encode what is binary");
        }
    }

    /// Never the secret.
    @Override
    public String toString() {
        return "SecretValue[" + text.length() + " characters]";
    }
}
