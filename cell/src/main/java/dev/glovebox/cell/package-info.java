@NullMarked
package dev.glovebox.cell;

import org.jspecify.annotations.NullMarked;
