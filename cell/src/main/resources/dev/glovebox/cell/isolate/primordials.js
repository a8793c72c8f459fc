// What the prelude uses of the language, taken before any guest code runs. A guest may replace whatever hangs on the
// global object; these stay. Every file of the prelude is in one function, so all of this is out of the guest's reach.
const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
const { bind, call } = Function.prototype;
const uncurry = bind.bind(call);

const {
    Array: $Array, ArrayBuffer: $ArrayBuffer, BigInt: $BigInt, Boolean: $Boolean, DataView: $DataView, Date: $Date,
    Error: $Error, Map: $Map, Number: $Number, Object: $Object, Promise: $Promise, RangeError: $RangeError,
    ReferenceError: $ReferenceError, RegExp: $RegExp, Set: $Set, String: $String, Symbol: $Symbol,
    SyntaxError: $SyntaxError, TypeError: $TypeError, Uint8Array: $Uint8Array, WeakMap: $WeakMap, WeakSet: $WeakSet,
    WeakRef: $WeakRef, JSON: $JSON, Math: $Math, Function: $Function, AggregateError: $AggregateError,
} = globalThis;
const $TypedArray = getPrototypeOf($Uint8Array);
const evaluateGlobally = globalThis.eval;
const { isArray } = $Array;
const { abs, ceil, floor, max, min, sqrt, trunc } = $Math;
const { is, freeze, create, keys: objectKeys, fromEntries, entries: objectEntries } = $Object;
const { isNaN, isInteger, isFinite, isSafeInteger } = $Number;
const { parse: jsonParse, stringify: jsonStringify } = $JSON;
const { fromCharCode } = $String;
const { isView } = $ArrayBuffer;
const dateNow = $Date.now;

const getter = (prototype, name) => uncurry(getOwnPropertyDescriptor(prototype, name).get);
const arrayJoin = uncurry($Array.prototype.join);
const arrayPush = uncurry($Array.prototype.push);
const arraySlice = uncurry($Array.prototype.slice);
const arraySort = uncurry($Array.prototype.sort);
const bufferByteLength = getter($ArrayBuffer.prototype, 'byteLength');
const bufferSlice = uncurry($ArrayBuffer.prototype.slice);
const dataViewBuffer = getter($DataView.prototype, 'buffer');
const dataViewByteLength = getter($DataView.prototype, 'byteLength');
const dataViewByteOffset = getter($DataView.prototype, 'byteOffset');
const dateToISOString = uncurry($Date.prototype.toISOString);
const dateGetTime = uncurry($Date.prototype.getTime);
const functionToString = uncurry($Function.prototype.toString);
const hasOwn = uncurry($Object.prototype.hasOwnProperty);
const isEnumerable = uncurry($Object.prototype.propertyIsEnumerable);
const mapDelete = uncurry($Map.prototype.delete);
const mapForEach = uncurry($Map.prototype.forEach);
const mapGet = uncurry($Map.prototype.get);
const mapHas = uncurry($Map.prototype.has);
const mapSet = uncurry($Map.prototype.set);
const mapSize = getter($Map.prototype, 'size');
const numberToString = uncurry($Number.prototype.toString);
const objectToString = uncurry($Object.prototype.toString);
const promiseThen = uncurry($Promise.prototype.then);
const regExpExec = uncurry($RegExp.prototype.exec);
const regExpToString = uncurry($RegExp.prototype.toString);
const setAdd = uncurry($Set.prototype.add);
const setDelete = uncurry($Set.prototype.delete);
const setForEach = uncurry($Set.prototype.forEach);
const setHas = uncurry($Set.prototype.has);
const setSize = getter($Set.prototype, 'size');
const stringCharCodeAt = uncurry($String.prototype.charCodeAt);
const stringEndsWith = uncurry($String.prototype.endsWith);
const stringIncludes = uncurry($String.prototype.includes);
const stringIndexOf = uncurry($String.prototype.indexOf);
const stringLastIndexOf = uncurry($String.prototype.lastIndexOf);
const stringPadEnd = uncurry($String.prototype.padEnd);
const stringPadStart = uncurry($String.prototype.padStart);
const stringRepeat = uncurry($String.prototype.repeat);
const stringSlice = uncurry($String.prototype.slice);
const stringSplit = uncurry($String.prototype.split);
const stringStartsWith = uncurry($String.prototype.startsWith);
const stringToLowerCase = uncurry($String.prototype.toLowerCase);
const stringToUpperCase = uncurry($String.prototype.toUpperCase);
const stringTrim = uncurry($String.prototype.trim);
const symbolToString = uncurry($Symbol.prototype.toString);
const typedArrayBuffer = getter($TypedArray.prototype, 'buffer');
const typedArrayByteLength = getter($TypedArray.prototype, 'byteLength');
const typedArrayByteOffset = getter($TypedArray.prototype, 'byteOffset');
const typedArrayFill = uncurry($TypedArray.prototype.fill);
const typedArrayLength = getter($TypedArray.prototype, 'length');
const typedArraySet = uncurry($TypedArray.prototype.set);
const typedArraySubarray = uncurry($TypedArray.prototype.subarray);
const typedArrayTag = getter($TypedArray.prototype, $Symbol.toStringTag);
const weakMapGet = uncurry($WeakMap.prototype.get);
const weakMapSet = uncurry($WeakMap.prototype.set);
const weakRefDeref = uncurry($WeakRef.prototype.deref);

/** Replaces every match; `String.prototype.replace` would look for methods that a guest can put on RegExp.prototype. */
function replaceAll(text, from, to) {
    return arrayJoin(stringSplit(text, from), to);
}

/** Whether `brand`, an uncurried method or getter of a built-in, takes `value` as its own kind. */
function isKind(brand, value) {
    try {
        brand(value);
        return true;
    } catch {
        return false;
    }
}

/** A property that a guest sees as if it were built in. */
function hide(target, name, value) {
    defineProperty(target, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
    return value;
}

/** Whether a value is an object or a function. */
function isObject(value) {
    return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

// ---- the host

// Set once, by start(). Nothing else holds it; it is only ever called directly, never passed on.
let host;
let transfer;

/** An error of the host as an exception of the guest: `!name\0message\0code`, and for files `\0errno`. */
function raise(reply) {
    const parts = stringSplit(stringSlice(reply, 1), '\0');
    const types = { __proto__: null, TypeError: $TypeError, SyntaxError: $SyntaxError, RangeError: $RangeError };
    const error = new (types[parts[0]] ?? $Error)(parts[1]);
    if (parts[2]) {
        error.code = parts[2];
    }
    if (parts[3]) {
        hide(error, 'stack', `${parts[3]}\n\n${parts[0]}: ${parts[1]}`);
    }
    if (!parts[3]) {
        hide(error, 'stack', withoutOurFrames(`${error.stack}`));
    }
    throw error;
}

/** Checks a reply: a text begins with `=`, an error with `!`, all else is itself. */
function accept(reply) {
    if (typeof reply !== 'string') {
        return reply;
    }
    if (stringCharCodeAt(reply, 0) === 33) {
        raise(reply);
    }
    return stringSlice(reply, 1);
}

/** Writes text to stdout (1) or stderr (2) in pieces that are cheap to hand over, never through a surrogate pair. */
function write(descriptor, text) {
    const operation = descriptor === 2 ? OP.STDERR : OP.STDOUT;
    const length = text.length;
    if (length <= PIECE) {
        accept(host(operation, text));
        return;
    }
    for (let start = 0; start < length;) {
        let end = min(start + PIECE, length);
        if (end < length && (stringCharCodeAt(text, end - 1) & 0xfc00) === 0xd800) {
            end--;
        }
        accept(host(operation, stringSlice(text, start, end)));
        start = end;
    }
}

const PIECE = 16384;
