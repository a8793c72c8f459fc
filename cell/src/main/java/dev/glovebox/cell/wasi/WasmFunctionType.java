package dev.glovebox.cell.wasi;

import java.util.ArrayList;
import java.util.List;

/// The type of a function, in the letters of [WasiFunction]: `i` and `I`, and `f`, `F`, `v`, `r`, `e` for the
/// types that no WASI function has.
record WasmFunctionType(String parameters, String results) {
    static final int FUNCTION_REFERENCE = 0x70;
    static final int EXTERN_REFERENCE = 0x6f;

    private static final int FUNCTION_FORM = 0x60;
    /// As V8's bounds.
    private static final int PARAMETERS_MAX = 1000;

    static WasmFunctionType of(WasiFunction function) {
        return new WasmFunctionType(function.parameters(), function.hasResult() ? "i" : "");
    }

    /// Reads the whole type section.
    static List<WasmFunctionType> readAll(WasmReader reader, int max) {
        int count = reader.count("types", max);
        List<WasmFunctionType> types = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int form = reader.u8();
            if (form != FUNCTION_FORM) {
                throw reader.malformed("types of form " + form + " (garbage collection) are not offered here");
            }
            types.add(new WasmFunctionType(readTypes(reader, "parameters"), readTypes(reader, "results")));
        }
        reader.requireEnd("type");
        return types;
    }

    private static String readTypes(WasmReader reader, String what) {
        int count = reader.count(what, PARAMETERS_MAX);
        StringBuilder letters = new StringBuilder(count);
        for (int i = 0; i < count; i++) {
            int type = reader.u8();
            letters.append(
                    switch (type) {
                        case 0x7f -> 'i';
                        case 0x7e -> 'I';
                        case 0x7d -> 'f';
                        case 0x7c -> 'F';
                        case 0x7b -> 'v';
                        case FUNCTION_REFERENCE -> 'r';
                        case EXTERN_REFERENCE -> 'e';
                        default -> throw reader.malformed("value type " + type + " is not offered here");
                    });
        }
        return letters.toString();
    }

    @Override
    public String toString() {
        return "(" + parameters + ") -> (" + results + ")";
    }
}
