@NullMarked
package dev.glovebox.engine;

import org.jspecify.annotations.NullMarked;
