// Runs inside QuickJS once, when the image is made: what programs expect of a JavaScript host, and the few functions by
// which the cell drives them. Guest code can break all of it, and harms only itself.
(function (host) {
  'use strict';
  const STDOUT = 1, STDERR = 2, DOCUMENT = 3, EXIT = 4, SETTLED = 5, READ = 6, WRITE = 7, LIST = 8, STAT = 9, MAKE = 10,
    REMOVE = 11, RENAME = 12, APPEND = 13, INPUT = 14, DECODE = 15, STDOUT_BYTES = 16, STDERR_BYTES = 17, WRITE_BYTES = 18,
    APPEND_BYTES = 19;
  const { stringify, parse } = JSON;
  const now = () => Date.now();

  // ---- showing values

  const KEYS_MAX = 100, DEPTH_MAX = 4, TEXT_MAX = 1 << 20;

  function inspect(value, depth = 0, seen = []) {
    switch (typeof value) {
      case 'string': return depth === 0 ? value : "'" + value.replace(/\\/g, '\\\\').replace(/'/g, "\\'").replace(/\n/g, '\\n') + "'";
      case 'bigint': return value + 'n';
      case 'symbol': return value.toString();
      case 'function': return /^class\b/.test(Function.prototype.toString.call(value)) ? `[class ${value.name || '(anonymous)'}]` : `[Function${value.name ? ': ' + value.name : ' (anonymous)'}]`;
      case 'object': break;
      default: return Object.is(value, -0) ? '-0' : String(value);
    }
    if (value === null) return 'null';
    if (value instanceof Error) return describe(value);
    if (value instanceof Date) return isNaN(value) ? 'Invalid Date' : value.toISOString();
    if (value instanceof RegExp) return String(value);
    if (value instanceof Promise) return 'Promise {}';
    if (seen.includes(value)) return '[Circular]';
    const name = value.constructor && value.constructor.name;
    if (depth >= DEPTH_MAX) return Array.isArray(value) ? '[Array]' : `[${name || 'Object'}]`;
    const inner = [...seen, value];
    const show = (v) => inspect(v, depth + 1, inner);
    if (Array.isArray(value)) return list('', '[', ']', value.slice(0, KEYS_MAX).map(show), value.length - KEYS_MAX);
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return list(`${name}(${value.length}) `, '[', ']', Array.from(value.slice(0, KEYS_MAX), show), value.length - KEYS_MAX);
    if (value instanceof Map) return list(`Map(${value.size}) `, '{', '}', [...value].slice(0, KEYS_MAX).map(([k, v]) => `${show(k)} => ${show(v)}`), value.size - KEYS_MAX);
    if (value instanceof Set) return list(`Set(${value.size}) `, '{', '}', [...value].slice(0, KEYS_MAX).map(show), value.size - KEYS_MAX);
    const keys = Object.keys(value);
    const entries = keys.slice(0, KEYS_MAX).map((key) => `${/^[A-Za-z_$][\w$]*$/.test(key) ? key : show(key)}: ${show(value[key])}`);
    return list(name === 'Object' || name === undefined ? '' : name + ' ', '{', '}', entries, keys.length - KEYS_MAX);
  }

  function list(prefix, open, close, parts, more) {
    if (more > 0) parts.push(`... ${more} more`);
    if (parts.length === 0) return prefix + open + close;
    const line = parts.join(', ');
    if (line.length <= 72 && !line.includes('\n')) return `${prefix}${open} ${line} ${close}`;
    return `${prefix}${open}\n  ${parts.join(',\n').replace(/\n/g, '\n  ')}\n${close}`;
  }

  function describe(error) {
    const head = `${error.name}: ${error.message}`;
    return error.stack ? `${head}\n${String(error.stack).trimEnd()}` : head;
  }

  function format(values) {
    let parts = values;
    let first = '';
    if (typeof values[0] === 'string' && values.length > 1 && /%[sdifjoO%]/.test(values[0])) {
      let next = 1;
      first = values[0].replace(/%[sdifjoO%]/g, (mark) => {
        if (mark === '%%') return '%';
        if (next >= values.length) return mark;
        const value = values[next++];
        switch (mark) {
          case '%s': return typeof value === 'string' ? value : inspect(value, 1);
          case '%d': return String(Number(value));
          case '%i': return String(parseInt(value));
          case '%f': return String(parseFloat(value));
          case '%j': return stringify(value);
          default: return inspect(value, 1);
        }
      });
      parts = values.slice(next);
      return [first, ...parts.map((v) => inspect(v))].join(' ');
    }
    return parts.map((v) => inspect(v)).join(' ');
  }

  // ---- console, process

  let indent = '';
  const timers = new Map(), counts = new Map(), labels = new Map();
  const out = (...values) => { host(STDOUT, indented(format(values)) + '\n'); };
  const err = (...values) => { host(STDERR, indented(format(values)) + '\n'); };
  const indented = (text) => (indent === '' ? text : indent + text.replace(/\n/g, '\n' + indent));
  // Bytes cross to the host as hexadecimal digits, text as it is.
  const DIGITS = Array.from({ length: 256 }, (_, i) => (i < 16 ? '0' : '') + i.toString(16));
  const isBytes = (value) => value instanceof Uint8Array || value instanceof ArrayBuffer;
  const toHex = (value) => {
    const bytes = value instanceof ArrayBuffer ? new Uint8Array(value) : value;
    const parts = [];
    for (let i = 0; i < bytes.length; i++) parts.push(DIGITS[bytes[i]]);
    return parts.join('');
  };
  const fromHex = (text) => {
    const bytes = new Uint8Array(text.length / 2);
    for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(text.slice(2 * i, 2 * i + 2), 16);
    return bytes;
  };
  function write(asText, asBytes, content) {
    if (isBytes(content)) host(asBytes, toHex(content));
    else host(asText, String(content));
  }
  const console = {
    log: out, info: out, debug: out, dir: (value) => out(value), error: err, warn: err,
    trace: (...values) => err('Trace:', ...values),
    assert: (ok, ...values) => { if (!ok) err('Assertion failed' + (values.length ? ':' : ''), ...values); },
    group: (...values) => { if (values.length) out(...values); indent += '  '; },
    groupEnd: () => { indent = indent.slice(2); },
    count: (label = 'default') => { counts.set(label, (counts.get(label) ?? 0) + 1); out(`${label}: ${counts.get(label)}`); },
    time: (label = 'default') => { labels.set(label, now()); },
    timeEnd: (label = 'default') => { out(`${label}: ${now() - labels.get(label)}ms`); },
    table: (value) => out(value),
  };
  const process = {
    argv: [], env: {}, platform: 'wasi', version: 'quickjs', pid: 1,
    cwd: () => directory,
    exit(code = 0) { host(EXIT, String(code & 255)); },
    stdout: { write(content) { write(STDOUT, STDOUT_BYTES, content); return true; } },
    stderr: { write(content) { write(STDERR, STDERR_BYTES, content); return true; } },
    get stdin() { return stdin; },
    hrtime: Object.assign(() => [Math.floor(now() / 1000), (now() % 1000) * 1e6], { bigint: () => BigInt(now()) * 1000000n }),
    nextTick: (f, ...values) => { Promise.resolve().then(() => f(...values)); },
  };
  let directory = '/';

  // ---- timers

  let lastTimer = 0;
  function later(f, delay, values, again) {
    const id = ++lastTimer;
    const wait = Math.max(1, Math.min(Number(delay) || 0, 0x7fffffff));
    timers.set(id, { id, f, values, due: now() + wait, every: again ? wait : 0 });
    return id;
  }
  const clear = (id) => { timers.delete(id); };

  // Runs what is due; returns the milliseconds until something is due again, -1 if nothing is left.
  function tick() {
    let next = null;
    for (const timer of timers.values()) if (next === null || timer.due < next.due) next = timer;
    if (next === null) return -1;
    const wait = next.due - now();
    if (wait > 0) return Math.ceil(wait);
    if (next.every > 0) next.due = now() + next.every;
    else timers.delete(next.id);
    next.f(...next.values);
    return 0;
  }

  // ---- standard input: a read blocks the guest, as it does everywhere

  const decode = (hex) => host(DECODE, hex);
  const readAll = () => {
    const parts = [];
    for (let part = host(INPUT, ''); part !== ''; part = host(INPUT, '')) parts.push(part);
    return parts.join('');
  };
  class Emitter {
    #listeners = new Map();
    on(event, f) {
      this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), f]);
      this.added(event);
      return this;
    }
    once(event, f) {
      const first = (...values) => { this.off(event, first); f(...values); };
      return this.on(event, first);
    }
    off(event, f) {
      this.#listeners.set(event, (this.#listeners.get(event) ?? []).filter((each) => each !== f));
      return this;
    }
    emit(event, ...values) {
      for (const f of this.#listeners.get(event) ?? []) f(...values);
    }
    added() {}
  }
  class Input extends Emitter {
    #flows = false;
    #paused = false;
    #encoding = null;
    fd = 0;
    isTTY = false;
    setEncoding(encoding) { this.#encoding = encoding; return this; }
    added(event) { if (event === 'data' || event === 'readable') this.resume(); }
    pause() { this.#paused = true; return this; }
    resume() {
      this.#paused = false;
      if (!this.#flows) {
        this.#flows = true;
        later(() => this.#read(), 0, [], false);
      }
      return this;
    }
    #read() {
      this.#flows = false;
      if (this.#paused) return;
      const part = host(INPUT, '');
      if (part === '') {
        this.emit('end');
        this.emit('close');
        return;
      }
      this.emit('data', this.#encoding === null ? fromHex(part) : decode(part));
      this.resume();
    }
    async *[Symbol.asyncIterator]() {
      for (let part = host(INPUT, ''); part !== ''; part = host(INPUT, '')) {
        yield this.#encoding === null ? fromHex(part) : decode(part);
      }
    }
  }
  const stdin = new Input();
  // Lines of the input. A line is decoded when it is whole, so a character is never cut.
  function* lines() {
    let rest = '';
    for (let part = host(INPUT, ''); part !== ''; part = host(INPUT, '')) {
      rest += part;
      for (let end = newline(rest); end >= 0; end = newline(rest)) {
        yield decode(rest.slice(0, end)).replace(/\r$/, '');
        rest = rest.slice(end + 2);
      }
    }
    if (rest !== '') yield decode(rest);
  }
  function newline(hex) {
    for (let at = hex.indexOf('0a'); at >= 0; at = hex.indexOf('0a', at + 1)) if (at % 2 === 0) return at;
    return -1;
  }
  class Lines extends Emitter {
    #lines = lines();
    #flows = false;
    added(event) {
      if (event === 'line' && !this.#flows) {
        this.#flows = true;
        later(() => this.#read(), 0, [], false);
      }
    }
    #read() {
      const { value, done } = this.#lines.next();
      if (done) {
        this.emit('close');
        return;
      }
      this.emit('line', value);
      later(() => this.#read(), 0, [], false);
    }
    question(query, answer) {
      host(STDOUT, String(query));
      const { value, done } = this.#lines.next();
      if (!done) answer(value);
    }
    close() { this.#lines.return(); }
    async *[Symbol.asyncIterator]() { yield* this.#lines; }
  }

  // ---- files

  const absolute = (path) => (String(path).startsWith('/') ? String(path) : directory + '/' + path);
  const pair = (a, b) => stringify([a, b]);
  const ask = (operation, text) => {
    try {
      return host(operation, text);
    } catch (words) {
      throw new Error(String(words));
    }
  };
  function store(asText, asBytes, path, content) {
    if (isBytes(content)) ask(asBytes, pair(absolute(path), toHex(content)));
    else ask(asText, pair(absolute(path), String(content)));
  }
  const fs = {
    readFileSync: (path) => (path === 0 || path === '/dev/stdin' ? decode(readAll()) : ask(READ, absolute(path))),
    writeFileSync: (path, content) => { store(WRITE, WRITE_BYTES, path, content); },
    appendFileSync: (path, content) => { store(APPEND, APPEND_BYTES, path, content); },
    readdirSync: (path) => parse(ask(LIST, absolute(path))),
    statSync: (path) => {
      const [type, size, modified] = parse(ask(STAT, absolute(path)));
      return { size, mtimeMs: modified, isFile: () => type === 1, isDirectory: () => type === 2, isSymbolicLink: () => type === 3 };
    },
    existsSync: (path) => { try { ask(STAT, absolute(path)); return true; } catch { return false; } },
    mkdirSync: (path, options) => { ask(MAKE, pair(absolute(path), !!(options && options.recursive))); },
    rmSync: (path, options) => { ask(REMOVE, pair(absolute(path), !!(options && options.recursive))); },
    unlinkSync: (path) => { ask(REMOVE, pair(absolute(path), false)); },
    renameSync: (from, to) => { ask(RENAME, pair(absolute(from), absolute(to))); },
  };
  fs.promises = Object.fromEntries(Object.entries(fs).filter(([name]) => name.endsWith('Sync'))
    .map(([name, f]) => [name.slice(0, -4), async (...values) => f(...values)]));

  function require(name) {
    switch (String(name).replace(/^node:/, '')) {
      case 'fs': return fs;
      case 'fs/promises': return fs.promises;
      case 'process': return process;
      case 'readline': return { createInterface: () => new Lines() };
      case 'util': return { inspect: (value) => inspect(value, 1), format: (...values) => format(values) };
      default: throw new Error(`Cannot find module '${name}': this tier has fs, process, readline and util; for packages use tier gvisor, microvm or jail`);
    }
  }

  // ---- randomness: the image holds the state of Math.random, so each sandbox must bring its own

  let a = 1, b = 2, c = 3, d = 4;
  function random32() {
    const t = b << 9;
    let r = Math.imul(b, 5);
    r = Math.imul((r << 7) | (r >>> 25), 9);
    c ^= a; d ^= b; b ^= c; a ^= d; c ^= t;
    d = (d << 11) | (d >>> 21);
    return r >>> 0;
  }
  Math.random = function random() {
    return ((random32() >>> 5) * 67108864 + (random32() >>> 6)) / 9007199254740992;
  };

  // ---- what the cell calls

  const bundle = (value) => {
    const data = { 'text/plain': inspect(value, typeof value === 'string' ? 1 : 0).slice(0, TEXT_MAX) };
    if (typeof value === 'object' && value !== null) {
      try {
        const json = stringify(value);
        if (json !== undefined && json.length <= TEXT_MAX) data['application/json'] = json;
      } catch {}
    }
    return data;
  };
  let showsResult = false;
  const glovebox = {
    boot(given) {
      process.argv = given.argv;
      process.env = given.env;
      directory = given.cwd;
      [a, b, c, d] = given.seed;
    },
    environment(env) { process.env = env; },
    result(shows) { showsResult = shows; },
    // The promise of a script's end: shows its value, or its error.
    settle(promise) {
      promise.then((end) => {
        const value = end !== null && typeof end === 'object' && 'value' in end && Object.keys(end).length === 1 ? end.value : end;
        if (showsResult && value !== undefined) host(DOCUMENT, stringify({ type: 'result', main: true, data: bundle(value) }));
        host(SETTLED, 'ok');
      }, fail).catch(fail);
    },
    fail,
    tick,
  };
  function fail(error) {
    let name = 'Error', value = '', traceback = '';
    try {
      if (error instanceof Error) [name, value, traceback] = [String(error.name), String(error.message), describe(error)];
      else [name, value, traceback] = ['Uncaught', inspect(error), 'Uncaught ' + inspect(error, 1)];
    } catch {}
    if (!showsResult) host(STDERR, 'Uncaught ' + traceback + '\n');
    host(DOCUMENT, stringify({ type: 'error', name, value: value.slice(0, TEXT_MAX), traceback: traceback.slice(0, TEXT_MAX) }));
    host(SETTLED, 'error');
  }
  const display = (...values) => { for (const value of values) host(DOCUMENT, stringify({ type: 'result', main: false, data: bundle(value) })); };

  const hidden = (name, value) => Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  hidden('console', console);
  hidden('process', process);
  hidden('require', require);
  hidden('display', display);
  hidden('setTimeout', (f, delay, ...values) => later(f, delay, values, false));
  hidden('setInterval', (f, delay, ...values) => later(f, delay, values, true));
  hidden('setImmediate', (f, ...values) => later(f, 0, values, false));
  hidden('clearTimeout', clear);
  hidden('clearInterval', clear);
  hidden('clearImmediate', clear);
  hidden('global', globalThis);
  Object.defineProperty(globalThis, '__glovebox', { value: Object.freeze(glovebox), enumerable: false });
})(__host);
delete globalThis.__host;
