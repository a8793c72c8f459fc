// Execution of cells, as Node.js' REPL does it: what a cell declares stays, and may be declared again. A cell without
// `await` is evaluated as a global script, so that its variables are globals and as fast as those; one with `await` or
// `import` becomes an async function that assigns to globals.
//
// Several contexts share one global object: the names that belong to a context are taken off it when another runs.
let currentContext;
let baseline;
let cellCount = 0;
let cellState = 0;
const PENDING = 0;
const DONE = 1;
const FAILED = 2;
const contexts = new $Map();

function openContext(name, place) {
    baseline ??= new $Set(ownKeys(globalThis));
    mapSet(contexts, name, { directory: place, globals: new $Map(), env: {} });
}

function closeContext(name) {
    if (name === currentContext) {
        clearGlobals();
        currentContext = undefined;
    }
    mapDelete(contexts, name);
}

/** Takes everything off the global object that cells put there. */
function clearGlobals() {
    const globals = new $Map();
    const all = ownKeys(globalThis);
    for (let i = 0; i < all.length; i++) {
        if (!setHas(baseline, all[i])) {
            const descriptor = getOwnPropertyDescriptor(globalThis, all[i]);
            if (descriptor?.configurable && Reflect_deleteProperty(globalThis, all[i])) {
                mapSet(globals, all[i], descriptor);
            }
        }
    }
    return globals;
}

const Reflect_deleteProperty = Reflect.deleteProperty;

function enterContext(name) {
    if (name === currentContext) {
        return;
    }
    const left = mapGet(contexts, currentContext);
    if (left !== undefined) {
        left.globals = clearGlobals();
        left.directory = directory;
        left.env = process.env;
    }
    currentContext = name;
    const entered = mapGet(contexts, name);
    if (entered !== undefined) {
        mapForEach(entered.globals, (descriptor, key) => defineProperty(globalThis, key, descriptor));
        entered.globals = new $Map();
        directory = entered.directory;
        process.env = entered.env;
        accept(host(OP.CHANGE_DIRECTORY, directory));
        hide(globalThis, 'require', requirer(`${directory}/.`));
        setAdd(baseline, 'require');
    }
}

/** Calls back into the context that asked for it. */
function inContext(context, callback, self, values) {
    if (context !== undefined && mapHas(contexts, context)) {
        enterContext(context);
    }
    return apply(callback, self, values);
}

function executeCell(context, source) {
    cellState = PENDING;
    enterContext(context);
    const place = `cell-${++cellCount}.js`;
    try {
        const cell = transform(source, place);
        const names = cell.names;
        for (let i = 0; i < names.length; i++) {
            if (!hasOwn(globalThis, names[i])) {
                defineProperty(globalThis, names[i], { __proto__: null, value: undefined, writable: true, enumerable: true, configurable: true });
            }
        }
        const value = evaluateGlobally(`${cell.source}\n//# sourceURL=${place}`);
        if (cell.waits) {
            const from = `${directory}/.`;
            settle(apply(value, globalThis, [importer(from), metaOf(from)]), cell.hasValue);
        } else {
            settle(cell.hasValue ? show(value, true) : undefined, false);
        }
    } catch (error) {
        report(error);
    }
}

/** Waits for what a cell returns, if it is a promise of ours, and shows it. */
function settle(value, shows) {
    if (!isPromise(value)) {
        cellState = DONE;
        return;
    }
    promiseThen(value, (result) => {
        try {
            settle(shows ? show(result, true) : undefined, false);
        } catch (error) {
            report(error);
        }
    }, report);
}

// ---- the transformation

function transform(source, place) {
    const tree = parseCell(source, place);
    const body = tree.body;
    const last = body[body.length - 1];
    const hasValue = last?.type === 'ExpressionStatement' || last?.type === 'ExportDefaultDeclaration' && !stringEndsWith(last.declaration.type, 'Declaration');
    let waits = false;
    const nested = [];
    walkShallow(tree, (node) => {
        waits ||= node.type === 'AwaitExpression' || (node.type === 'ForOfStatement' && node.await) || node.type === 'ImportDeclaration';
        if (node.type === 'VariableDeclaration' && node.kind === 'var') {
            arrayPush(nested, node);
        }
    });
    const edits = dynamicEdits(tree);
    waits ||= edits.length > 0;
    const names = [];
    const functions = [];
    for (let i = 0; i < body.length; i++) {
        rewriteStatement(source, body[i], { edits, waits, names, functions, isLast: i === body.length - 1 });
    }
    if (!waits) {
        return { source: edit(source, edits), names: [], waits, hasValue };
    }
    for (let i = 0; i < nested.length; i++) {
        if (!body.includes(nested[i])) {
            assignInstead(source, nested[i], edits, names, false);
        }
    }
    for (let i = 0; i < functions.length; i++) {
        functions[i] = `this.${functions[i]} = ${functions[i]};`;
    }
    return { source: `(async (${DYNAMIC}, ${META}) => {${arrayJoin(functions, '')}${edit(source, edits)}\n})`, names, waits, hasValue };
}

function parseCell(source, place) {
    const options = { allowImportExportEverywhere: true };
    try {
        if (regExpExec(/^\s*\{[^]*\}\s*$/, source) !== null) {
            try {
                const tree = parse(`(${source}\n)`, 'script', options);
                if (tree.body.length === 1 && tree.body[0].type === 'ExpressionStatement') {
                    const [statement] = tree.body;
                    return { type: 'Program', body: [{ type: 'ExpressionStatement', start: 0, end: source.length, wrapped: true,
                        expression: shift(statement.expression) }] };
                }
            } catch {
                // a block after all
            }
        }
        return parse(source, 'script', options);
    } catch (error) {
        throw syntaxError(error, source, place);
    }
}

/** Moves a tree one character to the left: what was parsed had a bracket before it. */
function shift(tree) {
    walk(tree, (node) => {
        node.start--;
        node.end--;
    });
    return tree;
}

function syntaxError(error, source, place) {
    if (error.loc === undefined) {
        return error;
    }
    const message = regExpExec(/^[^]*(?= \(\d+:\d+\)$)/, error.message)?.[0] ?? error.message;
    const line = stringSplit(source, '\n')[error.loc.line - 1] ?? '';
    const refused = new $SyntaxError(message);
    hide(refused, 'stack', `${place}:${error.loc.line}\n${stringSlice(line, 0, 500)}\n${stringRepeat(' ', min(error.loc.column, 500))}^\n\nSyntaxError: ${message}`);
    return refused;
}

/** As walk, but not into functions. */
function walkShallow(node, visit) {
    visit(node);
    if (stringIncludes(node.type, 'Function') || node.type === 'ClassBody') {
        return;
    }
    for (const key of objectKeys(node)) {
        const child = node[key];
        if (isArray(child)) {
            for (let i = 0; i < child.length; i++) {
                if (typeof child[i]?.type === 'string') {
                    walkShallow(child[i], visit);
                }
            }
        } else if (typeof child?.type === 'string') {
            walkShallow(child, visit);
        }
    }
}

function rewriteStatement(source, node, cell) {
    const { edits, waits, names, functions } = cell;
    switch (node.type) {
        case 'ExpressionStatement':
            if (node.wrapped) {
                arrayPush(edits, [node.start, node.start, waits ? 'return (' : '('], [node.end, node.end, ')']);
            } else if (node.directive === 'use strict') {
                arrayPush(edits, [node.start, node.end, stringRepeat(' ', node.end - node.start)]);
            } else if (waits && cell.isLast) {
                arrayPush(edits, [node.start, node.start, 'return ('], [node.expression.end, node.expression.end, ')']);
            }
            return;
        case 'VariableDeclaration':
            if (node.kind === 'using' || node.kind === 'await using') {
                return;
            }
            if (waits) {
                assignInstead(source, node, edits, names, true);
            } else if (node.kind !== 'var') {
                arrayPush(edits, [node.start, node.start + node.kind.length, stringPadEnd('var', node.kind.length)]);
                resetEmpty(node, edits);
            }
            return;
        case 'ClassDeclaration':
            arrayPush(names, node.id.name);
            arrayPush(edits, [node.start, node.start, waits ? `${node.id.name} = ` : `var ${node.id.name} = `], [node.end, node.end, ';']);
            return;
        case 'FunctionDeclaration':
            arrayPush(names, node.id.name);
            arrayPush(functions, node.id.name);
            return;
        case 'ImportDeclaration':
            arrayPush(edits, [node.start, node.end, importStatement(node, names)]);
            return;
        case 'ExportNamedDeclaration':
            if (node.declaration) {
                arrayPush(edits, [node.start, node.declaration.start, '']);
                rewriteStatement(source, node.declaration, cell);
            } else {
                arrayPush(edits, [node.start, node.end, '']);
            }
            return;
        case 'ExportDefaultDeclaration':
            arrayPush(edits, [node.start, node.declaration.start, waits && cell.isLast && node.declaration.id === undefined ? 'return ' : '']);
            if (node.declaration.id) {
                rewriteStatement(source, node.declaration, cell);
            }
            return;
    }
}

/** `let x;` in a later cell starts x anew. */
function resetEmpty(node, edits) {
    for (let i = 0; i < node.declarations.length; i++) {
        const { id, init } = node.declarations[i];
        if (init === null && node.kind !== 'var') {
            arrayPush(edits, [id.end, id.end, ' = undefined']);
        }
    }
}

/** A declaration inside the async function becomes an assignment to the global names. */
function assignInstead(source, node, edits, names, isStatement) {
    const { declarations } = node;
    for (let i = 0; i < declarations.length; i++) {
        boundNames(declarations[i].id, names);
    }
    const parent = stringSlice(source, declarations[declarations.length - 1].end, node.end);
    const statement = isStatement || stringIncludes(parent, ';');
    const first = declarations[0];
    const loop = !statement && declarations.length === 1 && first.init === null;
    arrayPush(edits, [node.start, first.start, loop ? '' : 'void (']);
    if (!loop) {
        arrayPush(edits, [declarations[declarations.length - 1].end, declarations[declarations.length - 1].end, statement && !stringIncludes(parent, ';') ? ');' : ')']);
    }
    resetEmpty(node, edits);
}

function boundNames(pattern, names) {
    switch (pattern?.type) {
        case 'Identifier': arrayPush(names, pattern.name); return;
        case 'ObjectPattern': pattern.properties.forEach((property) => boundNames(property.value ?? property.argument, names)); return;
        case 'ArrayPattern': pattern.elements.forEach((element) => boundNames(element, names)); return;
        case 'AssignmentPattern': boundNames(pattern.left, names); return;
        case 'RestElement': boundNames(pattern.argument, names); return;
    }
}

function importStatement(node, names) {
    const from = `await ${DYNAMIC}(${jsonStringify(node.source.value)})`;
    const picked = [];
    let all = '';
    for (const { type, local, imported } of node.specifiers) {
        arrayPush(names, local.name);
        if (type === 'ImportNamespaceSpecifier') {
            all = `${local.name} = `;
        } else {
            const name = type === 'ImportDefaultSpecifier' ? 'default' : imported.name ?? imported.value;
            arrayPush(picked, `${jsonStringify(name)}: ${local.name}`);
        }
    }
    return picked.length === 0 ? `${all}${from};` : `void ({ ${arrayJoin(picked, ', ')} } = ${all}${from});`;
}

// ---- results

const jupyterDisplay = $Symbol.for('Jupyter.display');
const REPRESENTATIONS = { __proto__: null, _repr_html_: 'text/html', toHTML: 'text/html', _repr_svg_: 'image/svg+xml', _repr_png_: 'image/png',
    _repr_jpeg_: 'image/jpeg', _repr_markdown_: 'text/markdown', _repr_latex_: 'text/latex', _repr_json_: 'application/json' };

/** Shows a value as a MIME bundle. Returns a promise if the value's own method does. */
function show(value, main) {
    if (value === undefined) {
        return undefined;
    }
    if (isObject(value)) {
        const own = value[jupyterDisplay] ?? value._repr_mimebundle_;
        if (typeof own === 'function') {
            return whenKnown(apply(own, value, []), (bundle) => emit(isArray(bundle) ? bundle[0] : bundle, main));
        }
        for (const name in REPRESENTATIONS) {
            if (typeof value[name] === 'function') {
                return whenKnown(apply(value[name], value, []), (text) => emit({ [REPRESENTATIONS[name]]: text, 'text/plain': inspect(value) }, main));
            }
        }
    }
    const bundle = { 'text/plain': inspect(value) };
    if (isPlain(value)) {
        try {
            const json = jsonStringify(value);
            if (json.length <= JSON_MAX) {
                bundle['application/json'] = json;
            }
        } catch {
            // not representable
        }
    }
    return emit(bundle, main);
}

const JSON_MAX = 1024 * 1024;

function whenKnown(value, use) {
    return isPromise(value) ? promiseThen(value, use) : use(value);
}

function emit(bundle, main) {
    const flat = [];
    for (const type of objectKeys(bundle)) {
        const content = bundle[type];
        if (content !== undefined && content !== null) {
            arrayPush(flat, type, typeof content === 'string' ? content : isView(content) ? base64Encode(bytesOf(content)) : jsonStringify(content));
        }
    }
    accept(host(OP.RESULT, main, ...flat));
}

/** Whether JSON says all that there is to say: arrays and plain objects of plain values. */
function isPlain(value, depth = 0, budget = { left: 100000 }) {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') {
        return depth > 0;
    }
    if (typeof value === 'number') {
        return depth > 0 && isFinite(value);
    }
    if (typeof value !== 'object' || depth > 64 || --budget.left < 0) {
        return false;
    }
    const prototype = getPrototypeOf(value);
    if (isArray(value) ? prototype !== $Array.prototype : prototype !== $Object.prototype && prototype !== null) {
        return false;
    }
    const all = ownKeys(value);
    for (let i = 0; i < all.length; i++) {
        const descriptor = getOwnPropertyDescriptor(value, all[i]);
        if (isArray(value) && all[i] === 'length') {
            continue;
        }
        if (typeof all[i] === 'symbol' || !('value' in descriptor) || !isPlain(descriptor.value, depth + 1, budget)) {
            return false;
        }
    }
    return true;
}
