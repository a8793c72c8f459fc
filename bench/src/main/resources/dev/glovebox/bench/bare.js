// The bare primitive that the product is measured beside: V8, a module, and no more of WASI than it takes to print.
// Every file is missing, every clock stands still. Nothing here is isolated from anything.
(function () {
  'use strict';
  const BADF = 8, NOENT = 44, NOSYS = 52;
  const modules = Object.create(null);
  const instances = new Map();
  let next = 1, output = '';

  function wasi(module, view) {
    const table = {};
    for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
      if (kind === 'function') (table[from] ??= {})[name] = () => NOSYS;
    }
    const p1 = (table.wasi_snapshot_preview1 ??= {});
    const zeroes = (first, second) => {
      view().setUint32(first, 0, true);
      view().setUint32(second, 0, true);
      return 0;
    };
    p1.environ_sizes_get = p1.args_sizes_get = zeroes;
    p1.environ_get = p1.args_get = () => 0;
    p1.clock_time_get = (clock, precision, result) => {
      view().setBigUint64(result, 1_700_000_000_000_000_000n, true);
      return 0;
    };
    p1.random_get = () => 0;
    p1.fd_prestat_get = () => BADF;
    p1.path_filestat_get = p1.path_open = () => NOENT;
    p1.fd_fdstat_get = (fd, result) => {
      if (fd > 4) return BADF;
      for (let i = 0; i < 24; i++) view().setUint8(result + i, i === 0 ? 2 : i < 8 ? 0 : 255);
      return 0;
    };
    p1.fd_filestat_get = (fd, result) => {
      if (fd > 4) return BADF;
      for (let i = 0; i < 64; i++) view().setUint8(result + i, i === 16 ? 2 : 0);
      return 0;
    };
    p1.fd_seek = () => 70; // ESPIPE
    p1.fd_read = (fd, vectors, count, result) => zeroes(result, result);
    p1.fd_write = (fd, vectors, count, result) => {
      const memory = view();
      let total = 0;
      for (let i = 0; i < count; i++) {
        const start = memory.getUint32(vectors + 8 * i, true);
        const length = memory.getUint32(vectors + 8 * i + 4, true);
        if (fd === 1) for (let j = 0; j < length; j++) output += String.fromCharCode(memory.getUint8(start + j));
        total += length;
      }
      memory.setUint32(result, total, true);
      return 0;
    };
    p1.proc_exit = () => {
      throw new Error('exit');
    };
    return table;
  }

  function instantiate(module) {
    let instance, memory, last;
    const view = () => {
      const buffer = memory.buffer;
      if (last === undefined || last.buffer !== buffer) last = new DataView(buffer);
      return last;
    };
    instance = new WebAssembly.Instance(module, wasi(module, view));
    memory = instance.exports.memory;
    return { exports: instance.exports, memory };
  }

  function take() {
    const text = output;
    output = '';
    return text;
  }

  return {
    compile(name, bytes) {
      modules[name] = new WebAssembly.Module(bytes);
    },
    // A WASI command: compiled, instantiated, run. Returns what it printed.
    command(bytes) {
      instantiate(new WebAssembly.Module(bytes)).exports._start();
      return take();
    },
    make(name) {
      instances.set(next, instantiate(modules[name]));
      return next++;
    },
    // One request to the Python image, as in guest/python-wasm/README.md. Returns what it printed.
    python(handle, request) {
      const { exports, memory } = instances.get(handle);
      const at = exports.gb_alloc(request.length);
      const bytes = new Uint8Array(memory.buffer, at, request.length);
      for (let i = 0; i < request.length; i++) bytes[i] = request.charCodeAt(i);
      const status = exports.gb_call(at, request.length);
      if (status !== 0) throw new Error('status ' + status);
      return take();
    },
    drop(handle) {
      instances.delete(handle);
    },
  };
})
