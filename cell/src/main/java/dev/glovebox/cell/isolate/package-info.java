/// The isolate tier: JavaScript and TypeScript, each sandbox in a V8 isolate of its own. Guest code and our
/// prelude share the isolate; what the guest can reach through the prelude is one function with primitive
/// arguments ([HostCall]), which treats them as hostile.
@NullMarked
package dev.glovebox.cell.isolate;

import org.jspecify.annotations.NullMarked;
