package dev.glovebox.server.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// One route of the API: how it is served and how it is described, in one place, so that neither can miss the
/// other.
///
/// @param path with parameters in braces
/// @param query the query parameters that it reads
/// @param request the record of its JSON body; null if it has none
/// @param answer what it answers with when it succeeds
record Route(
        String method,
        String path,
        String summary,
        Access access,
        List<QueryParameter> query,
        @Nullable Class<? extends Record> request,
        Answer answer,
        Handler handler) {
    Route {
        query = List.copyOf(query);
    }

    /// Who may call it.
    enum Access {
        PUBLIC,
        /// Any key.
        TENANT,
        /// An administrator's key.
        ADMIN
    }

    /// A parameter after the question mark.
    record QueryParameter(String name, String description, boolean required, boolean repeated) {}

    /// What a route answers with.
    sealed interface Answer {
        record Json(int status, Class<? extends Record> type) implements Answer {}

        /// The record as JSON; with `Accept: text/event-stream` output as it comes and the record as the last
        /// event.
        record Streamable(Class<? extends Record> type) implements Answer {}

        /// Server-sent events without an end of their own; the record is that of the first and the last.
        record Events(Class<? extends Record> type) implements Answer {}

        /// The file's bytes.
        record Bytes() implements Answer {}

        /// Text of another format.
        record Text(String mediaType) implements Answer {}

        record Nothing() implements Answer {}

        /// No answer but another protocol on the same connection.
        record Upgrade() implements Answer {}
    }

    /// Serves it.
    @FunctionalInterface
    interface Handler {
        void handle(HttpCall call);
    }

    static QueryParameter required(String name, String description) {
        return new QueryParameter(name, description, true, false);
    }

    static QueryParameter optional(String name, String description) {
        return new QueryParameter(name, description, false, false);
    }
}
