// util.inspect and util.format, as Node.js prints. Getters are not called. What a guest's proxy or custom inspection
// does runs as the guest's own code; the text is bounded whatever happens.
const customInspect = $Symbol.for('nodejs.util.inspect.custom');
const INSPECT_DEFAULTS = {
    __proto__: null, depth: 2, showHidden: false, maxArrayLength: 100, maxStringLength: 10000, breakLength: 80,
    compact: 3, sorted: false,
};
const TEXT_MAX = 4 * 1024 * 1024;
const NODES_MAX = 50000;
const IDENTIFIER = /^[a-zA-Z_$][a-zA-Z_$0-9]*$/;

function inspect(value, options, ...rest) {
    const context = { __proto__: null, ...INSPECT_DEFAULTS, seen: [], circular: new $Map(), indentation: 0, nodes: 0, size: 0 };
    if (typeof options === 'boolean') {
        context.showHidden = options;
        context.depth = rest[0] === undefined ? 2 : rest[0];
    } else if (isObject(options)) {
        for (const key in INSPECT_DEFAULTS) {
            if (options[key] !== undefined) {
                context[key] = options[key];
            }
        }
    }
    if (context.depth === null) {
        context.depth = Infinity;
    }
    context.maxArrayLength = min(context.maxArrayLength ?? Infinity, NODES_MAX);
    context.maxStringLength = min(context.maxStringLength ?? Infinity, TEXT_MAX);
    return bounded(formatValue(context, value, 0, true));
}

function bounded(text) {
    return text.length > TEXT_MAX
        ? `${stringSlice(text, 0, TEXT_MAX)}... ${text.length - TEXT_MAX} more characters` : text;
}

function quote(text) {
    const double = stringIncludes(text, "'") && !stringIncludes(text, '"');
    const tick = stringIncludes(text, "'") && !double && !stringIncludes(text, '`') && !stringIncludes(text, '${');
    const mark = double ? '"' : tick ? '`' : "'";
    let out = mark;
    let from = 0;
    for (let i = 0; i < text.length; i++) {
        const code = stringCharCodeAt(text, i);
        let escaped;
        if (code === 10) escaped = '\\n';
        else if (code === 13) escaped = '\\r';
        else if (code === 9) escaped = '\\t';
        else if (code === 8) escaped = '\\b';
        else if (code === 12) escaped = '\\f';
        else if (code === 11) escaped = '\\v';
        else if (code === 92) escaped = '\\\\';
        else if (code === 39 && mark === "'") escaped = "\\'";
        else if (code < 32 || (code >= 127 && code < 160)) {
            escaped = `\\x${stringPadStart(stringToUpperCase(numberToString(code, 16)), 2, '0')}`;
        } else if (code >= 0xd800 && code <= 0xdfff) {
            const next = code < 0xdc00 ? stringCharCodeAt(text, i + 1) : 0;
            if (next >= 0xdc00 && next <= 0xdfff) {
                i++;
                continue;
            }
            escaped = `\\u${stringToUpperCase(numberToString(code, 16))}`;
        } else continue;
        out += stringSlice(text, from, i) + escaped;
        from = i + 1;
    }
    return out + stringSlice(text, from) + mark;
}

function formatNumber(value) {
    return is(value, -0) ? '-0' : `${value}`;
}

function formatPrimitive(context, value) {
    switch (typeof value) {
        case 'string': {
            const cut = value.length > context.maxStringLength;
            const text = quote(cut ? stringSlice(value, 0, context.maxStringLength) : value);
            return cut ? `${text}... ${value.length - context.maxStringLength} more characters` : text;
        }
        case 'number': return formatNumber(value);
        case 'bigint': return `${value}n`;
        case 'symbol': return symbolToString(value);
        default: return `${value}`;
    }
}

function formatValue(context, value, depth, typed) {
    if (!isObject(value)) {
        return formatPrimitive(context, value);
    }
    if (++context.nodes > NODES_MAX || context.size > TEXT_MAX) {
        return '...';
    }
    const custom = value[customInspect];
    if (typeof custom === 'function' && custom !== inspect && !(isObject(value.constructor) && value.constructor.prototype === value)) {
        const remaining = context.depth - depth;
        const text = apply(custom, value, [remaining, { ...context, seen: undefined, circular: undefined, depth: remaining, stylize }, inspect]);
        if (text !== value) {
            return isObject(text) ? formatValue(context, text, depth) : replaceAll(`${text}`, '\n', `\n${stringRepeat(' ', context.indentation)}`);
        }
    }
    for (let i = 0; i < context.seen.length; i++) {
        if (context.seen[i] === value) {
            if (!mapHas(context.circular, value)) {
                mapSet(context.circular, value, mapSize(context.circular) + 1);
            }
            return `[Circular *${mapGet(context.circular, value)}]`;
        }
    }
    return formatObject(context, value, depth);
}

function stylize(text) {
    return `${text}`;
}

function constructorName(value) {
    for (let current = value; current !== null; current = getPrototypeOf(current)) {
        const descriptor = getOwnPropertyDescriptor(current, 'constructor');
        if (descriptor !== undefined && typeof descriptor.value === 'function' && typeof descriptor.value.name === 'string'
            && descriptor.value.name !== '') {
            return descriptor.value.name;
        }
    }
    return null;
}

function tagOf(value, name) {
    const tag = value[$Symbol.toStringTag];
    return typeof tag === 'string' && tag !== '' && tag !== name ? `[${tag}] ` : '';
}

function prefix(value, fallback, size) {
    const name = constructorName(value);
    const count = size === undefined ? '' : `(${size})`;
    if (name === null) {
        return `[${fallback}${count}: null prototype] ${tagOf(value, fallback)}`;
    }
    return `${name}${count} ${tagOf(value, name)}`;
}

function formatObject(context, value, depth) {
    const keys = visibleKeys(context, value);
    const shape = shapeOf(context, value, keys);
    if (shape.text !== undefined && keys.length === 0 && shape.items === undefined) {
        return shape.text;
    }
    if (depth > context.depth) {
        const name = constructorName(value);
        return isArray(value) ? '[Array]' : name === null ? '[Object: null prototype]' : `[${name}]`;
    }
    arrayPush(context.seen, value);
    context.indentation += 2;
    const output = [];
    try {
        shape.items?.(output, depth + 1);
        for (let i = 0; i < keys.length; i++) {
            arrayPush(output, formatProperty(context, value, keys[i], depth + 1));
        }
    } finally {
        context.indentation -= 2;
        context.seen.length--;
    }
    let start = shape.prefix;
    if (mapHas(context.circular, value)) {
        start = `<ref *${mapGet(context.circular, value)}> ${start}`;
    }
    if (output.length === 0) {
        return `${start}${shape.open}${shape.close}`;
    }
    const text = reduce(context, shape.listed ? group(context, output, shape.numbers) : output, start, shape, depth);
    context.size += text.length;
    return text;
}

function visibleKeys(context, value) {
    const all = ownKeys(value);
    const keys = [];
    const indexed = isArray(value) || isKind(typedArrayLength, value) && typedArrayTag(value) !== undefined;
    for (let i = 0; i < all.length; i++) {
        const key = all[i];
        if (indexed && typeof key === 'string' && isIndex(key)) {
            continue;
        }
        if (context.showHidden ? key !== 'length' || !indexed : isEnumerable(value, key)) {
            arrayPush(keys, key);
        }
    }
    return keys;
}

function isIndex(key) {
    const code = stringCharCodeAt(key, 0);
    return code >= 48 && code <= 57 && `${key >>> 0}` === key;
}

/** How a kind of object looks: its prefix, brackets, and what to list besides its properties. */
function shapeOf(context, value, keys) {
    const braces = { __proto__: null, open: '{', close: '}', prefix: '', listed: false };
    if (isArray(value)) {
        const name = constructorName(value);
        const plain = name === 'Array' ? '' : prefix(value, 'Array', value.length);
        return { ...braces, open: '[', close: ']', prefix: plain, listed: true, numbers: true,
            items: (out, depth) => listArray(context, value, out, depth) };
    }
    if (typeof value === 'function') {
        const text = functionText(value);
        return { ...braces, prefix: `${text} `, text };
    }
    if (isKind(mapSize, value)) {
        return { ...braces, prefix: prefix(value, 'Map', mapSize(value)), items: (out, depth) => listMap(context, value, out, depth) };
    }
    if (isKind(setSize, value)) {
        return { ...braces, prefix: prefix(value, 'Set', setSize(value)), items: (out, depth) => listSet(context, value, out, depth) };
    }
    const view = isView(value) ? typedArrayTag(value) : undefined;
    if (view !== undefined) {
        return { ...braces, open: '[', close: ']', prefix: prefix(value, view, typedArrayLength(value)), listed: true, numbers: true,
            items: (out) => listTyped(context, value, typedArrayLength(value), out) };
    }
    if (value instanceof $Error || isNativeError(value)) {
        return errorShape(context, value, keys, braces);
    }
    return { ...braces, ...leafShape(context, value) };
}

function leafShape(context, value) {
    if (isKind(regExpToString, value) && value instanceof $RegExp) {
        const text = regExpToString(value);
        return { prefix: `${text} `, text };
    }
    if (isKind(dateGetTime, value)) {
        const text = isNaN(dateGetTime(value)) ? 'Invalid Date' : dateToISOString(value);
        return { prefix: `${text} `, text };
    }
    if (isKind(bufferByteLength, value)) {
        return { prefix: prefix(value, 'ArrayBuffer'), items: (out) => listBuffer(context, value, out) };
    }
    if (isView(value)) {
        return { prefix: prefix(value, 'DataView'), items: (out, depth) => {
            arrayPush(out, `byteLength: ${dataViewByteLength(value)}`);
            arrayPush(out, `byteOffset: ${dataViewByteOffset(value)}`);
            arrayPush(out, `buffer: ${formatValue(context, dataViewBuffer(value), depth)}`);
        } };
    }
    if (isPromise(value)) {
        return { prefix: prefix(value, 'Promise'), items: (out, depth) => listPromise(context, value, out, depth) };
    }
    if (value instanceof $WeakMap || value instanceof $WeakSet) {
        return { prefix: prefix(value, 'WeakMap'), items: (out) => arrayPush(out, '<items unknown>') };
    }
    const primitive = boxed(value);
    if (primitive !== undefined) {
        const text = `[${constructorName(value)}: ${formatPrimitive(context, primitive)}]`;
        return { prefix: `${text} `, text };
    }
    const name = constructorName(value);
    const tag = tagOf(value, name);
    if (name === 'Object' && tag === '') {
        return objectToString(value) === '[object Arguments]' ? { prefix: '[Arguments] ' } : {};
    }
    if (name === null && value[$Symbol.toStringTag] === 'Module') {
        return { prefix: '[Module: null prototype] ' };
    }
    return { prefix: prefix(value, 'Object') };
}

function boxed(value) {
    const unbox = [$Number.prototype.valueOf, $String.prototype.valueOf, $Boolean.prototype.valueOf, $Symbol.prototype.valueOf, $BigInt.prototype.valueOf];
    for (let i = 0; i < unbox.length; i++) {
        try {
            return apply(unbox[i], value, []);
        } catch {
            // another kind
        }
    }
    return undefined;
}

function isNativeError(value) {
    return objectToString(value) === '[object Error]';
}

function isPromise(value) {
    return value instanceof $Promise && objectToString(value) === '[object Promise]';
}

function functionText(value) {
    const source = functionToString(value);
    const name = typeof value.name === 'string' ? value.name : '';
    if (stringStartsWith(source, 'class') && stringEndsWith(source, '}')) {
        const parent = getPrototypeOf(value);
        const extension = typeof parent === 'function' && parent.name ? ` extends ${parent.name}` : '';
        return `[class ${name === '' ? '(anonymous)' : name}${extension}]`;
    }
    const kind = constructorName(value) ?? 'Function';
    return name === '' ? `[${kind} (anonymous)]` : `[${kind}: ${name}]`;
}

function listArray(context, value, out, depth) {
    const length = value.length;
    let shown = 0;
    for (let i = 0; i < length && shown < context.maxArrayLength; i++, shown++) {
        if (hasOwn(value, i)) {
            arrayPush(out, formatProperty(context, value, `${i}`, depth, true));
            continue;
        }
        const next = nextIndex(value, i, length);
        arrayPush(out, `<${next - i} empty item${next - i === 1 ? '' : 's'}>`);
        i = next - 1;
    }
    listMore(out, length - context.maxArrayLength, 'item', shown);
}

/** Where the hole that begins at `from` ends. Looks at keys, because a hole can be four thousand million long. */
function nextIndex(value, from, length) {
    for (let i = from; i < min(from + 1000, length); i++) {
        if (hasOwn(value, i)) {
            return i;
        }
    }
    const all = ownKeys(value);
    for (let i = 0; i < all.length && typeof all[i] === 'string' && isIndex(all[i]); i++) {
        if (+all[i] > from) {
            return +all[i];
        }
    }
    return length;
}

function listMore(out, rest, what, shown) {
    if (rest > 0 && shown >= 0) {
        arrayPush(out, `... ${rest} more ${what}${rest > 1 ? 's' : ''}`);
    }
}

function listTyped(context, value, length, out) {
    for (let i = 0; i < min(length, context.maxArrayLength); i++) {
        arrayPush(out, formatPrimitive(context, value[i]));
    }
    listMore(out, length - context.maxArrayLength, 'item', 0);
}

function listBuffer(context, value, out) {
    const bytes = new $Uint8Array(value);
    let text = '';
    const length = typedArrayLength(bytes);
    for (let i = 0; i < min(50, length); i++) {
        text += (i ? ' ' : '') + stringPadStart(numberToString(bytes[i], 16), 2, '0');
    }
    const rest = length - 50;
    arrayPush(out, `[Uint8Contents]: <${text}${rest > 0 ? ` ... ${rest} more byte${rest > 1 ? 's' : ''}` : ''}>`);
    arrayPush(out, `byteLength: ${length}`);
}

function listMap(context, value, out, depth) {
    let shown = 0;
    mapForEach(value, (item, key) => {
        if (shown++ < context.maxArrayLength) {
            arrayPush(out, `${formatValue(context, key, depth)} => ${formatValue(context, item, depth)}`);
        }
    });
    listMore(out, shown - context.maxArrayLength, 'item', shown);
}

function listSet(context, value, out, depth) {
    let shown = 0;
    setForEach(value, (item) => {
        if (shown++ < context.maxArrayLength) {
            arrayPush(out, formatValue(context, item, depth));
        }
    });
    listMore(out, shown - context.maxArrayLength, 'item', shown);
}

function listPromise(context, value, out, depth) {
    const state = host(OP.PROMISE_STATE, value);
    if (state === 0) {
        arrayPush(out, '<pending>');
        return;
    }
    const text = formatValue(context, host(OP.PROMISE_RESULT, value), depth);
    arrayPush(out, state === 2 ? `<rejected> ${text}` : text);
}

function formatProperty(context, value, key, depth, element) {
    const descriptor = getOwnPropertyDescriptor(value, key) ?? { value: value[key], enumerable: true };
    let text;
    if (descriptor.get !== undefined) {
        text = descriptor.set !== undefined ? '[Getter/Setter]' : '[Getter]';
    } else if (descriptor.set !== undefined) {
        text = '[Setter]';
    } else {
        text = formatValue(context, descriptor.value, depth);
    }
    if (element) {
        return text;
    }
    let name;
    if (typeof key === 'symbol') {
        name = `[${symbolToString(key)}]`;
    } else {
        name = regExpExec(IDENTIFIER, key) !== null ? key : quote(key);
    }
    return `${descriptor.enumerable ? name : `[${name}]`}: ${text}`;
}

function errorShape(context, error, keys, braces) {
    const text = errorText(error);
    const extra = [];
    const hidden = ['cause', 'errors'];
    for (let i = 0; i < hidden.length; i++) {
        if (hasOwn(error, hidden[i]) && !isEnumerable(error, hidden[i])) {
            arrayPush(extra, hidden[i]);
        }
    }
    const items = extra.length === 0 ? undefined : (out, depth) => {
        for (let i = 0; i < extra.length; i++) {
            arrayPush(out, `[${extra[i]}]: ${formatValue(context, error[extra[i]], depth)}`);
        }
    };
    for (let i = keys.length - 1; i >= 0; i--) {
        if (keys[i] === 'stack' || keys[i] === 'message') {
            keys.splice(i, 1);
        }
    }
    const indented = context.indentation === 0 ? text : replaceAll(text, '\n', `\n${stringRepeat(' ', context.indentation)}`);
    return { ...braces, prefix: `${indented} `, text: indented, items };
}

/** An error's stack without our own frames; the name and message if it has none. */
function errorText(error) {
    const stack = error.stack;
    if (typeof stack !== 'string' || stack === '') {
        const name = error.name === undefined ? 'Error' : `${error.name}`;
        return `[${error.message === undefined || error.message === '' ? name : `${name}: ${error.message}`}]`;
    }
    const text = withoutOurFrames(stack);
    return stringIncludes(text, '\n    at ') || stringIncludes(text, '\n') ? text : `[${text}]`;
}

function withoutOurFrames(stack) {
    if (!stringIncludes(stack, 'glovebox:')) {
        return stack;
    }
    const lines = stringSplit(stack, '\n');
    const kept = [];
    for (let i = 0; i < lines.length; i++) {
        if (!(stringStartsWith(lines[i], '    at ') && (stringIncludes(lines[i], 'glovebox:') || lines[i] === '    at eval (<anonymous>)'))) {
            arrayPush(kept, lines[i]);
        }
    }
    return arrayJoin(kept, '\n');
}

function reduce(context, output, start, shape, depth) {
    const { open, close } = shape;
    let total = output.length + start.length;
    let multiline = false;
    for (let i = 0; i < output.length; i++) {
        total += output[i].length;
        multiline ||= stringIncludes(output[i], '\n');
    }
    const grouped = shape.listed && output.grouped;
    if (!multiline && !grouped && total + output.length + 5 <= min(context.breakLength, 76) && !stringIncludes(start, '\n')) {
        return `${start}${open} ${arrayJoin(output, ', ')} ${close}`;
    }
    const pad = `\n${stringRepeat(' ', context.indentation)}`;
    return `${start}${open}${pad}  ${arrayJoin(output, `,${pad}  `)}${pad}${close}`;
}

/** Puts short elements of a long list into columns, as Node.js does. */
function group(context, output, numeric) {
    let total = 0;
    let longest = 0;
    const more = output.length > 0 && stringStartsWith(output[output.length - 1], '... ') ? 1 : 0;
    const count = output.length - more;
    if (count <= 6) {
        return output;
    }
    const lengths = [];
    for (let i = 0; i < count; i++) {
        const length = output[i].length;
        if (stringIncludes(output[i], '\n')) {
            return output;
        }
        arrayPush(lengths, length);
        total += length + 2;
        longest = max(longest, length);
    }
    const actual = longest + 2;
    if (actual * 3 + context.indentation >= context.breakLength || !(total / actual > 5 || longest <= 6)) {
        return output;
    }
    const bias = sqrt(actual - total / output.length);
    const columns = min(
        $Math.round(sqrt(2.5 * max(actual - 3 - bias + bias, 1) * count) / max(actual - 3, 1)) || 1,
        floor((context.breakLength - context.indentation) / actual), context.compact * 4, 15);
    if (columns <= 1) {
        return output;
    }
    const widths = [];
    for (let i = 0; i < columns; i++) {
        let width = 0;
        for (let j = i; j < count; j += columns) {
            width = max(width, lengths[j]);
        }
        arrayPush(widths, width + 2);
    }
    const left = !(numeric && (regExpExec(/^-?[0-9]/, output[0]) !== null));
    const rows = [];
    for (let i = 0; i < count; i += columns) {
        const end = min(i + columns, count);
        let row = '';
        for (let j = i; j < end; j++) {
            const last = j === end - 1;
            const cell = last ? output[j] : `${output[j]}, `;
            const width = last && !left ? widths[j - i] - 2 : widths[j - i];
            row += left ? (last ? cell : stringPadEnd(cell, width)) : stringPadStart(cell, width);
        }
        arrayPush(rows, row);
    }
    if (more) {
        arrayPush(rows, output[count]);
    }
    rows.grouped = rows.length > 1;
    return rows;
}

/** util.format: `%s %d %i %f %j %o %O %c %%`, then the rest one by one. */
function format(...values) {
    let text = '';
    let next = 0;
    if (typeof values[0] === 'string') {
        next = 1;
        const pattern = values[0];
        let from = 0;
        for (let i = 0; i < pattern.length - 1; i++) {
            if (stringCharCodeAt(pattern, i) !== 37) {
                continue;
            }
            const letter = pattern[i + 1];
            if (letter === '%') {
                text += stringSlice(pattern, from, i + 1);
            } else {
                const piece = next < values.length ? formatPlaceholder(letter, values[next]) : undefined;
                if (piece === undefined) {
                    continue;
                }
                text += stringSlice(pattern, from, i) + piece;
                next++;
            }
            from = i + 2;
            i++;
        }
        text += stringSlice(pattern, from);
    }
    for (; next < values.length; next++) {
        const value = values[next];
        text += (next > 0 ? ' ' : '') + (typeof value === 'string' ? value : inspect(value));
    }
    return text;
}

function formatPlaceholder(letter, value) {
    switch (letter) {
        case 's':
            if (typeof value === 'bigint') return `${value}n`;
            if (typeof value === 'symbol') return symbolToString(value);
            if (!isObject(value)) return typeof value === 'number' ? formatNumber(value) : `${value}`;
            return value instanceof $Error ? errorText(value) : inspect(value, { depth: 0 });
        case 'd': return typeof value === 'bigint' ? `${value}n` : isObject(value) || typeof value === 'symbol' ? 'NaN' : formatNumber($Number(value));
        case 'i': return typeof value === 'bigint' ? `${value}n` : isObject(value) || typeof value === 'symbol' ? 'NaN' : formatNumber(trunc(parseFloat(value)));
        case 'f': return typeof value === 'symbol' ? 'NaN' : formatNumber(parseFloat(value));
        case 'j':
            try {
                return `${jsonStringify(value)}`;
            } catch {
                return '[Circular]';
            }
        case 'o': return inspect(value, { depth: 4, showHidden: true });
        case 'O': return inspect(value);
        case 'c': return '';
        default: return undefined;
    }
}

const parseFloat = globalThis.parseFloat;
hide(inspect, 'custom', customInspect);
hide(inspect, 'defaultOptions', { ...INSPECT_DEFAULTS });
