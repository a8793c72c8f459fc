// The small part of the web's interfaces that programs without a network use.
class DOMException extends $Error {
    #name;

    constructor(message = '', name = 'Error') {
        super(message);
        this.#name = `${name}`;
    }

    get name() {
        return this.#name;
    }

    get code() {
        return { __proto__: null, AbortError: 20, TimeoutError: 23, DataCloneError: 25, InvalidCharacterError: 5,
            QuotaExceededError: 22 }[this.#name] ?? 0;
    }
}

// ---- text

function utf8Length(text) {
    let length = text.length;
    for (let i = 0; i < text.length; i++) {
        const code = stringCharCodeAt(text, i);
        if (code > 0x7f) {
            length += code > 0x7ff ? 2 : 1;
            if ((code & 0xfc00) === 0xd800 && (stringCharCodeAt(text, i + 1) & 0xfc00) === 0xdc00) {
                i++;
            }
        }
    }
    return length;
}

/** Writes as much of `text` as fits. Returns [characters read, bytes written]. */
function utf8Write(text, bytes) {
    const room = typedArrayLength(bytes);
    let at = 0;
    let i = 0;
    for (; i < text.length; i++) {
        let code = stringCharCodeAt(text, i);
        if (code < 0x80) {
            if (at >= room) break;
            bytes[at++] = code;
            continue;
        }
        let pair = false;
        if ((code & 0xf800) === 0xd800) {
            const next = code < 0xdc00 ? stringCharCodeAt(text, i + 1) : 0;
            pair = (next & 0xfc00) === 0xdc00;
            code = pair ? 0x10000 + ((code - 0xd800) << 10) + (next - 0xdc00) : 0xfffd;
        }
        const size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        if (at + size > room) break;
        if (size === 2) {
            bytes[at++] = 0xc0 | (code >> 6);
        } else if (size === 3) {
            bytes[at++] = 0xe0 | (code >> 12);
            bytes[at++] = 0x80 | ((code >> 6) & 63);
        } else {
            bytes[at++] = 0xf0 | (code >> 18);
            bytes[at++] = 0x80 | ((code >> 12) & 63);
            bytes[at++] = 0x80 | ((code >> 6) & 63);
        }
        bytes[at++] = 0x80 | (code & 63);
        i += pair ? 1 : 0;
    }
    return [i, at];
}

function utf8Encode(text) {
    const bytes = new $Uint8Array(utf8Length(text));
    utf8Write(text, bytes);
    return bytes;
}

/** Decodes UTF-8. `state` keeps the bytes of a character that is not complete, if there is more to come. */
function utf8Decode(bytes, fatal, state) {
    const codes = [];
    let text = '';
    let need = state?.need ?? 0;
    let code = state?.code ?? 0;
    let lower = state?.lower ?? 0x80;
    let upper = state?.upper ?? 0xbf;
    const length = typedArrayLength(bytes);
    const emit = (unit) => {
        codes[codes.length] = unit;
        if (codes.length >= 8192) {
            text += apply(fromCharCode, null, codes);
            codes.length = 0;
        }
    };
    const wrong = () => {
        if (fatal) {
            const error = new $TypeError('The encoded data was not valid for encoding utf-8');
            error.code = 'ERR_ENCODING_INVALID_ENCODED_DATA';
            throw error;
        }
        emit(0xfffd);
    };
    for (let i = 0; i < length; i++) {
        const byte = bytes[i];
        if (need === 0) {
            if (byte < 0x80) emit(byte);
            else if (byte >= 0xc2 && byte <= 0xdf) { need = 1; code = byte & 31; }
            else if (byte >= 0xe0 && byte <= 0xef) {
                need = 2; code = byte & 15;
                lower = byte === 0xe0 ? 0xa0 : 0x80; upper = byte === 0xed ? 0x9f : 0xbf;
            } else if (byte >= 0xf0 && byte <= 0xf4) {
                need = 3; code = byte & 7;
                lower = byte === 0xf0 ? 0x90 : 0x80; upper = byte === 0xf4 ? 0x8f : 0xbf;
            } else wrong();
            continue;
        }
        if (byte < lower || byte > upper) {
            need = 0; lower = 0x80; upper = 0xbf;
            wrong();
            i--;
            continue;
        }
        lower = 0x80; upper = 0xbf;
        code = (code << 6) | (byte & 63);
        if (--need === 0) {
            if (code >= 0x10000) {
                emit(0xd800 + ((code - 0x10000) >> 10));
                emit(0xdc00 + ((code - 0x10000) & 0x3ff));
            } else emit(code);
        }
    }
    if (state !== undefined) {
        state.need = need; state.code = code; state.lower = lower; state.upper = upper;
    } else if (need > 0) {
        wrong();
    }
    return text + apply(fromCharCode, null, codes);
}

function bytesOf(source) {
    if (isView(source)) {
        return typedArrayTag(source) === undefined
            ? new $Uint8Array(dataViewBuffer(source), dataViewByteOffset(source), dataViewByteLength(source))
            : new $Uint8Array(typedArrayBuffer(source), typedArrayByteOffset(source), typedArrayByteLength(source));
    }
    if (isKind(bufferByteLength, source)) {
        return new $Uint8Array(source);
    }
    const error = new $TypeError('The "input" argument must be an instance of ArrayBuffer or ArrayBufferView.');
    error.code = 'ERR_INVALID_ARG_TYPE';
    throw error;
}

function decodeUnits(bytes, size) {
    let text = '';
    const length = typedArrayLength(bytes);
    for (let start = 0; start < length; start += 16384) {
        const codes = [];
        for (let i = start; i < min(start + 16384, length - size + 1); i += size) {
            codes[codes.length] = size === 1 ? bytes[i] : bytes[i] | (bytes[i + 1] << 8);
        }
        text += apply(fromCharCode, null, codes);
    }
    return text;
}

class TextEncoder {
    get encoding() {
        return 'utf-8';
    }

    encode(text = '') {
        return utf8Encode(`${text}`);
    }

    encodeInto(text, target) {
        const [read, written] = utf8Write(`${text}`, target);
        return { read, written };
    }
}

class TextDecoder {
    #encoding;
    #fatal;
    #ignoreBom;
    #state;
    #begun = false;

    constructor(label = 'utf-8', options = {}) {
        const name = stringToLowerCase(stringTrim(`${label}`));
        const known = { __proto__: null, 'utf-8': 'utf-8', utf8: 'utf-8', 'unicode-1-1-utf-8': 'utf-8', 'utf-16le': 'utf-16le',
            'utf-16': 'utf-16le', 'ucs-2': 'utf-16le', latin1: 'windows-1252', 'iso-8859-1': 'windows-1252', ascii: 'windows-1252',
            'us-ascii': 'windows-1252', 'windows-1252': 'windows-1252' };
        this.#encoding = known[name];
        if (this.#encoding === undefined) {
            const error = new $RangeError(`The "${label}" encoding is not supported in this sandbox; utf-8, utf-16le and latin1 are`);
            error.code = 'ERR_ENCODING_NOT_SUPPORTED';
            throw error;
        }
        this.#fatal = !!options?.fatal;
        this.#ignoreBom = !!options?.ignoreBOM;
    }

    get encoding() {
        return this.#encoding;
    }

    get fatal() {
        return this.#fatal;
    }

    get ignoreBOM() {
        return this.#ignoreBom;
    }

    decode(input, options = {}) {
        const bytes = input === undefined ? new $Uint8Array(0) : bytesOf(input);
        let text;
        if (this.#encoding === 'utf-8') {
            const stream = !!options?.stream;
            this.#state ??= stream ? {} : undefined;
            text = utf8Decode(bytes, this.#fatal, this.#state);
            if (!stream && this.#state !== undefined) {
                text += this.#state.need > 0 ? '\ufffd' : '';
                this.#state = undefined;
            }
        } else {
            text = decodeUnits(bytes, this.#encoding === 'utf-16le' ? 2 : 1);
        }
        if (!this.#ignoreBom && !this.#begun && stringCharCodeAt(text, 0) === 0xfeff && this.#encoding !== 'windows-1252') {
            text = stringSlice(text, 1);
        }
        this.#begun = !!options?.stream;
        return text;
    }
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function base64Encode(bytes) {
    let text = '';
    const length = typedArrayLength(bytes);
    for (let i = 0; i < length; i += 3) {
        const bits = (bytes[i] << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
        text += BASE64[bits >> 18] + BASE64[(bits >> 12) & 63] + (i + 1 < length ? BASE64[(bits >> 6) & 63] : '=')
            + (i + 2 < length ? BASE64[bits & 63] : '=');
    }
    return text;
}

function btoa(text) {
    const string = `${text}`;
    const bytes = new $Uint8Array(string.length);
    for (let i = 0; i < string.length; i++) {
        const code = stringCharCodeAt(string, i);
        if (code > 255) {
            throw new DOMException('Invalid character', 'InvalidCharacterError');
        }
        bytes[i] = code;
    }
    return base64Encode(bytes);
}

function atob(text) {
    let clean = '';
    const string = `${text}`;
    for (let i = 0; i < string.length; i++) {
        clean += stringIncludes(' \t\n\f\r', string[i]) ? '' : string[i];
    }
    if (clean.length % 4 === 0) {
        clean = stringEndsWith(clean, '==') ? stringSlice(clean, 0, -2) : stringEndsWith(clean, '=') ? stringSlice(clean, 0, -1) : clean;
    }
    let out = '';
    let bits = 0;
    let count = 0;
    for (let i = 0; i < clean.length; i++) {
        const value = stringIndexOf(BASE64, clean[i]);
        if (value < 0 || clean.length % 4 === 1) {
            throw new DOMException('The string to be decoded is not correctly encoded.', 'InvalidCharacterError');
        }
        bits = ((bits << 6) | value) & 0xffffff;
        count += 6;
        if (count >= 8) {
            count -= 8;
            out += fromCharCode((bits >> count) & 255);
        }
    }
    return out;
}

// ---- events

class Event {
    #type;
    #options;
    #target = null;
    #prevented = false;
    #stopped = false;

    constructor(type, options = {}) {
        this.#type = `${type}`;
        this.#options = { ...options };
    }

    static target(event, target) {
        event.#target = target;
        return event;
    }

    static isStopped(event) {
        return event.#stopped;
    }

    get type() {
        return this.#type;
    }

    get target() {
        return this.#target;
    }

    get currentTarget() {
        return this.#target;
    }

    get bubbles() {
        return !!this.#options.bubbles;
    }

    get cancelable() {
        return !!this.#options.cancelable;
    }

    get defaultPrevented() {
        return this.#prevented;
    }

    preventDefault() {
        this.#prevented = this.cancelable;
    }

    stopPropagation() {}

    stopImmediatePropagation() {
        this.#stopped = true;
    }
}

class CustomEvent extends Event {
    #detail;

    constructor(type, options = {}) {
        super(type, options);
        this.#detail = options.detail ?? null;
    }

    get detail() {
        return this.#detail;
    }
}

const { target: retarget, isStopped } = Event;
delete Event.target;
delete Event.isStopped;

class EventTarget {
    #listeners = new $Map();

    addEventListener(type, listener, options = {}) {
        if (listener === null || listener === undefined) {
            return;
        }
        const list = mapGet(this.#listeners, `${type}`) ?? [];
        mapSet(this.#listeners, `${type}`, list);
        for (let i = 0; i < list.length; i++) {
            if (list[i].listener === listener) {
                return;
            }
        }
        if (options?.signal?.aborted) {
            return;
        }
        arrayPush(list, { listener, once: !!options?.once });
        options?.signal?.addEventListener('abort', () => this.removeEventListener(type, listener), { once: true });
    }

    removeEventListener(type, listener) {
        const list = mapGet(this.#listeners, `${type}`) ?? [];
        mapSet(this.#listeners, `${type}`, list.filter((entry) => entry.listener !== listener));
    }

    dispatchEvent(event) {
        retarget(event, this);
        const list = arraySlice(mapGet(this.#listeners, event.type) ?? []);
        for (let i = 0; i < list.length && !isStopped(event); i++) {
            const { listener, once } = list[i];
            if (once) {
                this.removeEventListener(event.type, listener);
            }
            try {
                if (typeof listener === 'function') {
                    apply(listener, this, [event]);
                } else {
                    listener.handleEvent(event);
                }
            } catch (error) {
                uncaught(error);
            }
        }
        return !event.defaultPrevented;
    }
}

const MAKE_SIGNAL = {};

class AbortSignal extends EventTarget {
    #aborted = false;
    #reason;
    onabort = null;

    constructor(permission) {
        if (permission !== MAKE_SIGNAL) {
            throw new $TypeError('Illegal constructor');
        }
        super();
    }

    static trigger(signal, reason = new DOMException('This operation was aborted', 'AbortError')) {
        if (!signal.#aborted) {
            signal.#aborted = true;
            signal.#reason = reason;
            const event = new Event('abort');
            retarget(event, signal);
            signal.onabort?.(event);
            signal.dispatchEvent(event);
        }
    }

    static abort(reason) {
        const signal = new AbortSignal(MAKE_SIGNAL);
        abortSignal(signal, reason);
        return signal;
    }

    static timeout(ms) {
        const signal = new AbortSignal(MAKE_SIGNAL);
        setTimeout(() => abortSignal(signal, new DOMException('The operation was aborted due to timeout', 'TimeoutError')), ms).unref();
        return signal;
    }

    static any(signals) {
        const combined = new AbortSignal(MAKE_SIGNAL);
        for (const signal of signals) {
            if (signal.aborted) {
                abortSignal(combined, signal.reason);
                break;
            }
            signal.addEventListener('abort', () => abortSignal(combined, signal.reason), { once: true });
        }
        return combined;
    }

    get aborted() {
        return this.#aborted;
    }

    get reason() {
        return this.#reason;
    }

    throwIfAborted() {
        if (this.#aborted) {
            throw this.#reason;
        }
    }
}

const abortSignal = AbortSignal.trigger;
delete AbortSignal.trigger;

class AbortController {
    #signal = new AbortSignal(MAKE_SIGNAL);

    get signal() {
        return this.#signal;
    }

    abort(reason) {
        abortSignal(this.#signal, reason);
    }
}

// ---- time and chance

const performance = {
    now: () => host(OP.NOW),
    get timeOrigin() {
        return host(OP.TIME_ORIGIN);
    },
    mark() {},
    measure() {},
    toJSON: () => ({ timeOrigin: host(OP.TIME_ORIGIN) }),
};

function fillRandom(bytes) {
    const length = typedArrayLength(bytes);
    for (let at = 0; at < length;) {
        const size = min(length - at, typedArrayLength(transfer));
        accept(host(OP.RANDOM, size));
        typedArraySet(bytes, typedArraySubarray(transfer, 0, size), at);
        at += size;
    }
}

const crypto = {
    getRandomValues(array) {
        const view = isView(array) ? typedArrayTag(array) : undefined;
        if (view === undefined || stringStartsWith(view, 'Float')) {
            throw new $TypeError('The data argument must be an integer-type TypedArray');
        }
        const bytes = bytesOf(array);
        if (typedArrayLength(bytes) > 65536) {
            throw new DOMException(`The requested length exceeds 65,536 bytes`, 'QuotaExceededError');
        }
        fillRandom(bytes);
        return array;
    },
    randomUUID() {
        const bytes = new $Uint8Array(16);
        fillRandom(bytes);
        bytes[6] = (bytes[6] & 15) | 64;
        bytes[8] = (bytes[8] & 63) | 128;
        let text = '';
        for (let i = 0; i < 16; i++) {
            text += (i === 4 || i === 6 || i === 8 || i === 10 ? '-' : '') + stringPadStart(numberToString(bytes[i], 16), 2, '0');
        }
        return text;
    },
};
