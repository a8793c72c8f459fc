@NullMarked
package dev.glovebox.bench;

import org.jspecify.annotations.NullMarked;
