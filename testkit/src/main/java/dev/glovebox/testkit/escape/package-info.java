/// The escape suite: one file per idea of an attack, run on every tier.
@NullMarked
package dev.glovebox.testkit.escape;

import org.jspecify.annotations.NullMarked;
