package dev.glovebox.wire.api;

import org.jspecify.annotations.Nullable;

/// An error, as RFC 9457 has it, with a code for programs.
///
/// @param type a URI that names the code
/// @param title the code in words
/// @param status the HTTP status
/// @param code for programs; never renamed
/// @param detail a sentence that names the value, the bound and the remedy
/// @param instance names this one incident in the server's log, for internal errors only
public record Problem(
        String type,
        String title,
        int status,
        String code,
        String detail,
        @Nullable String instance) {}
