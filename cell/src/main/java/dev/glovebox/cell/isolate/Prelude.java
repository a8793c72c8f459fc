package dev.glovebox.cell.isolate;

import com.caoccao.javet.exceptions.JavetException;
import com.caoccao.javet.interop.V8Host;
import com.caoccao.javet.interop.V8Runtime;
import com.caoccao.javet.interop.options.V8RuntimeOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// The JavaScript that every isolate begins with, as a snapshot of V8's heap after it ran: an isolate made from that is
/// ready without compiling a line. It fits one build of V8 and one set of flags, so it is made where Glovebox is built
/// ([PreludeSnapshot]), or else once in a process.
final class Prelude {
    /// Frames of these scripts are left out of what a guest sees.
    static final String NAME = "glovebox:prelude";

    private static final List<String> LIBRARIES = List.of("acorn", "buffer", "events", "path", "url");
    private static final List<String> FILES = List.of(
            "primordials",
            "inspect",
            "console",
            "timers",
            "web",
            "clone",
            "files",
            "assert",
            "node",
            "fetch",
            "modules",
            "cells",
            "wasm",
            "start");

    /// Compiles what every sandbox needs first, so that the snapshot has it compiled.
    private static final String WARM_UP = "__warm(); delete globalThis.__warm;";

    private Prelude() {}

    private static final class Holder {
        static final byte[] SNAPSHOT = PreludeSnapshot.given().orElseGet(Prelude::snapshot);
    }

    static V8RuntimeOptions options() {
        V8RuntimeOptions options = new V8RuntimeOptions();
        options.setSnapshotBlob(Holder.SNAPSHOT);
        return options;
    }

    static byte[] snapshot() {
        V8RuntimeOptions options = new V8RuntimeOptions();
        options.setCreateSnapshotEnabled(true);
        try (V8Runtime runtime = V8Host.getV8Instance().createV8Runtime(options)) {
            runtime.setLogger(Quiet.INSTANCE);
            runtime.getExecutor(script()).setResourceName(NAME).executeVoid();
            runtime.getExecutor(WARM_UP).setResourceName(NAME).executeVoid();
            return runtime.createSnapshot();
        } catch (JavetException e) {
            throw new IllegalStateException("the prelude does not run", e);
        }
    }

    static String script() {
        StringBuilder script = new StringBuilder("(function () { const VENDOR = {");
        for (String library : LIBRARIES) {
            script.append(library)
                    .append(": function (module, exports, require, process) {")
                    .append(resource("vendor/" + library + ".js"))
                    .append("\n},");
        }
        script.append("}; (function () { 'use strict';").append(HostCall.table());
        script.append("const VERSION='0.1.0';const V8_VERSION='14.7';\n");
        for (String file : FILES) {
            script.append(resource(file + ".js")).append('\n');
        }
        return ascii(script.append("})(); })();"));
    }

    /// V8 keeps a text with one character beyond Latin-1 in two bytes a character, and the snapshot holds this text.
    private static String ascii(CharSequence text) {
        StringBuilder escaped = new StringBuilder(text.length() + 1024);
        text.chars().forEach(c -> {
            if (c < 0x80) {
                escaped.append((char) c);
            } else {
                escaped.append("\\u%04x".formatted(c));
            }
        });
        return escaped.toString();
    }

    static String resource(String name) {
        try (InputStream in = Prelude.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is not in the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(name + " cannot be read", e);
        }
    }
}
