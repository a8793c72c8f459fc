package dev.glovebox.server.api;

import dev.glovebox.core.GloveboxException;
import dev.glovebox.sdk.JsonPlace;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/// Where in a document something stands, such as `network.allowOut[3]`: so that an error about what a value means tells
/// its place as one about its shape does.
///
/// @param text empty for the document itself
record FieldPath(String text) {
    static final FieldPath ROOT = new FieldPath("");

    FieldPath field(String name) {
        String shown = JsonPlace.shown(name);
        return new FieldPath(text.isEmpty() ? shown : text + "." + shown);
    }

    FieldPath item(int index) {
        return new FieldPath(text + "[" + index + "]");
    }

    /// What is read here.
    ///
    /// @throws GloveboxException as reading does, with this place before its words
    <T> T read(Supplier<T> reading) {
        try {
            return reading.get();
        } catch (GloveboxException e) {
            throw new GloveboxException(e.code(), "the field '" + text + "': " + e.getMessage(), e);
        }
    }

    /// The same of each item of a list that stands here.
    <T> List<T> readAll(List<String> items, Function<String, T> reading) {
        List<T> all = new ArrayList<>(items.size());
        for (String item : items) {
            all.add(item(all.size()).read(() -> reading.apply(item)));
        }
        return all;
    }
}
