@NullMarked
package dev.glovebox.server.e2b.envd;

import org.jspecify.annotations.NullMarked;
