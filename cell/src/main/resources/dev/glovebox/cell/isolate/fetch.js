// fetch, with Headers, Request and Response. What a request may reach is decided outside; each redirect is a request of
// its own. A step of a request (connecting, sending a piece, the head of the answer, a piece of its body) is an operation
// of the host that ends with one event.
let fetching = 0;
const FETCH_WAIT = 60000;
const REDIRECTS_MAX = 20;
const steps = new $Map();

/** Starts a step. Its promise keeps the program alive. */
function fetchStep(id, begin, signal) {
    return new $Promise((resolve, reject) => {
        const give = (settle, value) => {
            if (mapDelete(steps, id)) {
                fetching--;
                signal?.removeEventListener('abort', aborted);
                settle(value);
            }
        };
        const aborted = () => {
            host(OP.FETCH_CLOSE, id);
            give(reject, signal.reason);
        };
        begin();
        fetching++;
        mapSet(steps, id, { context: currentContext, done: (value) => give(resolve, value), failed: (error) => give(reject, error) });
        signal?.addEventListener('abort', aborted, { once: true });
    });
}

/** Settles the promise of one step that has ended. Returns whether there was one. */
function takeFetchEvent() {
    const event = accept(host(OP.FETCH_EVENT));
    if (event === undefined) {
        return false;
    }
    const parts = stringSplit(event, '\0');
    const step = mapGet(steps, +parts[0]);
    if (step !== undefined) {
        const settle = parts[1] === 'error' ? () => step.failed(new $TypeError(parts[2])) : () => step.done(arraySlice(parts, 1));
        inContext(step.context, settle, undefined, []);
    }
    return true;
}

function clearFetches() {
    host(OP.FETCH_CLEAR);
    mapForEach(steps, (step, id) => mapDelete(steps, id));
    fetching = 0;
}

// ---- headers

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function headerName(name) {
    const text = `${name}`;
    if (regExpExec(TOKEN, text) === null) {
        throw new $TypeError(`"${text}" is no name of a header`);
    }
    return stringToLowerCase(text);
}

function headerValue(value) {
    let text = `${value}`;
    while (text !== '' && stringIncludes('\t\n\r ', text[0])) text = stringSlice(text, 1);
    while (text !== '' && stringIncludes('\t\n\r ', text[text.length - 1])) text = stringSlice(text, 0, -1);
    if (regExpExec(VALUE, text) === null) {
        throw new $TypeError('the value of a header holds a line end or a character that no header has');
    }
    return text;
}

class Headers {
    #lists = new $Map();

    constructor(init) {
        if (init === undefined || init === null) {
            return;
        }
        if (!isObject(init)) {
            throw new $TypeError('headers are an object, pairs, or Headers');
        }
        if (typeof init[$Symbol.iterator] === 'function') {
            for (const pair of init) {
                const both = [...pair];
                if (both.length !== 2) {
                    throw new $TypeError('each header is a pair of a name and a value');
                }
                this.append(both[0], both[1]);
            }
            return;
        }
        const names = objectKeys(init);
        for (let i = 0; i < names.length; i++) {
            this.append(names[i], init[names[i]]);
        }
    }

    static flat(headers) {
        const all = [];
        mapForEach(headers.#lists, (values, name) => {
            for (let i = 0; i < values.length; i++) {
                arrayPush(all, name, values[i]);
            }
        });
        return all;
    }

    append(name, value) {
        const key = headerName(name);
        const values = mapGet(this.#lists, key) ?? [];
        arrayPush(values, headerValue(value));
        mapSet(this.#lists, key, values);
    }

    set(name, value) {
        mapSet(this.#lists, headerName(name), [headerValue(value)]);
    }

    get(name) {
        const values = mapGet(this.#lists, headerName(name));
        return values === undefined ? null : arrayJoin(values, ', ');
    }

    getSetCookie() {
        return arraySlice(mapGet(this.#lists, 'set-cookie') ?? []);
    }

    has(name) {
        return mapHas(this.#lists, headerName(name));
    }

    delete(name) {
        mapDelete(this.#lists, headerName(name));
    }

    forEach(callback, self) {
        for (const [name, value] of this) {
            apply(callback, self, [value, name, this]);
        }
    }

    *entries() {
        const names = [];
        mapForEach(this.#lists, (values, name) => arrayPush(names, name));
        arraySort(names);
        for (let i = 0; i < names.length; i++) {
            const values = mapGet(this.#lists, names[i]) ?? [];
            if (names[i] !== 'set-cookie') {
                yield [names[i], arrayJoin(values, ', ')];
            } else {
                for (let j = 0; j < values.length; j++) {
                    yield [names[i], values[j]];
                }
            }
        }
    }

    *keys() {
        for (const entry of this.entries()) yield entry[0];
    }

    *values() {
        for (const entry of this.entries()) yield entry[1];
    }

    [$Symbol.iterator]() {
        return this.entries();
    }
}

const flatHeaders = Headers.flat;
delete Headers.flat;

// ---- bodies

/** A body as bytes, and the type that it has by itself. */
function bodyBytes(body) {
    if (body === undefined || body === null) {
        return [null, null];
    }
    if (typeof body === 'string') {
        return [utf8Encode(body), 'text/plain;charset=UTF-8'];
    }
    const URLSearchParams = urls().URLSearchParams;
    if (URLSearchParams !== undefined && body instanceof URLSearchParams) {
        return [utf8Encode(`${body}`), 'application/x-www-form-urlencoded;charset=UTF-8'];
    }
    if (isView(body) || isKind(bufferByteLength, body)) {
        const view = bytesOf(body);
        const copy = new $Uint8Array(typedArrayLength(view));
        typedArraySet(copy, view, 0);
        return [copy, null];
    }
    return [utf8Encode(`${body}`), 'text/plain;charset=UTF-8'];
}

/** What has a body: bytes that are here, or pieces that `next` brings until it brings null. */
class Body {
    #next;
    #used = false;
    #stream = null;
    #empty;

    constructor(bytes, next) {
        let left = bytes;
        this.#empty = bytes === null && next === undefined;
        this.#next = next ?? (async () => {
            const piece = left;
            left = null;
            return piece;
        });
    }

    get bodyUsed() {
        return this.#used;
    }

    get body() {
        if (this.#empty) {
            return null;
        }
        const pieces = () => this.#take();
        this.#stream ??= {
            getReader: () => {
                const next = pieces();
                return { read: async () => {
                    const value = await next();
                    return value === null ? { value: undefined, done: true } : { value, done: false };
                }, releaseLock() {}, cancel: async () => {} };
            },
            async *[$Symbol.asyncIterator]() {
                const next = pieces();
                for (let piece = await next(); piece !== null; piece = await next()) {
                    yield piece;
                }
            },
        };
        return this.#stream;
    }

    #take() {
        if (this.#used) {
            throw new $TypeError('the body was read before');
        }
        this.#used = !this.#empty;
        return this.#next;
    }

    async bytes() {
        const next = this.#take();
        const pieces = [];
        let length = 0;
        for (let piece = await next(); piece !== null; piece = await next()) {
            arrayPush(pieces, piece);
            length += typedArrayLength(piece);
        }
        if (pieces.length === 1) {
            return pieces[0];
        }
        const all = new $Uint8Array(length);
        let at = 0;
        for (let i = 0; i < pieces.length; i++) {
            typedArraySet(all, pieces[i], at);
            at += typedArrayLength(pieces[i]);
        }
        return all;
    }

    async arrayBuffer() {
        return typedArrayBuffer(await this.bytes());
    }

    async text() {
        const text = utf8Decode(await this.bytes(), false);
        return stringCharCodeAt(text, 0) === 0xfeff ? stringSlice(text, 1) : text;
    }

    async json() {
        return jsonParse(await this.text());
    }
}

class Response extends Body {
    #status;
    #statusText;
    #headers;
    #url;
    #redirected;

    constructor(body = null, init = {}, ours = undefined) {
        const answer = ours?.permission === MAKE_SIGNAL ? ours : undefined;
        const [bytes, type] = answer === undefined ? bodyBytes(body) : [null, null];
        super(bytes, answer?.next);
        const status = init?.status === undefined ? 200 : trunc(init.status);
        if (answer === undefined && !(status >= 200 && status <= 599)) {
            throw new $RangeError(`a status is 200 to 599, not ${init.status}`);
        }
        this.#status = status;
        this.#statusText = `${init?.statusText ?? ''}`;
        this.#headers = new Headers(init?.headers);
        if (type !== null && !this.#headers.has('content-type')) {
            this.#headers.set('content-type', type);
        }
        this.#url = answer?.url ?? '';
        this.#redirected = answer?.redirected ?? false;
    }

    static json(data, init = {}) {
        const response = new Response(jsonStringify(data), init);
        if (!new Headers(init?.headers).has('content-type')) {
            response.headers.set('content-type', 'application/json');
        }
        return response;
    }

    get status() {
        return this.#status;
    }

    get statusText() {
        return this.#statusText;
    }

    get ok() {
        return this.#status >= 200 && this.#status <= 299;
    }

    get headers() {
        return this.#headers;
    }

    get url() {
        return this.#url;
    }

    get redirected() {
        return this.#redirected;
    }

    get type() {
        return this.#url === '' ? 'default' : 'basic';
    }
}

// ---- requests

const STANDARD_METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'];

class Request extends Body {
    #url;
    #method;
    #headers;
    #redirect;
    #signal;
    #bytes;

    constructor(input, init = {}) {
        const from = isObject(input) && #url in input ? input : undefined;
        const [given, type] = bodyBytes(init?.body);
        const bytes = given ?? (from === undefined ? null : from.#bytes);
        super(bytes);
        this.#bytes = bytes;
        this.#url = from?.#url ?? parseUrl(input);
        let method = `${init?.method ?? from?.#method ?? 'GET'}`;
        if (regExpExec(TOKEN, method) === null) {
            throw new $TypeError(`"${method}" is no method of HTTP`);
        }
        if (STANDARD_METHODS.includes(stringToUpperCase(method))) {
            method = stringToUpperCase(method);
        }
        this.#method = method;
        if (bytes !== null && (method === 'GET' || method === 'HEAD')) {
            throw new $TypeError(`a request with method ${method} has no body`);
        }
        this.#headers = new Headers(init?.headers ?? from?.#headers);
        if (type !== null && !this.#headers.has('content-type')) {
            this.#headers.set('content-type', type);
        }
        this.#redirect = `${init?.redirect ?? from?.#redirect ?? 'follow'}`;
        if (this.#redirect !== 'follow' && this.#redirect !== 'manual' && this.#redirect !== 'error') {
            throw new $TypeError(`redirect is follow, manual or error, not "${this.#redirect}"`);
        }
        this.#signal = init?.signal ?? from?.#signal ?? undefined;
    }

    static bytesOf(request) {
        return request.#bytes;
    }

    get url() {
        return this.#url;
    }

    get method() {
        return this.#method;
    }

    get headers() {
        return this.#headers;
    }

    get redirect() {
        return this.#redirect;
    }

    get signal() {
        return this.#signal ?? new AbortController().signal;
    }

    clone() {
        return new Request(this);
    }
}

const requestBytes = Request.bytesOf;
delete Request.bytesOf;

function parseUrl(input, base) {
    const url = new (urls().URL)(`${input}`, base);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
        throw new $TypeError(`fetch goes to http: and https:, not to ${url.protocol}`);
    }
    if (url.username !== '' || url.password !== '') {
        throw new $TypeError('the URL holds a user or a password: set the header Authorization');
    }
    return `${url.href}`;
}

const closedFetch = closedNetwork('fetch');

function fetch(input, init = {}) {
    return host(OP.FETCH_IS_OPEN) === true ? follow(input, init) : closedFetch();
}

async function follow(input, init) {
    const request = new Request(input, init);
    const signal = isObject(init) && init?.signal || request.signal;
    let { url, method } = request;
    let body = requestBytes(request);
    const headers = new Headers(request.headers);
    for (let redirects = 0; ; redirects++) {
        signal.throwIfAborted();
        const response = await send(url, method, headers, body, signal, redirects > 0);
        const location = response.headers.get('location');
        const redirect = location !== null && [301, 302, 303, 307, 308].includes(response.status);
        if (!redirect || request.redirect === 'manual') {
            return response;
        }
        if (request.redirect === 'error') {
            throw new $TypeError('fetch failed: the answer is a redirect, which redirect: "error" does not want');
        }
        if (redirects >= REDIRECTS_MAX) {
            throw new $TypeError(`fetch failed: more than ${REDIRECTS_MAX} redirects`);
        }
        giveUp(response);
        const next = parseUrl(location, url);
        if (response.status === 303 && method !== 'HEAD' || response.status < 303 && method === 'POST') {
            method = method === 'HEAD' ? 'HEAD' : 'GET';
            body = null;
            for (const name of ['content-encoding', 'content-language', 'content-location', 'content-type']) {
                headers.delete(name);
            }
        }
        const URL = urls().URL;
        if (new URL(next).origin !== new URL(url).origin) {
            for (const name of ['authorization', 'cookie', 'proxy-authorization', 'host']) {
                headers.delete(name);
            }
        }
        url = next;
    }
}

const ids = new $WeakMap();

function giveUp(response) {
    const id = weakMapGet(ids, response);
    if (id !== undefined) {
        host(OP.FETCH_CLOSE, id);
    }
}

async function send(url, method, headers, body, signal, redirected) {
    const { protocol, hostname, port, pathname, search } = new (urls().URL)(url);
    const secure = protocol === 'https:';
    const length = body === null ? method === 'POST' || method === 'PUT' || method === 'PATCH' ? 0 : -1 : typedArrayLength(body);
    let id;
    try {
        id = accept(host(OP.FETCH_BEGIN, method, secure, `${hostname}`, port === '' ? secure ? 443 : 80 : +port, `${pathname}${search}`, length,
            ...flatHeaders(headers)));
        await fetchStep(id, () => undefined, signal);
        for (let at = 0; at < length; ) {
            const size = min(length - at, typedArrayLength(transfer));
            const from = at;
            await fetchStep(id, () => {
                typedArraySet(transfer, typedArraySubarray(body, from, from + size), 0);
                accept(host(OP.FETCH_WRITE, id, size));
            }, signal);
            at += size;
        }
        const parts = await fetchStep(id, () => accept(host(OP.FETCH_HEAD, id)), signal);
        return answer(id, parts, url, signal, redirected);
    } catch (error) {
        if (id !== undefined) {
            host(OP.FETCH_CLOSE, id);
        }
        if (error instanceof $TypeError) {
            throw new $TypeError(`fetch failed: ${error.message}`);
        }
        throw error;
    }
}

/** Makes a Response of the parts of a head: `head`, status, reason, names and values. */
function answer(id, parts, url, signal, redirected) {
    const headers = [];
    for (let i = 3; i + 1 < parts.length; i += 2) {
        if (regExpExec(VALUE, parts[i + 1]) !== null) {
            arrayPush(headers, [parts[i], parts[i + 1]]);
        }
    }
    let over = false;
    const next = async () => {
        if (over) {
            return null;
        }
        const [word] = await fetchStep(id, () => accept(host(OP.FETCH_READ, id)), signal);
        if (word !== 'piece') {
            over = true;
            return null;
        }
        const size = host(OP.FETCH_TAKE, id);
        const piece = new $Uint8Array(size);
        typedArraySet(piece, typedArraySubarray(transfer, 0, size), 0);
        return piece;
    };
    const response = new Response(null, { status: +parts[1], statusText: parts[2], headers },
        { permission: MAKE_SIGNAL, next, url, redirected });
    weakMapSet(ids, response, id);
    return response;
}
