@NullMarked
package dev.glovebox.server.api;

import org.jspecify.annotations.NullMarked;
