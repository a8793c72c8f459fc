// The JavaScript kernel of a code interpreter context: keeps the state of a notebook and runs its cells.
//
// The agent starts it as `node javascript.js [typescript]` and speaks records with it over descriptor 3, see
// docs/agent-protocol.md. Cells are evaluated by V8's own REPL mode, reached through the inspector inside this process:
// what a cell declares stays and may be declared again, and `await` works at the top level, without a parser of ours.
//
// Code in the sandbox can reach and break this. That harms that sandbox only.
'use strict';

const { Console } = require('node:console');
const inspector = require('node:inspector');
const module_ = require('node:module');
const net = require('node:net');
const path = require('node:path');
const url = require('node:url');
const util = require('node:util');
const v8 = require('node:v8');
const vm = require('node:vm');
const display = require('./javascript_display.js');
const imports = require('./javascript_imports.js');
const output = require('./javascript_output.js');
const { TAG, encode, send, Reader } = require('./javascript_records.js');

// What a cell does to these must not reach the kernel.
const push = Function.prototype.call.bind(Array.prototype.push);

const CONNECTION = 3;
const EXITED = 1;
const DROP_MILLIS = 5;
const PIECE_BYTES = 65_536; // what a socket takes at once
const ERROR_MAX = 250_000; // characters of each text of an error; the host's bound is a little more

const IMPORT = '__glovebox_import__';
const META = '__glovebox_meta__';
const VALUE = Symbol('glovebox.value');
const GO = Symbol.for('glovebox.go');

/** process.exit() ends the cell by throwing this: the kernel and its state live on. */
class CellExit {
    constructor(code) {
        this.code = code;
    }
}

let cells = 0;
let running; // of the cell that runs: { settle(error) }
let interruptedEarly = false;
let typescript = process.argv[2] === 'typescript';

let session;
let globalId; // the inspector's name for globalThis
let valueKeyId; // and for VALUE

// ---- evaluation

function post(method, parameters) {
    let outcome;
    session.post(method, parameters, (error, result) => {
        outcome = error ? { error } : { result };
    });
    return outcome;
}

/** The value that the inspector speaks of. */
function valueOf(remote) {
    globalThis[VALUE] = undefined;
    post('Runtime.callFunctionOn', {
        objectId: globalId,
        functionDeclaration: 'function (key, value) { this[key] = value; }',
        arguments: [
            { objectId: valueKeyId },
            { objectId: remote.objectId, value: remote.value, unserializableValue: remote.unserializableValue },
        ],
    });
    const value = globalThis[VALUE];
    delete globalThis[VALUE];
    return value;
}

/**
 * Also after an interrupt: the old session would answer when the garbage collector finds the promise of the cell that
 * was cut off, and calling back at that moment ends the process (Node.js 24).
 */
function connect() {
    session?.disconnect();
    session = new inspector.Session();
    session.connect();
    globalId = post('Runtime.evaluate', { expression: 'globalThis' }).result.result.objectId;
    globalThis[GO] = VALUE;
    valueKeyId = post('Runtime.evaluate', { expression: "globalThis[Symbol.for('glovebox.go')]" }).result.result.objectId;
    delete globalThis[GO];
}

/** Calls what was put there; within it, SIGINT and time-outs can end what runs. */
const go = new vm.Script("globalThis[Symbol.for('glovebox.go')]()");

/** After an interrupt: what the cell still has in the queue would run where nothing can interrupt it. */
function dropMicrotasks() {
    globalThis[GO] = runMicrotasks;
    try {
        go.runInThisContext({ timeout: DROP_MILLIS, displayErrors: false });
    } catch {
        // the time-out: the engine forgets its queue then
    }
    delete globalThis[GO];
}

/**
 * The microtasks of a cell, now: only what runs within the script of evaluate() can be interrupted. Node.js' own way
 * to do it would run its queue of ticks as well, and an interrupt in there leaves it in a state that ends the process.
 */
const runMicrotasks = (() => {
    v8.setFlagsFromString('--allow-natives-syntax');
    const run = new vm.Script('() => %PerformMicrotaskCheckpoint()').runInThisContext();
    run(); // functions are read when they are first called
    v8.setFlagsFromString('--no-allow-natives-syntax');
    return run;
})();

/**
 * Evaluates a cell and calls back with (error, value), where either is absent. The synchronous part, and the
 * microtasks that follow it, can be interrupted: SIGINT then ends them with an exception.
 */
function evaluate(source, place, done) {
    const failed = (error) => done({ error });
    let refusal;
    let inside = true;
    globalThis[GO] = () => {
        delete globalThis[GO];
        session.post(
            'Runtime.evaluate',
            {
                expression: `${source}\n//# sourceURL=${place}`,
                replMode: true,
                awaitPromise: true,
                silent: true,
                objectGroup: 'cell',
            },
            (error, answer) => {
                if (error) {
                    // An interrupt makes the inspector fail in several ways: the script below says that it was one.
                    refusal = new Error(error.message);
                    if (!inside) {
                        failed(refusal);
                    }
                } else if (answer.exceptionDetails) {
                    const details = answer.exceptionDetails;
                    const thrown = details.exception ? valueOf(details.exception) : new Error(details.text);
                    if (thrown instanceof SyntaxError && details.scriptId !== undefined) {
                        point(thrown, source, place, details);
                    }
                    failed(thrown);
                } else {
                    done({ value: valueOf(answer.result) });
                }
                post('Runtime.releaseObjectGroup', { objectGroup: 'cell' });
            },
        );
        runMicrotasks();
    };
    try {
        go.runInThisContext({ breakOnSigint: true, displayErrors: false });
        inside = false;
        if (refusal !== undefined) {
            failed(refusal);
        }
    } catch (error) {
        inside = false;
        const interrupted = error.code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED';
        failed(interrupted ? new Interruption() : error);
        if (interrupted) {
            dropMicrotasks();
            throw UNWIND;
        }
    }
}

/** Says where a cell cannot be read, as the command line does. */
function point(error, source, place, { lineNumber, columnNumber }) {
    const line = source.split('\n')[lineNumber];
    if (line === undefined || error.stack.includes(place)) {
        return;
    }
    const head = `${place}:${lineNumber + 1}\n${line}\n${' '.repeat(columnNumber)}^\n\n`;
    error.stack = `${head}${error.name}: ${error.message}`;
}

/**
 * Thrown up to Node.js after an interrupt: only for an uncaught exception does it forget which asynchronous calls it
 * believes to be in, and it ends the process if one that was cut off is still on that list.
 */
const UNWIND = Symbol('glovebox.unwind');

class Interruption extends Error {
    constructor() {
        super('the cell was interrupted');
        this.name = 'KeyboardInterrupt';
        this.stack = 'KeyboardInterrupt: the cell was interrupted';
    }
}

// ---- cells

function run(code, environment) {
    const place = `cell-${++cells}.js`;
    const before = environment.map(([name]) => [name, process.env[name]]);
    for (const [name, value] of environment) {
        process.env[name] = value;
    }
    let over = false;
    const settle = (error) => {
        if (!over) {
            over = true;
            if (error instanceof Interruption) {
                connect();
            }
            setImmediate(conclude, error, before);
        }
    };
    // Success is only certain when no promise that the cell left alone has been rejected.
    const succeed = () => setImmediate(settle);
    running = { settle };
    if (interruptedEarly) {
        interruptedEarly = false;
        settle(new Interruption());
        return;
    }
    refresh();
    let source;
    try {
        source = asExpression(imports.rewrite(typescript ? stripTypes(code) : code, IMPORT, META));
    } catch (error) {
        settle(error);
        return;
    }
    evaluate(source, place, ({ error, value }) => {
        if (error !== undefined) {
            settle(error);
        } else if (value === undefined) {
            succeed();
        } else {
            // The promise of a main() that nobody awaits: its end is the cell's end. Not before this script is over:
            // an interrupt must not cut a record in two.
            new Promise((resolve) => setImmediate(resolve, value))
                .then((result) => (result === undefined ? undefined : show(result, true)))
                .then(succeed, (reason) => settle(reason === undefined ? new Error('undefined was thrown') : reason));
        }
    });
}

function conclude(error, environment) {
    restore(environment);
    outbox.flush();
    const failed = error !== undefined && !(error instanceof CellExit && error.code === 0);
    if (failed) {
        sendError(error);
    }
    // Once around the loop: a signal that comes late still belongs to this cell.
    setImmediate(() => {
        running = undefined;
        outbox.flush();
        send(CONNECTION, [[TAG.OUTCOME, EXITED], [TAG.EXIT_CODE, failed ? 1 : 0]]);
        next();
    });
}

function restore(environment) {
    for (const [name, value] of environment) {
        if (value === undefined) {
            delete process.env[name];
        } else {
            process.env[name] = value;
        }
    }
}

function show(value, main) {
    if (main) {
        hide('_', value);
    }
    return display.whenKnown(display.bundle(value), (data) => emit(main, data));
}

function emit(main, data) {
    const fields = [[TAG.MAIN_RESULT, main ? 1 : 0]];
    for (const [type, content] of display.sendable(data)) {
        push(fields, [TAG.MIME_TYPE, type], [TAG.MIME_CONTENT, content]);
    }
    outbox.send(fields);
}

/**
 * Results on their way. A small one is written at once, in one piece; a large one, which takes several, only when no
 * cell runs: an interrupt between two pieces would break the connection's protocol.
 */
const outbox = {
    waiting: [],
    send(fields) {
        const record = encode(fields);
        if (this.waiting.length > 0 || record.length > PIECE_BYTES) {
            push(this.waiting, record);
            setImmediate(() => this.flush());
        } else {
            output.writeWhole(CONNECTION, record);
        }
    },
    flush() {
        while (this.waiting.length > 0) {
            output.writeWhole(CONNECTION, this.waiting.shift());
        }
    },
};

function sendError(error) {
    let name = 'Error';
    let value = '';
    let text = '';
    try {
        if (error instanceof CellExit) {
            name = 'ProcessExit';
            value = `process.exit(${error.code}) ended the cell`;
            text = `${name}: ${value}`;
        } else if (error instanceof Error || util.types.isNativeError(error)) {
            name = String(error.name);
            value = String(error.message);
            text = withoutKernel(util.inspect(error));
        } else {
            value = util.inspect(error);
            text = `Uncaught ${value}`;
        }
    } catch {
        text = `${name}: <this error cannot be formatted>`;
    }
    send(CONNECTION, [
        [TAG.ERROR_NAME, display.bounded(name, ERROR_MAX)],
        [TAG.ERROR_VALUE, display.bounded(value, ERROR_MAX)],
        [TAG.ERROR_TRACEBACK, display.bounded(text, ERROR_MAX)],
    ]);
}

/** A stack without the frames of the kernel and of what carries it. */
function withoutKernel(stack) {
    return stack
        .split('\n')
        .filter((line) => {
            if (!/^\s+at /.test(line)) {
                return true;
            }
            return !line.includes(__filename) && !/\(?node:(inspector|vm|internal\/process\/task_queues)|evalmachine\.<anonymous>/.test(line);
        })
        .join('\n');
}

/** What looks like an object is one, and no block with labels, as in other consoles. */
function asExpression(source) {
    if (!/^\s*\{/.test(source) || /;\s*$/.test(source)) {
        return source;
    }
    try {
        void new vm.Script(`(${source}\n)`);
        return `(${source}\n)`;
    } catch {
        return source;
    }
}

function stripTypes(code) {
    if (typeof module_.stripTypeScriptTypes !== 'function') {
        throw new Error(
            `this template's Node.js ${process.version} does not understand TypeScript: use a template with 22.13 or ` +
                'newer, or --tier isolate',
        );
    }
    const { emitWarning } = process;
    process.emitWarning = () => {}; // that it is experimental is known
    try {
        try {
            return module_.stripTypeScriptTypes(code);
        } catch (error) {
            if (error.code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') {
                throw error;
            }
            return module_.stripTypeScriptTypes(code, { mode: 'transform' }); // enums and namespaces
        }
    } finally {
        process.emitWarning = emitWarning;
    }
}

// ---- what cells find

function hide(name, value) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
}

/** What depends on the working directory, which a cell may have changed. */
function refresh() {
    let directory = '/';
    try {
        directory = process.cwd();
    } catch {
        // the directory went away
    }
    const place = path.join(directory, 'cell.js');
    const require_ = module_.createRequire(place);
    require_.main = globalThis.module;
    hide('require', require_);
    hide('__dirname', directory);
    hide('__filename', place);
    hide(META, { url: url.pathToFileURL(place).href, dirname: directory, filename: place });
    hide(IMPORT, importer(place, require_));
}

function importer(place, require_) {
    const loader = vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER;
    if (loader !== undefined) {
        const script = new vm.Script('(specifier, options) => import(specifier, options)', {
            filename: place,
            importModuleDynamically: loader,
        });
        return script.runInThisContext();
    }
    return async (specifier) => {
        const text = String(specifier);
        if (/^[a-z]+:/.test(text) || module_.isBuiltin(text)) {
            return import(text);
        }
        return import(url.pathToFileURL(require_.resolve(text)).href);
    };
}

function furnish() {
    // One of our own, because the inspector would keep what the usual one writes.
    const own = new Console({ stdout: process.stdout, stderr: process.stderr, colorMode: false });
    hide('console', own);
    hide('display', (...values) => {
        const shown = values.map((value) => show(value, false)).filter(util.types.isPromise);
        return shown.length > 0 ? Promise.all(shown).then(() => undefined) : undefined;
    });
    hide('module', { exports: {}, children: [], paths: [], id: '.', filename: '', loaded: true });
    hide('exports', globalThis.module.exports);
    process.exit = (code = process.exitCode ?? 0) => {
        throw new CellExit(Number(code));
    };
    process.argv = [process.execPath, ''];
}

// ---- the agent

const waiting = [];

function next() {
    const request = waiting.shift();
    if (request !== undefined) {
        start(request);
    }
}

function start(fields) {
    const texts = (tag) => fields.filter(([candidate]) => candidate === tag).map(([, bytes]) => bytes);
    const code = Buffer.concat(texts(TAG.CODE)).toString('utf8');
    const environment = texts(TAG.ENVIRONMENT)
        .map((bytes) => /^([^=]+)=([^]*)$/.exec(bytes.toString('utf8')))
        .filter(Boolean)
        .map(([, name, value]) => [name, value]);
    const language = texts(TAG.LANGUAGE)[0]?.toString('utf8');
    typescript = language === undefined ? typescript : language === 'typescript';
    run(code, environment);
}

function receive(fields) {
    push(waiting, fields);
    if (running === undefined && waiting.length === 1) {
        // Not from within this callback's microtasks: the cell's own must be free to run.
        running = { settle() {} };
        setImmediate(next);
    }
}

process.on('SIGINT', () => {
    if (running !== undefined) {
        running.settle(new Interruption());
    } else {
        // Perhaps meant for code that is on its way, perhaps too late.
        interruptedEarly = true;
        setImmediate(() => setImmediate(() => (interruptedEarly = false)));
    }
});

function stray(error) {
    if (error === UNWIND) {
        return;
    }
    if (running !== undefined) {
        running.settle(error === undefined ? new Error('undefined was thrown') : error);
    } else if (!(error instanceof CellExit)) {
        process.stderr.write(`Uncaught after its cell had ended: ${withoutKernel(display.inspect(error))}\n`);
    }
}

process.on('uncaughtException', stray);
process.on('unhandledRejection', stray);

output.install();
furnish();
connect();
const exitNow = process.reallyExit.bind(process, 0);
const reader = new Reader();
const socket = new net.Socket({ fd: CONNECTION, readable: true, writable: false });
socket.on('data', (chunk) => reader.push(chunk, receive));
socket.on('end', exitNow).on('close', exitNow).on('error', exitNow);
send(CONNECTION, [[TAG.STARTED, 1]]);
