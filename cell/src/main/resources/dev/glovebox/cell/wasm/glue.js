// What runs as JavaScript in an isolate of the wasm tier: all of it. It makes instances and passes calls on.
// Guest code is WebAssembly and cannot reach anything here.
//
// `host` is one function of Java; its arguments and its result travel in `exchange`, slots of 8 bytes:
// 0: number of the called function | 1 if the guest is to be unwound
// 1: result | pages of memory
// 2 and up: arguments
// 33: 1 to interrupt QuickJS
(function (host, exchange) {
  'use strict';
  const ints = new Int32Array(exchange);
  const longs = new BigInt64Array(exchange);
  const INTERRUPT = 66;
  const UNWOUND = {};
  const RETURNED = 0, IS_UNWOUND = 1, STACK_OVERFLOW = 2, TRAPPED = 3, NOT_EXPORTED = 4;
  const tables = {};
  const rejections = new Map();
  let module, memory, instance, failure = '';

  function wrap(number) {
    return function () {
      const count = arguments.length;
      for (let i = 0; i < count; i++) {
        const value = arguments[i];
        if (typeof value === 'bigint') longs[i + 2] = value;
        else ints[2 * i + 4] = value;
      }
      ints[0] = number;
      ints[3] = memory.buffer.byteLength / 65536;
      host();
      if (ints[1] !== 0) throw UNWOUND;
      return ints[2];
    };
  }

  // What QuickJS imports. A call of `host(operation, text)` in QuickJS reaches Java as numbers of the operation and of
  // where the text is; Java returns the length of its answer, -1 for none, or -2 minus the length for an error.
  function quickJs(call, fetch) {
    const word = (pointer) => new Uint32Array(memory.buffer, pointer, 1)[0];
    function answer(length) {
      const at = instance.exports.wasm_malloc(length + 1);
      if (at !== 0) {
        fetch(at);
        new Uint8Array(memory.buffer)[at + length] = 0;
      }
      return at;
    }
    function ask(operation, text, length) {
      return call(operation, text, length);
    }
    const cString = (at) => new Uint8Array(memory.buffer).indexOf(0, at) - at;
    const MODULE_NORMALIZE = 100, MODULE_LOAD = 101;
    return {
      host_interrupt: () => ints[INTERRUPT],
      host_get_timezone_offset: () => 0,
      host_promise_rejection(promise, reason, handled) {
        const e = instance.exports;
        const key = e.qjs_get_value_ptr(promise);
        e.qjs_free_value(promise);
        if (handled) {
          rejections.delete(key);
          e.qjs_free_value(reason);
        } else if (rejections.size < 100) {
          rejections.set(key, reason);
        }
      },
      host_module_normalize(base, name) {
        // Both are needed at once: the base goes first, without an answer.
        ask(MODULE_NORMALIZE + 10, base, cString(base));
        const length = ask(MODULE_NORMALIZE, name, cString(name));
        return length < 0 ? 0 : answer(length);
      },
      host_module_load(name, lengthAt) {
        const length = ask(MODULE_LOAD, name, cString(name));
        if (length < 0) return 0;
        const at = answer(length);
        new Uint32Array(memory.buffer, lengthAt, 1)[0] = length;
        return at;
      },
      host_call(name, nameLength, self, count, values) {
        const e = instance.exports;
        const lengthAt = e.wasm_malloc(4);
        if (count < 2 || lengthAt === 0) return e.qjs_get_undefined();
        const operation = e.qjs_get_float64(word(values));
        const text = e.qjs_get_string_len(word(values + 4), lengthAt);
        const length = ask(operation, text, text === 0 ? 0 : word(lengthAt));
        e.qjs_free_cstring(text);
        e.wasm_free(lengthAt);
        if (length === -1) return e.qjs_get_undefined();
        const failed = length < 0;
        const at = answer(failed ? -2 - length : length);
        if (at === 0) return e.qjs_get_undefined();
        const value = e.qjs_new_string(at, failed ? -2 - length : length);
        e.wasm_free(at);
        return failed ? (e.qjs_throw(value), 0) : value;
      },
    };
  }

  function guarded(action) {
    try {
      const result = action();
      if (typeof result === 'number') ints[2] = result;
      return RETURNED;
    } catch (error) {
      if (error === UNWOUND) return IS_UNWOUND;
      if (error instanceof RangeError) return STACK_OVERFLOW;
      failure = String(error && error.message).slice(0, 300);
      return TRAPPED;
    } finally {
      if (memory !== undefined) ints[3] = memory.buffer.byteLength / 65536;
    }
  }

  return {
    compile(bytes) {
      module = new WebAssembly.Module(bytes);
    },
    // One line for each function that we offer: `module.name`; its number is that of the line.
    offer(names) {
      const lines = names.split('\n');
      lines.forEach((line, number) => {
        const dot = line.indexOf('.');
        const from = line.slice(0, dot);
        (tables[from] ??= Object.create(null))[line.slice(dot + 1)] = wrap(number);
      });
      const call = lines.indexOf('quickjs.call');
      if (call >= 0) tables.env = quickJs(wrap(call), wrap(lines.indexOf('quickjs.fetch')));
    },
    memory(initial, maximum) {
      memory = new WebAssembly.Memory({ initial, maximum });
      return memory.buffer;
    },
    // Returns RETURNED, or TRAPPED with failure().
    instantiate(ownsMemory) {
      return guarded(() => {
        const imports = Object.assign(Object.create(null), tables);
        if (!ownsMemory) imports.env = Object.assign(Object.create(null), tables.env, { memory });
        instance = new WebAssembly.Instance(module, imports);
        if (ownsMemory) memory = instance.exports.memory;
      });
    },
    buffer() {
      return memory.buffer;
    },
    call(name, ...values) {
      const target = instance.exports[name];
      return typeof target === 'function' ? guarded(() => target(...values)) : NOT_EXPORTED;
    },
    // The reason of an unhandled rejection, once, or 0.
    rejection() {
      for (const [key, reason] of rejections) {
        rejections.delete(key);
        return reason;
      }
      return 0;
    },
    failure() {
      return failure;
    },
    drop() {
      instance = memory = undefined;
      rejections.clear();
    },
  };
})
