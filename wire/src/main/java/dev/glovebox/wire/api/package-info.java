/// The native API, version 1, as records: what is asked and what is answered. A component's name is the JSON
/// name; `@Nullable` means that the field may be left out. Records only grow: a field is added, never renamed,
/// never retyped.
@NullMarked
package dev.glovebox.wire.api;

import org.jspecify.annotations.NullMarked;
