// From values to MIME bundles: what a value shows of itself, within bounds.
'use strict';

const util = require('node:util');

// What a cell does to these must not reach the kernel.
const push = Function.prototype.call.bind(Array.prototype.push);
const { stringify } = JSON;

const TEXT_MAX = 1 << 20; // characters of a text/plain
const JSON_MAX = 1 << 20; // characters of a value as JSON
const BUNDLE_MAX = (8 << 20) - (1 << 16); // bytes of one result: the host's bound, with room for its types
const TYPES_MAX = 60; // the host's bound is 64

const METHODS = {
    __proto__: null,
    _repr_html_: 'text/html',
    toHTML: 'text/html',
    _repr_svg_: 'image/svg+xml',
    _repr_png_: 'image/png',
    _repr_jpeg_: 'image/jpeg',
    _repr_markdown_: 'text/markdown',
    _repr_latex_: 'text/latex',
    _repr_json_: 'application/json',
};
const DISPLAY = Symbol.for('Jupyter.display');

function inspect(value) {
    return bounded(util.inspect(value), TEXT_MAX);
}

function bounded(text, max) {
    return text.length <= max ? text : `${text.slice(0, max)}\n... [cut by Glovebox: ${max} of ${text.length} characters shown]`;
}

/** The value as {MIME type: content}, or a promise of it if one of its own methods returns one. */
function bundle(value) {
    if ((typeof value === 'object' && value !== null) || typeof value === 'function') {
        const own = value[DISPLAY] ?? value._repr_mimebundle_;
        if (typeof own === 'function') {
            return whenKnown(own.call(value), (whole) => ({
                'text/plain': inspect(value),
                ...(Array.isArray(whole) ? whole[0] : whole),
            }));
        }
        const names = Object.keys(METHODS).filter((name) => typeof value[name] === 'function');
        if (names.length > 0) {
            const contents = names.map((name) => value[name]());
            const known = contents.some(util.types.isPromise) ? Promise.all(contents) : contents;
            return whenKnown(known, (all) => {
                const data = { 'text/plain': inspect(value) };
                names.forEach((name, i) => (data[METHODS[name]] ??= all[i]));
                return data;
            });
        }
    }
    const json = plainJson(value);
    const data = { 'text/plain': inspect(value) };
    return json === undefined ? data : { ...data, 'application/json': json };
}

function whenKnown(value, use) {
    return util.types.isPromise(value) ? value.then(use) : use(value);
}

/** The value as JSON, if that is all there is to it. */
function plainJson(value) {
    try {
        const json = isPlain(value, 0) ? stringify(value) : undefined;
        return json !== undefined && json.length <= JSON_MAX ? json : undefined;
    } catch {
        return undefined;
    }
}

function isPlain(value, depth) {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') {
        return true;
    }
    if (typeof value === 'number') {
        return Number.isFinite(value);
    }
    if (typeof value !== 'object' || depth > 64) {
        return false;
    }
    if (Array.isArray(value)) {
        return value.every((item) => isPlain(item, depth + 1));
    }
    const prototype = Object.getPrototypeOf(value);
    return (
        (prototype === Object.prototype || prototype === null) &&
        typeof value.toJSON !== 'function' &&
        Object.values(value).every((item) => item === undefined || isPlain(item, depth + 1))
    );
}

/** The bundle with every content as text; what does not fit is left out, and said on standard error. */
function sendable(data) {
    const texts = [];
    const leftOut = [];
    let room = BUNDLE_MAX;
    // The plain text first: it is the one that must arrive.
    const types = Object.keys(data).sort((a, b) => (b === 'text/plain') - (a === 'text/plain'));
    for (const type of types) {
        let content = data[type];
        if (content instanceof Uint8Array) {
            content = Buffer.from(content).toString('base64');
        } else if (typeof content !== 'string') {
            content = stringify(content);
        }
        if (content === undefined) {
            continue;
        }
        const size = Buffer.byteLength(content);
        if (size > room || texts.length >= TYPES_MAX) {
            push(leftOut, `${type} (${size} bytes)`);
            continue;
        }
        room -= size;
        push(texts, [type, content]);
    }
    if (leftOut.length > 0) {
        process.stderr.write(
            `[Glovebox left out of a result: ${leftOut.join(', ')}. One result holds at most ${BUNDLE_MAX} bytes and ` +
                `${TYPES_MAX} types; write what is larger to a file.]\n`,
        );
    }
    return texts;
}

module.exports = { inspect, bounded, bundle, whenKnown, sendable };
