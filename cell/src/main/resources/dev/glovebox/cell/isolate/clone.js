// structuredClone, by the rules of the HTML standard for what exists here.
function structuredClone(value, options) {
    const seen = new $Map();
    const moved = options?.transfer === undefined ? [] : [...options.transfer];
    for (const buffer of moved) {
        if (!isKind(bufferByteLength, buffer)) {
            throw new DOMException('Value in the transfer list is not transferable', 'DataCloneError');
        }
        mapSet(seen, buffer, buffer.transfer());
    }
    return cloneValue(value, seen);
}

function refuseClone(value) {
    throw new DOMException(`${typeof value === 'symbol' ? symbolToString(value) : inspect(value)} could not be cloned.`, 'DataCloneError');
}

function cloneValue(value, seen) {
    if (typeof value === 'symbol' || typeof value === 'function') {
        refuseClone(value);
    }
    if (!isObject(value)) {
        return value;
    }
    if (mapHas(seen, value)) {
        return mapGet(seen, value);
    }
    const leaf = cloneLeaf(value, seen);
    if (leaf !== undefined) {
        mapSet(seen, value, leaf);
        return leaf;
    }
    if (isKind(mapSize, value)) {
        const copy = new $Map();
        mapSet(seen, value, copy);
        mapForEach(value, (item, key) => mapSet(copy, cloneValue(key, seen), cloneValue(item, seen)));
        return copy;
    }
    if (isKind(setSize, value)) {
        const copy = new $Set();
        mapSet(seen, value, copy);
        setForEach(value, (item) => setAdd(copy, cloneValue(item, seen)));
        return copy;
    }
    if (isNativeError(value)) {
        return cloneError(value, seen);
    }
    if (isPromise(value) || value instanceof $WeakMap || value instanceof $WeakSet || value instanceof $WeakRef) {
        refuseClone(value);
    }
    const copy = isArray(value) ? new $Array(value.length) : {};
    mapSet(seen, value, copy);
    const names = objectKeys(value);
    for (let i = 0; i < names.length; i++) {
        defineProperty(copy, names[i], { __proto__: null, value: cloneValue(value[names[i]], seen), writable: true, enumerable: true, configurable: true });
    }
    return copy;
}

function cloneLeaf(value, seen) {
    if (isKind(dateGetTime, value)) {
        return new $Date(dateGetTime(value));
    }
    if (isKind(bufferByteLength, value)) {
        return bufferSlice(value, 0);
    }
    if (isView(value)) {
        const tag = typedArrayTag(value);
        if (tag === undefined) {
            return new $DataView(cloneValue(dataViewBuffer(value), seen), dataViewByteOffset(value), dataViewByteLength(value));
        }
        const Type = viewTypes[tag];
        return new Type(cloneValue(typedArrayBuffer(value), seen), typedArrayByteOffset(value), typedArrayLength(value));
    }
    if (value instanceof $RegExp && objectToString(value) === '[object RegExp]') {
        return new $RegExp(value.source, value.flags);
    }
    const primitive = boxed(value);
    return primitive === undefined ? undefined : typeof primitive === 'symbol' ? refuseClone(value) : $Object(primitive);
}

function cloneError(error, seen) {
    const types = { __proto__: null, EvalError, RangeError: $RangeError, ReferenceError: $ReferenceError, SyntaxError: $SyntaxError, TypeError: $TypeError, URIError };
    const copy = new (types[error.name] ?? $Error)(hasOwn(error, 'message') ? `${error.message}` : undefined);
    mapSet(seen, error, copy);
    hide(copy, 'stack', `${error.stack}`);
    if (hasOwn(error, 'cause')) {
        hide(copy, 'cause', cloneValue(error.cause, seen));
    }
    return copy;
}

const { EvalError, URIError } = globalThis;
const viewTypes = { __proto__: null };
for (const name of ['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array',
    'BigInt64Array', 'BigUint64Array', 'Float16Array', 'Float32Array', 'Float64Array']) {
    viewTypes[name] = globalThis[name];
}
