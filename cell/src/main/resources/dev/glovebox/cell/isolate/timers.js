// Timers and immediates: one heap, one task a step. The host sleeps; see IsolateInterpreter.
const DELAY_MAX = 2147483647;
const heap = [];
const byId = new $Map();
let immediates = [];
let firstImmediate = 0;
let nextTimerId = 1;
let holding = 0;
let repeating = 0;

class Timeout {
    #id;
    #delay;
    #repeats;
    #due = 0;
    #sequence = 0;
    #place = -1;
    #held = true;
    #callback;
    #values;
    #context = currentContext;

    constructor(callback, delay, repeats, values) {
        this.#id = nextTimerId++;
        const ms = +delay;
        this.#delay = ms >= 1 && ms <= DELAY_MAX ? trunc(ms) : 1;
        this.#repeats = repeats;
        this.#callback = callback;
        this.#values = values;
        mapSet(byId, this.#id, this);
        Timeout.#schedule(this);
    }

    static #before(a, b) {
        return a.#due < b.#due || (a.#due === b.#due && a.#sequence < b.#sequence);
    }

    static #put(timer, place) {
        heap[place] = timer;
        timer.#place = place;
    }

    static #rise(timer, place) {
        while (place > 0) {
            const above = (place - 1) >> 1;
            if (!Timeout.#before(timer, heap[above])) {
                break;
            }
            Timeout.#put(heap[above], place);
            place = above;
        }
        Timeout.#put(timer, place);
    }

    static #sink(timer, place) {
        for (;;) {
            let below = 2 * place + 1;
            if (below >= heap.length) {
                break;
            }
            if (below + 1 < heap.length && Timeout.#before(heap[below + 1], heap[below])) {
                below++;
            }
            if (!Timeout.#before(heap[below], timer)) {
                break;
            }
            Timeout.#put(heap[below], place);
            place = below;
        }
        Timeout.#put(timer, place);
    }

    static #schedule(timer) {
        timer.#due = host(OP.NOW) + timer.#delay;
        timer.#sequence = nextTimerId++;
        heap.length++;
        Timeout.#rise(timer, heap.length - 1);
        Timeout.#hold(timer, timer.#held ? 1 : 0);
    }

    static #hold(timer, change) {
        holding += change;
        repeating += timer.#repeats ? change : 0;
    }

    static #unschedule(timer) {
        const place = timer.#place;
        if (place < 0) {
            return;
        }
        timer.#place = -1;
        Timeout.#hold(timer, timer.#held ? -1 : 0);
        const last = heap[heap.length - 1];
        heap.length--;
        if (last !== timer) {
            Timeout.#rise(last, place);
            Timeout.#sink(last, last.#place);
        }
    }

    static clear(timer) {
        if (isObject(timer) && #id in timer) {
            Timeout.#unschedule(timer);
            mapDelete(byId, timer.#id);
        } else if (typeof timer === 'number' || typeof timer === 'string') {
            const found = mapGet(byId, +timer);
            if (found !== undefined) {
                Timeout.clear(found);
            }
        }
    }

    /** Milliseconds until the first timer; -1 if none keeps the program alive. Intervals do not keep a cell alive. */
    static wait() {
        if (fetching > 0) {
            return heap.length === 0 ? FETCH_WAIT : min(FETCH_WAIT, max(0, heap[0].#due - host(OP.NOW)));
        }
        return holding === 0 || (currentContext !== undefined && cellState !== PENDING && holding === repeating) ? -1 : max(0, heap[0].#due - host(OP.NOW));
    }

    static clearAll() {
        while (heap.length > 0) {
            Timeout.clear(heap[heap.length - 1]);
        }
    }

    static runFirst() {
        const timer = heap[0];
        Timeout.#unschedule(timer);
        if (timer.#repeats) {
            Timeout.#schedule(timer);
        } else {
            mapDelete(byId, timer.#id);
        }
        return inContext(timer.#context, timer.#callback, timer, timer.#values);
    }

    ref() {
        Timeout.#hold(this, !this.#held && this.#place >= 0 ? 1 : 0);
        this.#held = true;
        return this;
    }

    unref() {
        Timeout.#hold(this, this.#held && this.#place >= 0 ? -1 : 0);
        this.#held = false;
        return this;
    }

    hasRef() {
        return this.#held;
    }

    refresh() {
        if (this.#place >= 0) {
            Timeout.#unschedule(this);
            Timeout.#schedule(this);
        }
        return this;
    }

    close() {
        Timeout.clear(this);
        return this;
    }

    [$Symbol.toPrimitive]() {
        return this.#id;
    }
}

function requireFunction(callback) {
    if (typeof callback !== 'function') {
        const error = new $TypeError(`The "callback" argument must be of type function. Received ${inspect(callback)}`);
        error.code = 'ERR_INVALID_ARG_TYPE';
        throw error;
    }
}

function setTimeout(callback, delay, ...values) {
    requireFunction(callback);
    return new Timeout(callback, delay, false, values);
}

function setInterval(callback, delay, ...values) {
    requireFunction(callback);
    return new Timeout(callback, delay, true, values);
}

function clearTimeout(timer) {
    Timeout.clear(timer);
}

function clearInterval(timer) {
    Timeout.clear(timer);
}

function setImmediate(callback, ...values) {
    requireFunction(callback);
    const immediate = { callback, values, context: currentContext };
    arrayPush(immediates, immediate);
    return immediate;
}

function clearImmediate(immediate) {
    if (isObject(immediate)) {
        immediate.callback = undefined;
    }
}

/** Forgets whatever an interrupted cell had planned. */
function clearTasks() {
    Timeout.clearAll();
    immediates = [];
    firstImmediate = 0;
    clearFetches();
}

function queueMicrotask(callback) {
    requireFunction(callback);
    promiseThen(resolved, () => {
        try {
            callback();
        } catch (error) {
            uncaught(error);
        }
    });
}

const resolved = $Promise.resolve();

/**
 * Runs one task that is due. Returns -2 if it ran one, -1 if nothing is pending, else the milliseconds to wait. A
 * microtask checkpoint follows when the host's call returns.
 */
function step() {
    if (fetching > 0 && takeFetchEvent()) {
        return -2;
    }
    const immediate = immediates[firstImmediate];
    const wait = Timeout.wait();
    if (wait === 0) {
        try {
            Timeout.runFirst();
        } catch (error) {
            uncaught(error);
        }
        return -2;
    }
    if (immediate === undefined) {
        return wait;
    }
    immediates[firstImmediate++] = null;
    if (firstImmediate === immediates.length) {
        immediates = [];
        firstImmediate = 0;
    }
    try {
        if (immediate.callback !== undefined) {
            inContext(immediate.context, immediate.callback, undefined, immediate.values);
        }
    } catch (error) {
        uncaught(error);
    }
    return -2;
}
