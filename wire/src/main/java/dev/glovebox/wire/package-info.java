@NullMarked
package dev.glovebox.wire;

import org.jspecify.annotations.NullMarked;
