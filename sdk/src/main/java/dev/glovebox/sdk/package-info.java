/// A Java client of Glovebox: the same records as the API, plain blocking calls, no dependency but a JSON
/// parser.
@NullMarked
package dev.glovebox.sdk;

import org.jspecify.annotations.NullMarked;
