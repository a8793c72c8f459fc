@NullMarked
package dev.glovebox.conformance;

import org.jspecify.annotations.NullMarked;
