@NullMarked
package dev.glovebox.sdk;

import org.jspecify.annotations.NullMarked;
