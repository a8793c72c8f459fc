// import and require. The host resolves names in the sandbox's files, and compiles; V8 links modules by itself, except
// for `import()` and `import.meta`, for which Javet has no hook: they become calls of names that no program has.
const DYNAMIC = 'ɪmport';
const META = 'ɪmport_meta';
const requireCache = { __proto__: null };

function noModule(specifier) {
    const error = new $Error(`Cannot find module '${specifier}': the isolate tier has no packages and no Node.js, only relative files and `
        + `${arrayJoin(objectKeys(makers), ', ')}; tiers with Node.js and npm are ${TIERS}`);
    error.code = 'MODULE_NOT_FOUND';
    return error;
}

function bareBuiltin(specifier) {
    const name = stringStartsWith(specifier, 'node:') ? stringSlice(specifier, 5) : specifier;
    return isBuiltin(name) ? name : undefined;
}

function isRelative(specifier) {
    return regExpExec(/^(\.{1,2}(\/|$)|\/|file:)/, specifier) !== null;
}

/** Where a specifier leads from a file; throws if nowhere. */
function resolve(specifier, from) {
    const name = bareBuiltin(specifier);
    if (name !== undefined) {
        return `node:${name}`;
    }
    if (!isRelative(specifier)) {
        throw noModule(specifier);
    }
    return accept(host(OP.RESOLVE, specifier, from));
}

/** `import()` for a file: resolves, has the host link and evaluate, and gives the namespace. */
function importer(from) {
    return (specifier) => new $Promise((fulfil, reject) => {
        const place = resolve(`${specifier}`, from);
        needStack();
        const evaluated = accept(host(OP.MODULE_EVALUATE, place)) ?? resolved;
        promiseThen(evaluated, () => fulfil(host(OP.MODULE_NAMESPACE, place)), reject);
    });
}

function metaOf(place) {
    return { __proto__: null, dirname: path.dirname(place), filename: place, url: `file://${encodeURI(place)}`, main: place === mainPlace,
        resolve: (specifier) => {
            const found = resolve(`${specifier}`, place);
            return stringStartsWith(found, 'node:') ? found : `file://${encodeURI(found)}`;
        } };
}

let mainPlace;

const MANY = new $Array(16384);

/**
 * Throws a RangeError unless there are 128 KiB of stack left, by taking them. Loading a module goes through the host and
 * back into V8, which aborts the process if that begins below the end of its stack.
 */
function needStack() {
    apply(() => {}, undefined, MANY);
}

/** The exports of a module that is not written in ECMAScript, for the host to make a module of. */
function syntheticExports(kind, place) {
    switch (kind) {
        case 'link': return { [DYNAMIC]: importer(place), [META]: metaOf(place) };
        case 'json': return { default: parseJson(place) };
        default: return named(kind === 'node' ? builtin(stringSlice(place, 5)) : requireFile(place, undefined));
    }
}

function named(value) {
    const exports = { default: value };
    if (isObject(value)) {
        const names = objectKeys(value);
        for (let i = 0; i < names.length; i++) {
            if (names[i] !== 'default') {
                exports[names[i]] = value[names[i]];
            }
        }
    }
    return exports;
}

function parseJson(place) {
    const text = utf8Decode(readBytes(place), false);
    try {
        return jsonParse(stringCharCodeAt(text, 0) === 0xfeff ? stringSlice(text, 1) : text);
    } catch (error) {
        throw new $SyntaxError(`${place}: ${error.message}`);
    }
}

function requirer(from) {
    const require = (specifier) => {
        if (typeof specifier !== 'string') {
            throw new $TypeError(`The "id" argument must be of type string. Received ${inspect(specifier)}`);
        }
        const place = resolve(specifier, from);
        return stringStartsWith(place, 'node:') ? builtin(stringSlice(place, 5)) : requireFile(place, from);
    };
    require.resolve = (specifier) => resolve(`${specifier}`, from);
    require.cache = requireCache;
    require.main = requireCache[mainPlace];
    return require;
}

function requireFile(place, from) {
    const cached = requireCache[place];
    if (cached !== undefined) {
        return cached.exports;
    }
    if (stringEndsWith(place, '.json')) {
        const module = requireCache[place] = { id: place, filename: place, exports: parseJson(place), loaded: true };
        return module.exports;
    }
    needStack();
    const compiled = accept(host(OP.COMPILE_SCRIPT, place));
    if (compiled === undefined) {
        return requireEsm(place, from);
    }
    return runCommonJs(place, compiled);
}

function runCommonJs(place, compiled) {
    const module = { id: place === mainPlace ? '.' : place, path: path.dirname(place), filename: place, exports: {}, loaded: false, children: [] };
    requireCache[place] = module;
    try {
        apply(compiled, module.exports, [module.exports, requirer(place), module, place, path.dirname(place), importer(place)]);
    } catch (error) {
        delete requireCache[place];
        throw error;
    }
    module.loaded = true;
    return module.exports;
}

/** require() of an ECMAScript module, which must not wait for anything at its top level. */
function requireEsm(place) {
    const evaluated = accept(host(OP.MODULE_EVALUATE, place)) ?? resolved;
    const state = host(OP.PROMISE_STATE, evaluated);
    if (state === 2) {
        promiseThen(evaluated, undefined, () => {});
        throw host(OP.PROMISE_RESULT, evaluated);
    }
    if (state === 0) {
        const error = new $Error(`require() cannot be used on an ES module with top-level await: ${place}. Use import() instead`);
        error.code = 'ERR_REQUIRE_ASYNC_MODULE';
        throw error;
    }
    return host(OP.MODULE_NAMESPACE, place);
}

// ---- source text

const PARSE = { ecmaVersion: 'latest', allowHashBang: true, allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true };

function parse(source, sourceType, more) {
    return acorn.parse(source, { ...PARSE, sourceType, ...more });
}

/** Visits every node below `node`, it included. */
function walk(node, visit) {
    visit(node);
    for (const key of objectKeys(node)) {
        const child = node[key];
        if (isArray(child)) {
            for (let i = 0; i < child.length; i++) {
                if (child[i] !== null && typeof child[i]?.type === 'string') {
                    walk(child[i], visit);
                }
            }
        } else if (child !== null && typeof child?.type === 'string') {
            walk(child, visit);
        }
    }
}

/** Puts texts in place of ranges. Edits are [start, end, text]. */
function edit(source, edits) {
    arraySort(edits, (a, b) => a[0] - b[0] || a[1] - b[1]);
    let out = '';
    let at = 0;
    for (let i = 0; i < edits.length; i++) {
        out += stringSlice(source, at, edits[i][0]) + edits[i][2];
        at = edits[i][1];
    }
    return out + stringSlice(source, at);
}

function dynamicEdits(tree) {
    const edits = [];
    walk(tree, (node) => {
        if (node.type === 'ImportExpression') {
            arrayPush(edits, [node.start, node.start + 6, DYNAMIC]);
        } else if (node.type === 'MetaProperty' && node.meta.name === 'import') {
            arrayPush(edits, [node.start, node.end, META]);
        }
    });
    return edits;
}

/** Source in which `import()` and `import.meta` are calls of ours; as it is if it does not parse, for V8 to refuse. */
function rewrite(source, isModule, place) {
    let edits;
    try {
        edits = dynamicEdits(parse(source, isModule ? 'module' : 'script'));
    } catch {
        return source;
    }
    if (edits.length === 0) {
        return source;
    }
    return edit(source, edits) + (isModule ? `\nimport { ${DYNAMIC}, ${META} } from ${jsonStringify(`glovebox:${place}`)};` : '');
}
