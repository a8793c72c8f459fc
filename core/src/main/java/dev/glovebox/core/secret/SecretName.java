package dev.glovebox.core.secret;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.util.regex.Pattern;

/// Names a secret within its tenant; rules write it as `${e2b.secrets.NAME}`.
public record SecretName(String value) {
    private static final Pattern SHAPE = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    public SecretName {
        if (!SHAPE.matcher(value).matches()) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT, "a secret's name is 1 to 64 of letters, digits, '_' and '-'");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
