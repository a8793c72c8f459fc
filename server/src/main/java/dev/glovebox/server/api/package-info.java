/// The native API, version 1: routes, and the translation between `wire.api` and the core's commands.
@NullMarked
package dev.glovebox.server.api;

import org.jspecify.annotations.NullMarked;
