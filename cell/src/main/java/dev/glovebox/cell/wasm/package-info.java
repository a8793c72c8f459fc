/// The wasm tier: WebAssembly modules as interpreters, on V8. Guest code is WebAssembly only and sees nothing
/// but the functions that we hand in; the JavaScript of an isolate is ours alone.
@NullMarked
package dev.glovebox.cell.wasm;

import org.jspecify.annotations.NullMarked;
