@NullMarked
package dev.glovebox.backends;

import org.jspecify.annotations.NullMarked;
