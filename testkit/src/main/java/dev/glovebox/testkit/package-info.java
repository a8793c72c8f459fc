@NullMarked
package dev.glovebox.testkit;

import org.jspecify.annotations.NullMarked;
