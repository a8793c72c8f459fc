package dev.glovebox.core;

import java.util.List;
import java.util.Optional;

/// One page of a list.
///
/// @param next hand this in to get the following page; empty on the last one
public record Page<T>(List<T> items, Optional<String> next) {
    public Page {
        items = List.copyOf(items);
    }
}
