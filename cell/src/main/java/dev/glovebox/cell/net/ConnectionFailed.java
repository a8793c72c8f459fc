package dev.glovebox.cell.net;

import java.io.IOException;

/// A connection that is not to be, or is no more.
public final class ConnectionFailed extends IOException {
    private static final long serialVersionUID = 1L;
    private final String rule;

    /// @param rule that refused it; empty if none did
    /// @param words why, for the guest to read
    public ConnectionFailed(String rule, String words) {
        super(words);
        this.rule = rule;
    }

    /// The same again, for somebody else to catch.
    public ConnectionFailed(ConnectionFailed same) {
        super(same.getMessage(), same);
        rule = same.rule;
    }

    public boolean isRefused() {
        return !rule.isEmpty();
    }

    /// The sentence, with the rule.
    public String sentence() {
        return isRefused() ? getMessage() + " (rule " + rule + ")" : String.valueOf(getMessage());
    }
}
