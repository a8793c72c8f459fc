// The modules of Node.js that exist here, each made when it is first asked for.
const TIERS = 'jail, gvisor or microvm';

/** Evaluates a bundled CommonJS library. */
function library(run, process) {
    const module = { exports: {} };
    run(module, module.exports, undefined, process);
    return module.exports;
}

// A fifth of the snapshot, and few programs ask for it: evaluated when the first one does.
let urlLibrary;

function urls() {
    if (urlLibrary === undefined) {
        urlLibrary = {}; // the library looks whether the global object has a URL already, and must find none
        urlLibrary = library(VENDOR.url);
    }
    return urlLibrary;
}
const bufferModule = library(VENDOR.buffer);
const { Buffer } = bufferModule;
const EventEmitter = library(VENDOR.events);
const path = library(VENDOR.path, { cwd: () => directory });
const acorn = library(VENDOR.acorn);
hide(Buffer.prototype, customInspect, function () {
    let text = '';
    for (let i = 0; i < min(50, this.length); i++) {
        text += ` ${stringPadStart(numberToString(this[i], 16), 2, '0')}`;
    }
    const rest = this.length - 50;
    return `<Buffer${text}${rest > 0 ? ` ... ${rest} more byte${rest > 1 ? 's' : ''}` : ''}>`;
});

function makeUtil() {
    const promisify = (work) => {
        requireFunction(work);
        if (typeof work[promisify.custom] === 'function') {
            return work[promisify.custom];
        }
        return function (...values) {
            return new $Promise((resolve, reject) => apply(work, this, [...values, (error, value) => error ? reject(error) : resolve(value)]));
        };
    };
    promisify.custom = $Symbol.for('nodejs.util.promisify.custom');
    hide(setTimeout, promisify.custom, timersPromises.setTimeout);
    hide(setImmediate, promisify.custom, timersPromises.setImmediate);
    const kinds = {
        isMap: (value) => isKind(mapSize, value), isSet: (value) => isKind(setSize, value), isDate: (value) => isKind(dateGetTime, value),
        isRegExp: (value) => objectToString(value) === '[object RegExp]', isNativeError, isPromise,
        isTypedArray: (value) => isView(value) && typedArrayTag(value) !== undefined, isArrayBuffer: (value) => isKind(bufferByteLength, value),
        isAnyArrayBuffer: (value) => isKind(bufferByteLength, value), isArrayBufferView: isView,
        isUint8Array: (value) => isView(value) && typedArrayTag(value) === 'Uint8Array',
        isAsyncFunction: (value) => objectToString(value) === '[object AsyncFunction]',
        isGeneratorFunction: (value) => objectToString(value) === '[object GeneratorFunction]',
        isBoxedPrimitive: (value) => isObject(value) && boxed(value) !== undefined,
    };
    return {
        inspect, format, promisify, types: kinds, TextEncoder, TextDecoder,
        formatWithOptions: (_, ...values) => format(...values),
        isDeepStrictEqual: (a, b) => isDeepEqual(a, b, true),
        inherits: (child, parent) => {
            hide(child, 'super_', parent);
            $Object.setPrototypeOf(child.prototype, parent.prototype);
        },
        callbackify: (work) => (...values) => {
            const done = values.pop();
            promiseThen($Promise.resolve(work(...values)), (value) => setImmediate(done, null, value), (error) => setImmediate(done, error));
        },
        deprecate: (work) => work,
        debuglog: () => () => {},
        isArray,
        stripVTControlCharacters: (text) => `${text}`.replace(/\u001b\[[0-9;]*[A-Za-z]/g, ''),
        styleText: (_, text) => text,
        toUSVString: (text) => `${text}`.toWellFormed(),
    };
}

const timersPromises = {
    setTimeout: (delay, value, options) => new $Promise((resolve, reject) => {
        if (options?.signal?.aborted) {
            reject(options.signal.reason);
            return;
        }
        const timer = setTimeout(() => resolve(value), delay);
        options?.signal?.addEventListener('abort', () => {
            clearTimeout(timer);
            reject(options.signal.reason);
        }, { once: true });
    }),
    setImmediate: (value) => new $Promise((resolve) => setImmediate(() => resolve(value))),
    async* setInterval(delay, value) {
        for (;;) {
            await timersPromises.setTimeout(delay);
            yield value;
        }
    },
    scheduler: { wait: (delay) => timersPromises.setTimeout(delay), yield: () => timersPromises.setImmediate() },
};

const osModule = {
    EOL: '\n', arch: () => 'glovebox', platform: () => 'glovebox', type: () => 'Glovebox', release: () => VERSION, version: () => VERSION,
    hostname: () => 'sandbox', homedir: () => '/home/user', tmpdir: () => '/tmp', endianness: () => 'LE', cpus: () => [], loadavg: () => [0, 0, 0],
    availableParallelism: () => 1, networkInterfaces: () => ({}), uptime: () => host(OP.NOW) / 1000,
    totalmem: () => host(OP.MEMORY_LIMIT), freemem: () => host(OP.MEMORY_LIMIT),
    userInfo: () => ({ username: 'user', uid: 1000, gid: 1000, shell: null, homedir: '/home/user' }), constants: { signals: {} }, devNull: '/dev/null',
};

class Interface extends EventEmitter {
    #input;
    #lines = [];
    #closed = false;

    constructor(options) {
        super();
        this.#input = options?.input ?? process.stdin;
        this.line = '';
        setImmediate(() => this.#pump(''));
    }

    #pump(rest) {
        if (this.#closed) {
            return;
        }
        const chunk = this.#input === process.stdin ? readStdin() : null;
        const parts = stringSplit(rest + (chunk === null ? '' : utf8Decode(chunk, false, this.#state)), '\n');
        for (let i = 0; i < parts.length - 1; i++) {
            this.emit('line', stringEndsWith(parts[i], '\r') ? stringSlice(parts[i], 0, -1) : parts[i]);
        }
        const last = parts[parts.length - 1];
        if (chunk === null) {
            if (last !== '') {
                this.emit('line', last);
            }
            this.close();
        } else {
            setImmediate(() => this.#pump(last));
        }
    }

    #state = {};

    question(query, options, done = options) {
        write(1, query);
        this.once('line', done);
    }

    setPrompt() {}

    prompt() {}

    write() {}

    pause() {
        return this;
    }

    resume() {
        return this;
    }

    close() {
        if (!this.#closed) {
            this.#closed = true;
            this.emit('close');
        }
    }

    async* [$Symbol.asyncIterator]() {
        const lines = [];
        let wake = () => {};
        this.on('line', (line) => {
            arrayPush(lines, line);
            wake();
        });
        this.on('close', () => wake());
        for (;;) {
            while (lines.length > 0) {
                yield lines.shift();
            }
            if (this.#closed) {
                return;
            }
            await new $Promise((resolve) => void (wake = resolve));
        }
    }
}

/** One chunk of standard input; null at its end. It blocks the program, not the host. */
function readStdin() {
    const count = fileCall('read', undefined, OP.FILE_READ, 0, -1, typedArrayLength(transfer));
    if (count === 0) {
        return null;
    }
    const chunk = new $Uint8Array(count);
    typedArraySet(chunk, typedArraySubarray(transfer, 0, count), 0);
    return chunk;
}

class Stdin extends EventEmitter {
    #encoding = null;
    #flowing = false;
    #ended = false;
    #state = {};
    fd = 0;
    isTTY = false;
    readable = true;

    on(name, listener) {
        super.on(name, listener);
        if (name === 'data' || name === 'readable') {
            this.resume();
        }
        return this;
    }

    setEncoding(encoding) {
        this.#encoding = encoding;
        return this;
    }

    resume() {
        if (!this.#flowing) {
            this.#flowing = true;
            setImmediate(() => this.#pump());
        }
        return this;
    }

    pause() {
        this.#flowing = false;
        return this;
    }

    #pump() {
        if (!this.#flowing || this.#ended) {
            return;
        }
        const chunk = this.#next();
        if (chunk === null) {
            this.emit('end');
            this.emit('close');
        } else {
            this.emit('data', chunk);
            setImmediate(() => this.#pump());
        }
    }

    #next() {
        const chunk = this.#ended ? null : readStdin();
        if (chunk === null) {
            this.#ended = true;
            return null;
        }
        return this.#encoding === null ? Buffer.from(typedArrayBuffer(chunk)) : utf8Decode(chunk, false, this.#state);
    }

    read() {
        return this.#next();
    }

    async* [$Symbol.asyncIterator]() {
        for (let chunk = this.#next(); chunk !== null; chunk = this.#next()) {
            yield chunk;
        }
    }

    ref() { return this; }
    unref() { return this; }
}

function makeOutput(descriptor) {
    const stream = new EventEmitter();
    return $Object.assign(stream, {
        fd: descriptor, isTTY: false, writable: true, columns: 80,
        write(data, encoding, done = encoding) {
            if (typeof data === 'string') {
                write(descriptor, data);
            } else {
                writeFrom(descriptor, dataBytes(data, null), -1);
            }
            if (typeof done === 'function') {
                setImmediate(done);
            }
            return true;
        },
        end(data) {
            if (data !== undefined) {
                stream.write(data);
            }
            return stream;
        },
        cork() {}, uncork() {},
    });
}

/** `process`. Its state is the interpreter's; environment and arguments are set for each run. */
function makeProcess() {
    const process = new EventEmitter();
    const hrtime = (before) => {
        const now = host(OP.NOW);
        const seconds = floor(now / 1000);
        const nanos = floor((now - seconds * 1000) * 1e6);
        return before === undefined ? [seconds, nanos]
            : nanos < before[1] ? [seconds - before[0] - 1, nanos - before[1] + 1e9] : [seconds - before[0], nanos - before[1]];
    };
    hrtime.bigint = () => $BigInt(floor(host(OP.NOW) * 1e6));
    const memoryUsage = () => ({ rss: host(OP.MEMORY_USED), heapTotal: host(OP.MEMORY_USED), heapUsed: host(OP.MEMORY_USED), external: 0, arrayBuffers: 0 });
    return $Object.assign(process, {
        title: 'glovebox', platform: 'glovebox', arch: 'glovebox', version: VERSION, versions: { glovebox: VERSION, v8: V8_VERSION },
        pid: 1, ppid: 0, argv: ['glovebox'], argv0: 'glovebox', execArgv: [], execPath: '/usr/bin/glovebox', env: {}, exitCode: undefined,
        release: { name: 'glovebox' }, features: {}, config: {},
        stdin: new Stdin(), stdout: makeOutput(1), stderr: makeOutput(2),
        hrtime, memoryUsage, exit,
        cwd: () => directory,
        chdir: (to) => {
            const place = fileCall('chdir', `${to}`, OP.CHANGE_DIRECTORY, pathText(to));
            directory = place;
        },
        nextTick: (callback, ...values) => queueMicrotask(() => callback(...values)),
        uptime: () => host(OP.NOW) / 1000,
        cpuUsage: () => ({ user: floor(host(OP.CPU_MICROS)), system: 0 }),
        emitWarning: (warning) => write(2, `(glovebox) ${warning instanceof $Error ? warning : `Warning: ${warning}`}\n`),
        getuid: () => 1000, getgid: () => 1000, geteuid: () => 1000, getegid: () => 1000, umask: () => 0o22,
        abort: () => exit(134),
        kill: () => {
            throw new $Error(`process.kill does not exist in the isolate tier; a tier with processes is ${TIERS}`);
        },
    });
}

let directory = '/';

/** Ends the program. The host has the last word: execution is terminated when control comes back. */
function exit(code) {
    if (code !== undefined) {
        process.exitCode = code;
    }
    emitExit(+(process.exitCode ?? 0));
    host(OP.EXIT, +(process.exitCode ?? 0) & 255);
    for (;;);
}

let exiting = false;

function emitExit(code) {
    if (!exiting) {
        exiting = true;
        try {
            process.emit('exit', code);
        } catch (error) {
            report(error);
            process.exitCode = 1;
        }
    }
}

const process = makeProcess();
const console = makeConsole();
const builtinCache = new $Map();
const makers = {
    __proto__: null,
    fs: makeFs,
    'fs/promises': () => builtin('fs').promises,
    path: () => path,
    'path/posix': () => path,
    util: makeUtil,
    'util/types': () => builtin('util').types,
    assert: makeAssert,
    'assert/strict': () => builtin('assert').strict,
    events: () => EventEmitter,
    os: () => osModule,
    buffer: () => ({ ...bufferModule, atob, btoa, constants: { MAX_LENGTH: 2 ** 32, MAX_STRING_LENGTH: 2 ** 29 - 24 } }),
    process: () => process,
    console: () => console,
    timers: () => ({ setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate, promises: timersPromises }),
    'timers/promises': () => timersPromises,
    url: () => ({ ...urls(),
        fileURLToPath: (url) => decodeURIComponent((typeof url === 'string' ? new (urls().URL)(url) : url).pathname),
        pathToFileURL: (name) => new (urls().URL)(`file://${encodeURI(path.resolve(directory, name))}`) }),
    perf_hooks: () => ({ performance }),
    readline: () => ({ Interface, createInterface: (options) => new Interface(options) }),
    'readline/promises': () => ({ Interface, createInterface: (options) => {
        const lines = new Interface(options);
        const ask = lines.question;
        lines.question = (query) => new $Promise((resolve) => apply(ask, lines, [query, resolve]));
        return lines;
    } }),
    string_decoder: () => ({ StringDecoder: class StringDecoder {
        #decoder;
        constructor(encoding = 'utf8') { this.#decoder = new TextDecoder(encoding); }
        write(bytes) { return this.#decoder.decode(bytes, { stream: true }); }
        end(bytes) { return this.#decoder.decode(bytes); }
    } }),
    crypto: () => ({ webcrypto: crypto, randomUUID: crypto.randomUUID, getRandomValues: crypto.getRandomValues,
        randomBytes: (size) => {
            const bytes = new $Uint8Array(size);
            fillRandom(bytes);
            return Buffer.from(typedArrayBuffer(bytes));
        },
        randomInt: (low, high = undefined) => {
            const [from, to] = high === undefined ? [0, low] : [low, high];
            const bytes = new $Uint8Array(6);
            fillRandom(bytes);
            let value = 0;
            for (let i = 0; i < 6; i++) {
                value = value * 256 + bytes[i];
            }
            return from + floor(value / 2 ** 48 * (to - from));
        } }),
};

function isBuiltin(name) {
    return makers[name] !== undefined;
}

function builtin(name) {
    if (!mapHas(builtinCache, name)) {
        mapSet(builtinCache, name, makers[name]());
    }
    return mapGet(builtinCache, name);
}

/** What a network function answers: that there is no network, and that this is meant. */
function closedNetwork(name) {
    return { [name]: function () {
        throw new $ReferenceError(`${name} is not defined: the network is closed in this sandbox`);
    } }[name];
}
