@NullMarked
package dev.glovebox.server.tls;

import org.jspecify.annotations.NullMarked;
