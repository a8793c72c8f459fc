// WebAssembly under a sandbox's limit. V8 counts the memory that a WebAssembly.Memory begins with, but not what it grows
// by. So each memory is given a maximum when it is made: its beginning, and half of what growth is left. All live memories
// together grow by at most the sandbox's limit; growing past it fails, as growing can anywhere.
const PAGE_BYTES = 65536;
const SECTION_MEMORY = 5;
const FLAG_MAXIMUM = 1;
const FLAG_SHARED = 2;

const MANY_MEMORIES = 4;
const growths = [];
const growthOfModule = new $WeakMap();

/** Pages by which memories that are still alive may not grow yet. */
function growthLeft() {
    if (growths.length >= MANY_MEMORIES) {
        host(OP.COLLECT); // what is dead counts until it is collected
    }
    let left = floor(host(OP.MEMORY_LIMIT) / PAGE_BYTES);
    let kept = 0;
    for (let i = 0; i < growths.length; i++) {
        if (weakRefDeref(growths[i].owner) !== undefined) {
            left -= growths[i].pages;
            growths[kept++] = growths[i];
        }
    }
    growths.length = kept;
    return max(0, left);
}

function takeGrowth(owner, pages) {
    if (pages > 0) {
        arrayPush(growths, { owner: new $WeakRef(owner), pages });
    }
}

/** Reads unsigned LEB128. Numbers are at most 2^53: what is larger is no size of anything. */
function readNumber(reader) {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
        const byte = reader.bytes[reader.at++];
        if (byte === undefined || scale > 2 ** 56) {
            throw new $RangeError('no number');
        }
        value += (byte & 127) * scale;
        if (byte < 128) {
            return value;
        }
    }
}

function writeNumber(value, out) {
    while (value >= 128) {
        arrayPush(out, (value % 128) | 128);
        value = floor(value / 128);
    }
    arrayPush(out, value);
}

/** The payload of a memory section with our maximum in it; adds the growth that it allows to `grown.pages`. */
function limitedMemories(reader, grown) {
    const out = [];
    const count = readNumber(reader);
    writeNumber(count, out);
    for (let i = 0; i < count; i++) {
        const flags = readNumber(reader);
        if (flags & FLAG_SHARED) {
            throw new sharedRefused('shared memories do not exist in the isolate tier: it has one thread');
        }
        const initial = readNumber(reader);
        const declared = flags & FLAG_MAXIMUM ? readNumber(reader) : Infinity;
        const pageSize = flags & 8 ? readNumber(reader) : undefined;
        writeNumber(flags | FLAG_MAXIMUM, out);
        writeNumber(initial, out);
        const growth = max(0, min(declared - initial, floor((growthLeft() - grown.pages) / 2)));
        grown.pages += growth;
        writeNumber(initial + growth, out);
        if (pageSize !== undefined) {
            writeNumber(pageSize, out);
        }
    }
    return out;
}

/** A module's bytes with limited memories; as they are if they cannot be read, for V8 to refuse. */
function limitModule(source, grown) {
    const bytes = new $Uint8Array(bytesOf(source));
    try {
        const reader = { bytes, at: 8 };
        while (reader.at < typedArrayLength(bytes)) {
            const start = reader.at;
            const id = readNumber(reader);
            const size = readNumber(reader);
            const end = reader.at + size;
            if (id !== SECTION_MEMORY) {
                reader.at = end;
                continue;
            }
            const payload = limitedMemories(reader, grown);
            const head = [SECTION_MEMORY];
            writeNumber(payload.length, head);
            const result = new $Uint8Array(typedArrayLength(bytes) - (end - start) + head.length + payload.length);
            typedArraySet(result, typedArraySubarray(bytes, 0, start), 0);
            typedArraySet(result, head, start);
            typedArraySet(result, payload, start + head.length);
            typedArraySet(result, typedArraySubarray(bytes, end), start + head.length + payload.length);
            return result;
        }
    } catch (error) {
        if (error instanceof sharedRefused) {
            throw error;
        }
    }
    return bytes;
}

let sharedRefused;

/** Puts `make`, which makes an object from arguments, in place of a class; prototype, statics and `instanceof` stay V8's. */
function replaceClass(namespace, name, make) {
    const native = namespace[name];
    const replacement = { [name]: function (...values) {
        if (new.target === undefined) {
            throw new $TypeError(`WebAssembly.${name} must be invoked with 'new'`);
        }
        return make((list) => construct(native, list, new.target === replacement ? native : new.target), values);
    } }[name];
    $Object.setPrototypeOf(replacement, native);
    defineProperty(replacement, 'prototype', { __proto__: null, value: native.prototype, writable: false, enumerable: false, configurable: false });
    hide(native.prototype, 'constructor', replacement);
    hide(namespace, name, replacement);
    return replacement;
}

function makeModule(build, [source]) {
    const grown = { pages: 0 };
    const module = build([limitModule(source, grown)]);
    weakMapSet(growthOfModule, module, grown.pages);
    return module;
}

function makeInstance(build, values) {
    const pages = isObject(values[0]) ? weakMapGet(growthOfModule, values[0]) ?? 0 : 0;
    if (pages > growthLeft()) {
        throw new $RangeError('WebAssembly.Instance(): the memories of this sandbox may not grow any further together');
    }
    const instance = build(values);
    takeGrowth(instance, pages);
    return instance;
}

function makeMemory(build, [descriptor]) {
    if (!isObject(descriptor)) {
        return build([descriptor]);
    }
    const { initial, minimum, maximum, address, shared } = descriptor;
    if (shared) {
        throw new $TypeError('shared memories do not exist in the isolate tier: it has one thread');
    }
    const first = initial ?? minimum;
    const from = $Number(first);
    if (maximum !== undefined && $Number(maximum) < from) {
        return build([descriptor]);
    }
    const growth = max(0, min($Number(maximum ?? Infinity) - from, floor(growthLeft() / 2)));
    const number = address === 'i64' ? $BigInt : $Number;
    const memory = build([{ initial: first, maximum: isInteger(from + growth) ? number(from + growth) : maximum, address: address ?? 'i32' }]);
    takeGrowth(memory, growth);
    return memory;
}

/** Compiles at once: V8 would finish an asynchronous compilation on a task queue that nobody waits for. */
function installWebAssembly() {
    const { WebAssembly } = globalThis;
    sharedRefused = WebAssembly.CompileError;
    const Module = replaceClass(WebAssembly, 'Module', makeModule);
    const Instance = replaceClass(WebAssembly, 'Instance', makeInstance);
    replaceClass(WebAssembly, 'Memory', makeMemory);
    hide(WebAssembly, 'compile', async function compile(source) {
        return new Module(source);
    });
    hide(WebAssembly, 'instantiate', async function instantiate(source, imports) {
        if (source instanceof Module) {
            return new Instance(source, imports);
        }
        const module = new Module(source);
        return { module, instance: new Instance(module, imports) };
    });
}
