// What the host calls, and the globals of a guest.
let mainState = DONE;

function describe(error) {
    const text = (make) => {
        try {
            return stringSlice(`${make()}`, 0, ERROR_TEXT_MAX);
        } catch {
            return '';
        }
    };
    if (isObject(error) && typeof error !== 'function' && (error instanceof $Error || isNativeError(error))) {
        return [text(() => error.name), text(() => error.message), text(() => inspect(error)) || text(() => errorText(error))];
    }
    const value = text(() => inspect(error));
    return ['Error', value, `Uncaught ${value}`];
}

const ERROR_TEXT_MAX = 65536;

/** An error that ends a cell. */
function report(error) {
    const [name, value, traceback] = describe(error);
    if (cellState === FAILED) {
        write(2, `${traceback}\n`); // a cell has one error; the others still are to be seen
        return;
    }
    cellState = FAILED;
    host(OP.ERROR, name, value, traceback);
}

/** An error that nobody caught: in a program, its end. */
function uncaught(error, fromPromise = false) {
    if (currentContext !== undefined) {
        report(error);
        return;
    }
    const event = fromPromise ? 'unhandledRejection' : 'uncaughtException';
    if (process.listenerCount(event) > 0) {
        process.emit(event, error, event);
        return;
    }
    const [name, value, traceback] = describe(error);
    let shown = traceback;
    if (fromPromise && !(error instanceof $Error)) {
        shown = `[UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a catch block, `
            + `or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "${value}".]`;
    }
    write(2, `${sourceFrame(error)}${shown}\n`);
    host(OP.ERROR, name, value, traceback);
    exit(1);
}

/** The line that threw, as Node.js shows it above the stack. */
function sourceFrame(error) {
    try {
        const found = regExpExec(/\n    at (?:.*\()?(\/[^\n]*?):(\d+):(\d+)\)?(?:\n|$)/, withoutOurFrames(`${error.stack}`));
        const line = found === null ? undefined : accept(host(OP.SOURCE_LINE, found[1], +found[2]));
        return line === undefined ? '' : `${found[1]}:${found[2]}\n${line}\n${stringRepeat(' ', min(+found[3] - 1, 500))}^\n\n`;
    } catch {
        return '';
    }
}

/** A rejection that was not handled by the time its program came to rest. */
function reject(promise) {
    promiseThen(promise, undefined, (reason) => uncaught(reason, true));
}

function setEnvironment(text) {
    const env = {};
    const lines = text === '' ? [] : stringSplit(text, '\0');
    for (let i = 0; i < lines.length; i++) {
        const equals = stringIndexOf(lines[i], '=');
        env[stringSlice(lines[i], 0, equals)] = stringSlice(lines[i], equals + 1);
    }
    process.env = env;
}

function runMain(place, where, argv, environment) {
    mainPlace = place;
    directory = where;
    process.argv = ['/usr/bin/glovebox', place, ...arraySlice(stringSplit(argv, '\0'), 1)];
    setEnvironment(environment);
    try {
        const compiled = accept(host(OP.COMPILE_SCRIPT, place));
        if (compiled !== undefined) {
            runCommonJs(place, compiled);
            return;
        }
        mainState = PENDING;
        promiseThen(accept(host(OP.MODULE_EVALUATE, place)) ?? resolved, () => void (mainState = DONE), (error) => {
            mainState = FAILED;
            uncaught(error);
        });
    } catch (error) {
        uncaught(error);
    }
}

/** The end of a program that has nothing more to do. Returns its exit code, or -2 if there is more to do after all. */
function finish() {
    if (mainState === PENDING) {
        write(2, `Warning: Detected unsettled top-level await at ${mainPlace}\n`);
        emitExit(13);
        return 13;
    }
    emitExit(+(process.exitCode ?? 0));
    return +(process.exitCode ?? 0) & 255;
}

/** A cell that waits for something that never comes. */
function abandonCell() {
    report(new $Error('the cell waits for a promise that nothing will ever settle'));
}

/**
 * Where execution enters. Nothing that a guest replaced may make an exception leave: what went wrong while an error was
 * being shown is an error without words.
 */
function enter(operation, a, b, c, d) {
    try {
        return perform(operation, a, b, c, d);
    } catch {
        cellState = FAILED;
        host(OP.ERROR, 'Error', 'the error cannot be shown: the program replaced what shows it', '');
        if (currentContext === undefined) {
            host(OP.EXIT, 1);
        }
        return -1;
    }
}

/** An operation and what it needs. */
function perform(operation, a, b, c, d) {
    switch (operation) {
        case 'step': return step();
        case 'run': return runMain(a, b, c, d);
        case 'finish': return finish();
        case 'open': return openContext(a, b);
        case 'close': return closeContext(a);
        case 'execute':
            if (c !== '') {
                enterContext(a);
                const before = process.env;
                setEnvironment(c);
                process.env = { ...before, ...process.env };
            }
            executeCell(a, b);
            return cellState;
        case 'cell': return cellState;
        case 'abandon': return abandonCell();
        case 'clear': return clearTasks();
        case 'rejection': return reject(a);
        case 'resolve':
            try {
                return `=${resolve(a, b)}`;
            } catch (error) {
                return `!${error.name}\0${error.message}\0${error.code ?? ''}`;
            }
        case 'rewrite': return rewrite(a, b, c);
        case 'exports': return guarded(() => syntheticExports(a, b));
        default: throw new $Error(`no operation ${operation}`);
    }
}

/** A value, or the text of the error that came instead. */
function guarded(work) {
    try {
        return work();
    } catch (error) {
        return describe(error)[1];
    }
}

// ---- globals

function installGlobals() {
    const globals = {
        console, process, Buffer, setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate, queueMicrotask,
        structuredClone, TextEncoder, TextDecoder, atob, btoa, performance, crypto, Event, CustomEvent,
        EventTarget, AbortController, AbortSignal, DOMException, Headers, Request, Response, fetch, global: globalThis,
        display: (value) => show(value, false),
    };
    for (const name of objectKeys(globals)) {
        hide(globalThis, name, globals[name]);
    }
    for (const name of ['URL', 'URLSearchParams']) {
        defineProperty(globalThis, name, { __proto__: null, enumerable: false, configurable: true,
            get: () => {
                const value = urls()[name];
                return value === undefined ? undefined : hide(globalThis, name, value);
            }, set: (value) => hide(globalThis, name, value) });
    }
    for (const name of ['XMLHttpRequest', 'WebSocket', 'EventSource']) {
        hide(globalThis, name, closedNetwork(name));
    }
    installFill();
    installWebAssembly();
    viewTypes.Float16Array = globalThis.Float16Array;
    hide(Timeout.prototype, $Symbol.dispose, function () { this.close(); });
}

/**
 * V8 looks for an interruption when it enters a function of the guest's language, never inside its own `fill`: there an
 * innocent `new Array(1e8).fill(0)` would neither end nor heed a limit for ten seconds.
 */
function installFill() {
    const arrayFill = uncurry($Array.prototype.fill);
    hide($Array.prototype, 'fill', { fill(value, start = 0, end = undefined) {
        if (isArray(this) && this.length <= FAST_ELEMENTS_MAX) {
            return arrayFill(this, value, start, end);
        }
        const object = $Object(this);
        const length = min(max(trunc(object.length) || 0, 0), $Number.MAX_SAFE_INTEGER);
        const place = (index) => index < 0 ? max(length + index, 0) : min(index, length);
        const stop = place(end === undefined ? length : trunc(end) || 0);
        for (let i = place(trunc(start) || 0); i < stop; i++) {
            object[i] = value;
        }
        return object;
    } }.fill);
    hide($TypedArray.prototype, 'fill', { fill(value, start, end) { return typedArrayFill(this, value, start, end); } }.fill);
}

/** An array that is made longer than this begins as a dictionary. */
const FAST_ELEMENTS_MAX = 32 * 1024 * 1024;

/** Runs the usual paths once, with a host that does nothing, and leaves no trace but compiled code. */
hide(globalThis, '__warm', () => {
    host = () => undefined;
    transform('let a = 1, b = [2]; class C { m() { return `${a}`; } } await import("x"); ({ a });', 'warm');
    transform('import fs from "fs"; function f(x) { return x + 1 } const y = f(1); y', 'warm');
    rewrite('import("x"); export const y = (a) => { for (const b of a) if (b) return { ...b } };', true, '/warm');
    show([1, 'a', { b: null, c: [true] }, new $Map([[1, 2]])], true);
    write(1, format('%s %d', 'a', 1, { a: 1 }));
    describe(new $Error('warm'));
    step();
    host = undefined;
});

/** Binds this copy of the prelude to its host. Called once, before any guest code, and then gone. */
hide(globalThis, '__start', (hostFunction, transferBuffer) => {
    delete globalThis.__start;
    host = hostFunction;
    transfer = new $Uint8Array(transferBuffer);
    installGlobals();
    return enter;
});
