@NullMarked
package dev.glovebox.cell.fs;

import org.jspecify.annotations.NullMarked;
