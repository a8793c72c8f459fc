@NullMarked
package dev.glovebox.core;

import org.jspecify.annotations.NullMarked;
