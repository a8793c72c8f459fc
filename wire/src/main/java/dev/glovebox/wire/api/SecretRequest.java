package dev.glovebox.wire.api;

import java.util.List;

/// A secret to keep.
///
/// @param hosts those that it may be sent to, such as `api.example.com` and `*.example.com`
/// @param value never told again
public record SecretRequest(List<String> hosts, String value) {
    /// Never the value.
    @Override
    public String toString() {
        return "SecretRequest[" + hosts + "]";
    }
}
