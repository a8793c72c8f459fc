@NullMarked
package dev.glovebox.store;

import org.jspecify.annotations.NullMarked;
