/// E2B's control plane, both generations of it: sandboxes and templates by JSON over HTTP.
@NullMarked
package dev.glovebox.server.e2b.control;

import org.jspecify.annotations.NullMarked;
