@NullMarked
package dev.glovebox.cell.wasi;

import org.jspecify.annotations.NullMarked;
