// Runs swc's TypeScript stripper in an isolate of its own. `glue` is its module, `bytes` its WebAssembly.
(glue, bytes) => {
    const module = { exports: {} };
    const available = { util: { TextDecoder, TextEncoder }, bytes };
    glue(module.exports, (name) => available[name], module);
    const common = { filename: 'guest.ts', sourceMap: false, transform: { verbatimModuleSyntax: true, noEmptyExport: true } };
    const run = (source, mode) => module.exports.transformSync(source, { ...common, mode }).code;

    // The answer begins with `=` before code, `!` before a refusal, `?` if this isolate is not to be used again.
    return (source) => {
        try {
            try {
                return `=${run(source, 'strip-only')}`;
            } catch (refusal) {
                if (refusal.code !== 'UnsupportedSyntax') {
                    throw refusal;
                }
                return `=${run(source, 'transform')}`;
            }
        } catch (refusal) {
            if (typeof refusal.code !== 'string') {
                return '?';
            }
            const line = (source.split('\n')[(refusal.startLine ?? 1) - 1] ?? '').slice(0, 500);
            const column = Math.min(refusal.startColumn ?? 0, 500);
            return `!${refusal.message}\0${refusal.startLine ?? 1}\0${column}\0${line}`;
        }
    };
};
