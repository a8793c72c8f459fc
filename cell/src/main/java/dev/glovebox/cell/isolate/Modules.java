package dev.glovebox.cell.isolate;

import com.caoccao.javet.exceptions.JavetCompilationException;
import com.caoccao.javet.exceptions.JavetException;
import com.caoccao.javet.exceptions.JavetExecutionException;
import com.caoccao.javet.exceptions.JavetScriptingError;
import com.caoccao.javet.interop.V8Runtime;
import com.caoccao.javet.interop.V8ScriptOrigin;
import com.caoccao.javet.interop.callback.IV8ModuleResolver;
import com.caoccao.javet.values.V8Value;
import com.caoccao.javet.values.primitive.V8ValueString;
import com.caoccao.javet.values.reference.IV8Module;
import com.caoccao.javet.values.reference.V8Module;
import com.caoccao.javet.values.reference.V8ValueFunction;
import com.caoccao.javet.values.reference.V8ValueObject;
import com.caoccao.javet.values.reference.V8ValuePromise;
import dev.glovebox.cell.fs.FsError;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Limits;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Finds, compiles and links the modules of one isolate. Names are resolved in the sandbox's files only. One thread at
/// a time.
final class Modules implements IV8ModuleResolver {
    /// Why a module cannot be had, as a reply that the prelude makes an exception of.
    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        final String reply;

        Refused(String name, String message, String code, String frame) {
            super(message, null, false, false);
            this.reply = "!" + name + "\0" + message + "\0" + code + "\0" + frame;
        }
    }

    /// How the prelude is entered.
    interface Prelude {
        V8Value enter(String operation, String a, Object b, String c) throws JavetException;
    }

    private static final List<String> WRAPPER =
            List.of("exports", "require", "module", "__filename", "__dirname", "\u026amport");
    private static final List<String> EXTENSIONS = List.of(".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".json");
    private static final Pattern DYNAMIC = Pattern.compile("\\bimport\\s*(?:[.(]|/[*/])");
    /// As Node.js: what V8 says of source that is an ECMAScript module, when it is compiled as a script.
    private static final List<String> SAYS_MODULE = List.of(
            "Cannot use import statement outside a module",
            "Unexpected token 'export'",
            "Cannot use 'import.meta' outside a module",
            "await is only valid in async functions and the top level bodies of modules",
            "Identifier '__filename' has already been declared",
            "Identifier '__dirname' has already been declared",
            "Identifier 'exports' has already been declared",
            "Identifier 'module' has already been declared",
            "Identifier 'require' has already been declared",
            "Unexpected reserved word");
    private static final int FRAME_COLUMNS_MAX = 500;
    /// V8 links a chain of imports by recursion, and calls us at its end.
    private static final int MODULES_MAX = 500;

    private final V8Runtime runtime;
    private final FileCalls files;
    private final TypeScript typeScript;
    private final Prelude prelude;
    private final Map<String, String> sources = new HashMap<>();
    private final Map<String, IV8Module> modules = new HashMap<>();
    private final Map<String, V8ValuePromise> evaluations = new HashMap<>();
    private @Nullable Refused refused;

    Modules(V8Runtime runtime, FileCalls files, TypeScript typeScript, Prelude prelude) {
        this.runtime = runtime;
        this.files = files;
        this.typeScript = typeScript;
        this.prelude = prelude;
    }

    /// Gives the program that runs a place among the files, whether or not there is a file.
    void program(String place, String source, boolean typed) {
        sources.put(place, typed ? typeScript.strip(source, place) : source);
    }

    /// Where a relative name leads from the file `from`.
    String resolve(String specifier, String from) {
        String path = specifier.startsWith("file:")
                ? URLDecoder.decode(
                        specifier.replaceFirst("^file:(?://)?", "").replace("+", "%2B"), StandardCharsets.UTF_8)
                : specifier;
        GuestPath base = GuestPath.resolve(GuestPath.ROOT, from + "/..");
        String place = GuestPath.resolve(base, path).value();
        return candidate(place)
                .orElseThrow(() -> new Refused(
                        "Error",
                        "Cannot find module '" + place + "' imported from " + from,
                        "ERR_MODULE_NOT_FOUND",
                        ""));
    }

    private Optional<String> candidate(String place) {
        if (isFile(place)) {
            return Optional.of(place);
        }
        if (place.matches(".*\\.[mc]?js")) {
            String typed = place.substring(0, place.length() - 2) + "ts";
            if (isFile(typed)) {
                return Optional.of(typed);
            }
        }
        for (String base : List.of(place, place + "/index")) {
            for (String extension : EXTENSIONS) {
                if (isFile(base + extension)) {
                    return Optional.of(base + extension);
                }
            }
        }
        return Optional.empty();
    }

    private boolean isFile(String place) {
        if (sources.containsKey(place)) {
            return true;
        }
        try {
            return files.type(place) == FileEntry.Type.FILE;
        } catch (FsError e) {
            return false;
        }
    }

    private String source(String place) {
        String known = sources.get(place);
        if (known == null) {
            known = new String(files.read(place, Limits.CODE_BYTES_MAX), StandardCharsets.UTF_8);
            if (place.matches(".*\\.[mc]?ts")) {
                known = typeScript.strip(known, place);
            }
            sources.put(place, known);
        }
        return known;
    }

    /// One line of a source, for a message.
    Optional<String> line(String place, int number) {
        String source = sources.get(place);
        if (source == null) {
            return Optional.empty();
        }
        return source.lines()
                .skip(Math.max(0, number - 1))
                .findFirst()
                .map(line -> line.substring(0, Math.min(line.length(), FRAME_COLUMNS_MAX)));
    }

    private String rewritten(String place, boolean module) throws JavetException {
        String source = source(place);
        if (!DYNAMIC.matcher(source).find()) {
            return source;
        }
        return prelude.enter("rewrite", source, module, place) instanceof V8ValueString text ? text.getValue() : source;
    }

    /// Compiles a CommonJS script as the function that Node.js makes of one; null if it is an ECMAScript module.
    @Nullable
    V8ValueFunction script(String place) throws JavetException {
        if (place.endsWith(".mjs") || place.endsWith(".mts") || modules.containsKey(place)) {
            return null;
        }
        try {
            return runtime.getExecutor(rewritten(place, false))
                    .setResourceName(place)
                    .compileV8ValueFunction(WRAPPER.toArray(String[]::new));
        } catch (JavetCompilationException e) {
            if (place.endsWith(".cjs") || place.endsWith(".cts")) {
                throw refusal(e, place);
            }
            if (saysModule(e)) {
                compile(place);
            } else if (!compilesAsModuleWithAwait(place)) {
                throw refusal(e, place);
            }
            return null;
        }
    }

    /// V8 names `await` as the trouble only where it begins a statement; in `f(await x)` it misses a parenthesis. So a
    /// source with the word in it is tried as a module before the first complaint is believed.
    private boolean compilesAsModuleWithAwait(String place) throws JavetException {
        if (!source(place).contains("await")) {
            return false;
        }
        try {
            compile(place);
            return true;
        } catch (Refused _) {
            return false;
        }
    }

    private static boolean saysModule(JavetException e) {
        String message = String.valueOf(e.getMessage());
        return SAYS_MODULE.stream().anyMatch(message::contains);
    }

    private V8Module compile(String place) throws JavetException {
        try {
            V8ScriptOrigin origin = new V8ScriptOrigin(place);
            V8Module module = runtime.compileV8Module(rewritten(place, true), null, origin, true);
            modules.put(place, module);
            return module;
        } catch (JavetCompilationException e) {
            throw refusal(e, place);
        }
    }

    /// Links a module and runs it. The promise is the caller's to close; null if the module has run before as a part of
    /// another.
    @Nullable
    V8ValuePromise evaluate(String place) throws JavetException {
        V8ValuePromise known = evaluations.get(place);
        if (known != null) {
            return known.toClone(true);
        }
        IV8Module module = module(place);
        refused = null;
        try {
            if (module.getStatus() == IV8Module.Uninstantiated) {
                module.instantiate();
            }
        } catch (JavetExecutionException e) {
            Refused cause = refused;
            throw cause != null ? cause : refusal(e, place);
        }
        if (module.getStatus() == IV8Module.Errored) {
            try (V8Value error = module.getException();
                    V8ValuePromise resolver = runtime.createV8ValuePromise()) {
                resolver.reject(error);
                return resolver.getPromise();
            }
        }
        V8Value result = module.evaluate();
        if (result instanceof V8ValuePromise promise) {
            evaluations.put(place, promise);
            return promise.toClone(true);
        }
        result.close();
        return null;
    }

    V8Value namespace(String place) throws JavetException {
        return module(place).getNamespace();
    }

    private IV8Module module(String place) throws JavetException {
        IV8Module known = modules.get(place);
        if (known != null) {
            return known;
        }
        if (modules.size() >= MODULES_MAX) {
            throw new Refused("Error", "more than " + MODULES_MAX + " modules", "ERR_TOO_MANY_MODULES", "");
        }
        if (place.startsWith("node:")) {
            return synthetic("node", place, place);
        }
        if (place.endsWith(".json")) {
            return synthetic("json", place, place);
        }
        try (V8ValueFunction script = script(place)) {
            if (script != null) {
                return synthetic("script", place, place);
            }
        }
        IV8Module compiled = modules.get(place);
        return compiled == null ? compile(place) : compiled;
    }

    private IV8Module synthetic(String kind, String place, String name) throws JavetException {
        try (V8Value exports = prelude.enter("exports", kind, place, "")) {
            if (!(exports instanceof V8ValueObject object)) {
                throw new Refused("Error", String.valueOf(exports), "", "");
            }
            V8Module module = runtime.createV8Module(name, object);
            modules.put(name, module);
            return module;
        }
    }

    @Override
    public String getAbsoluteResourceName(V8Runtime v8Runtime, String specifier, IV8Module referrer) {
        return specifier;
    }

    @Override
    public IV8Module resolve(V8Runtime v8Runtime, String specifier, IV8Module referrer) throws JavetException {
        try {
            if (specifier.startsWith("glovebox:")) {
                String place = specifier.substring("glovebox:".length());
                IV8Module known = modules.get(specifier);
                return known == null ? synthetic("link", place, specifier) : known;
            }
            try (V8Value place = prelude.enter("resolve", specifier, referrer.getResourceName(), "")) {
                String reply = String.valueOf(place);
                if (reply.startsWith("!")) {
                    String[] parts = reply.substring(1).split("\0", -1);
                    throw new Refused(parts[0], parts[1], parts[2], "");
                }
                return module(reply.substring(1));
            }
        } catch (Refused e) {
            refused = e;
            throw e;
        } catch (FsError e) {
            refused = new Refused("Error", e.getMessage() + ": " + specifier, "E" + e.errno(), "");
            throw refused;
        }
    }

    /// What V8 says of source that it does not take, with the line.
    private static Refused refusal(JavetException e, String place) {
        JavetScriptingError error = switch (e) {
            case JavetCompilationException compilation -> compilation.getScriptingError();
            case JavetExecutionException execution -> execution.getScriptingError();
            default -> null;
        };
        String message = String.valueOf(e.getMessage());
        int colon = message.indexOf(": ");
        boolean named = colon > 0 && message.substring(0, colon).endsWith("Error");
        String name = named ? message.substring(0, colon) : "Error";
        String text = named ? message.substring(colon + 2) : message;
        if (error == null || error.getSourceLine() == null) {
            return new Refused(name, text, "", "");
        }
        String line = error.getSourceLine();
        int column = Math.clamp(error.getStartColumn(), 0, FRAME_COLUMNS_MAX);
        String frame = place + ":" + error.getLineNumber() + "\n"
                + line.substring(0, Math.min(line.length(), FRAME_COLUMNS_MAX)) + "\n" + " ".repeat(column) + "^";
        return new Refused(name, text, "", frame);
    }
}
