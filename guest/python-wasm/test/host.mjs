// A host for python.wasm, as small as the tests allow: WASI preview 1 over a file system in memory.
// It is a test double of the cell's host, and shows what the module needs of one.
import { randomFillSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync, inflateRawSync } from 'node:zlib';

const E = { BADF: 8, EXIST: 20, INVAL: 28, ISDIR: 31, NOENT: 44, NOSYS: 52, NOTDIR: 54, NOTEMPTY: 55, ROFS: 69, SPIPE: 70 };
const UNKNOWN = 0, CHARACTER_DEVICE = 2, DIRECTORY = 3, FILE = 4;
const text = new TextDecoder(), bytes = new TextEncoder();
let inodes = 1n;

const directory = () => ({ type: DIRECTORY, inode: inodes++, entries: new Map(), mtime: BigInt(Date.now()) * 1000000n });
const file = (data, readOnly = false) =>
  ({ type: FILE, inode: inodes++, data, size: data.length, readOnly, mtime: BigInt(Date.now()) * 1000000n });

export class Host {
  /** zip: the bytes of python313.zip; files: {absolute path: text}. */
  constructor(module, zip, files = {}) {
    this.module = module;
    this.root = directory();
    for (const path of ['lib', 'tmp', 'home', 'home/user']) this.place(path, directory());
    this.place('lib/python313.zip', file(zip, true));
    for (const [path, content] of Object.entries(files)) this.place(path.slice(1), file(bytes.encode(content)));
    this.output = { 1: [], 2: [], 4: [] };
    this.stdin = new Uint8Array(0);
    this.fds = new Map([
      [0, { stream: 0 }], [1, { stream: 1 }], [2, { stream: 2 }],
      [3, { node: this.root, position: 0 }], [4, { stream: 4 }],
    ]);
    this.calls = {};
    this.interruptAfter = Infinity;
  }

  place(path, node) {
    const parts = path.split('/').filter(Boolean), name = parts.pop();
    let at = this.root;
    for (const part of parts) {
      if (!at.entries.has(part)) at.entries.set(part, directory());
      at = at.entries.get(part);
    }
    at.entries.set(name, node);
  }

  async instantiate() {
    const imports = {};
    for (const { name } of WebAssembly.Module.imports(this.module)) {
      const f = this[name];
      imports[name] = f === undefined ? () => E.NOSYS : f.bind(this);
    }
    this.instance = new WebAssembly.Instance(this.module, { wasi_snapshot_preview1: imports });
    this.exports = this.instance.exports;
    return this;
  }

  /** Makes this instance one that has only just started; start: the bytes of python-start.wasm. */
  start(start) {
    this.u8.set(new Uint8Array(new WebAssembly.Instance(new WebAssembly.Module(start)).exports.memory.buffer));
    this.exports.gb_init();
  }

  // ---------------------------------------------------------------- the contract

  call(request) {
    const data = bytes.encode(JSON.stringify(request));
    const pointer = this.exports.gb_alloc(data.length);
    this.u8.set(data, pointer);
    this.output = { 1: [], 2: [], 4: [] };
    const status = this.exports.gb_call(pointer, data.length);
    const out = (fd) => text.decode(Buffer.concat(this.output[fd]));
    return { status, stdout: out(1), stderr: out(2), results: out(4).split('\n').filter(Boolean).map((line) => JSON.parse(line)) };
  }

  boot(extra = {}) {
    const entropy = Buffer.alloc(64);
    randomFillSync(entropy);
    return this.call({ op: 'boot', entropy: entropy.toString('hex'), argv: ['main.py'], env: { HOME: '/home/user' }, cwd: '/home/user', ...extra });
  }

  run(code, extra = {}) { return this.call({ op: 'run', code, filename: '/home/user/main.py', ...extra }); }
  execute(code, context = 'c1', extra = {}) { return this.call({ op: 'execute', context, code, ...extra }); }

  interrupt() {
    const at = this.exports.gb_interrupt_cells();
    const [breaker, tripped, anyTripped] = [0, 4, 8].map((o) => this.view.getUint32(at + o, true));
    this.view.setUint32(tripped, 1, true);
    this.view.setUint32(anyTripped, 1, true);
    this.view.setUint32(breaker, this.view.getUint32(breaker, true) | this.exports.gb_interrupt_bit(), true);
  }

  // ---------------------------------------------------------------- WASI

  get view() { return new DataView(this.exports.memory.buffer); }
  get u8() { return new Uint8Array(this.exports.memory.buffer); }
  string(pointer, length) { return text.decode(this.u8.slice(pointer, pointer + length)); }

  // Walks a path; a host for real sandboxes would also bound depth and length.
  resolve(fd, path) {
    let node = this.fds.get(fd)?.node;
    if (node === undefined) return { errno: E.BADF };
    let parent = node, name = '';
    for (const part of path.split('/')) {
      if (part === '' || part === '.') continue;
      if (node === undefined) return { errno: E.NOENT };
      if (node.type !== DIRECTORY) return { errno: E.NOTDIR };
      parent = node; name = part; node = node.entries.get(part);
    }
    return { errno: 0, parent, name, node };
  }

  environ_sizes_get(count, size) { this.view.setUint32(count, 0, true); this.view.setUint32(size, 0, true); return 0; }
  environ_get() { return 0; }
  clock_res_get(id, out) { this.view.setBigUint64(out, 1000n, true); return 0; }
  clock_time_get(id, precision, out) {
    if (this.interruptAfter-- <= 0) { this.interruptAfter = Infinity; this.interrupt(); }
    const now = id === 0 ? BigInt(Date.now()) * 1000000n : process.hrtime.bigint();
    this.view.setBigUint64(out, now, true);
    return 0;
  }
  random_get(pointer, length) { randomFillSync(this.u8, pointer, length); return 0; }
  sched_yield() { return 0; }
  proc_exit(status) { throw new Error(`proc_exit(${status})`); }
  poll_oneoff(subscriptions, events, count, countOut) {
    // Clocks only: waits for the first of them, and reports all as over.
    const view = this.view;
    let wait = Infinity;
    for (let i = 0; i < count; i++) {
      const at = subscriptions + i * 48;
      if (view.getUint8(at + 8) !== 0) { wait = 0; continue; }
      let timeout = Number(view.getBigUint64(at + 24, true)) / 1e6;
      if (view.getUint16(at + 40, true) & 1) timeout -= view.getUint32(at + 16, true) === 0 ? Date.now() : Number(process.hrtime.bigint()) / 1e6;
      wait = Math.min(wait, Math.max(0, timeout));
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
    for (let i = 0; i < count; i++) {
      const at = events + i * 32;
      view.setBigUint64(at, view.getBigUint64(subscriptions + i * 48, true), true);
      view.setUint16(at + 8, 0, true);
      view.setUint8(at + 10, view.getUint8(subscriptions + i * 48 + 8));
    }
    view.setUint32(countOut, count, true);
    return 0;
  }

  fd_prestat_get(fd, out) {
    if (fd !== 3) return E.BADF;
    this.view.setUint32(out, 0, true); this.view.setUint32(out + 4, 1, true);
    return 0;
  }
  fd_prestat_dir_name(fd, pointer) { this.u8[pointer] = 47; return 0; }
  fd_close(fd) { return this.fds.delete(fd) ? 0 : E.BADF; }
  fd_fdstat_get(fd, out) {
    const entry = this.fds.get(fd);
    if (!entry) return E.BADF;
    const type = entry.node?.type ?? (entry.stream === 4 ? CHARACTER_DEVICE : UNKNOWN);
    const view = this.view;
    view.setUint8(out, type); view.setUint16(out + 2, entry.append ? 1 : 0, true);
    view.setBigUint64(out + 8, 0x1fffffffn, true); view.setBigUint64(out + 16, 0x1fffffffn, true);
    return 0;
  }
  fd_fdstat_set_flags() { return 0; }
  stat(node, out) {
    const view = this.view;
    this.u8.fill(0, out, out + 64);
    view.setBigUint64(out, 1n, true); view.setBigUint64(out + 8, node?.inode ?? 0n, true);
    view.setUint8(out + 16, node?.type ?? UNKNOWN); view.setBigUint64(out + 24, 1n, true);
    view.setBigUint64(out + 32, BigInt(node?.size ?? 0), true);
    for (const at of [40, 48, 56]) view.setBigUint64(out + at, node?.mtime ?? 0n, true);
    return 0;
  }
  fd_filestat_get(fd, out) { const entry = this.fds.get(fd); return entry ? this.stat(entry.node, out) : E.BADF; }
  fd_filestat_set_size(fd, size) {
    const { node } = this.fds.get(fd) ?? {};
    if (!node) return E.BADF;
    this.resize(node, Number(size)); node.size = Number(size);
    return 0;
  }
  path_filestat_get(fd, flags, pointer, length, out) {
    const { errno, node } = this.resolve(fd, this.string(pointer, length));
    return errno || (node ? this.stat(node, out) : E.NOENT);
  }
  path_filestat_set_times(fd, flags, pointer, length) {
    const { errno, node } = this.resolve(fd, this.string(pointer, length));
    return errno || (node ? 0 : E.NOENT);
  }
  path_open(fd, lookup, pointer, length, oflags, rights, inheriting, fdflags, out) {
    const [CREAT, DIRECTORY_ONLY, EXCL, TRUNC] = [1, 2, 4, 8];
    let { errno, parent, name, node } = this.resolve(fd, this.string(pointer, length));
    if (errno) return errno;
    const writes = (rights & 64n) !== 0n;
    if (!node) {
      if (!(oflags & CREAT)) return E.NOENT;
      parent.entries.set(name, node = file(new Uint8Array(0)));
    } else if (oflags & EXCL) return E.EXIST;
    if (oflags & DIRECTORY_ONLY && node.type !== DIRECTORY) return E.NOTDIR;
    if (writes && node.type === DIRECTORY && oflags & (CREAT | TRUNC)) return E.ISDIR;
    if (writes && node.readOnly) return E.ROFS;
    if (oflags & TRUNC) node.size = 0;
    let opened = 5;
    while (this.fds.has(opened)) opened++;
    this.fds.set(opened, { node, position: 0, append: (fdflags & 1) !== 0 });
    this.view.setUint32(out, opened, true);
    return 0;
  }
  path_create_directory(fd, pointer, length) {
    const { errno, parent, name, node } = this.resolve(fd, this.string(pointer, length));
    if (errno || node) return errno || E.EXIST;
    parent.entries.set(name, directory());
    return 0;
  }
  path_unlink_file(fd, pointer, length) {
    const { errno, parent, name, node } = this.resolve(fd, this.string(pointer, length));
    if (errno || !node) return errno || E.NOENT;
    if (node.type === DIRECTORY) return E.ISDIR;
    parent.entries.delete(name);
    return 0;
  }
  path_remove_directory(fd, pointer, length) {
    const { errno, parent, name, node } = this.resolve(fd, this.string(pointer, length));
    if (errno || !node) return errno || E.NOENT;
    if (node.type !== DIRECTORY) return E.NOTDIR;
    if (node.entries.size) return E.NOTEMPTY;
    parent.entries.delete(name);
    return 0;
  }
  path_rename(fd, pointer, length, fd2, pointer2, length2) {
    const from = this.resolve(fd, this.string(pointer, length)), to = this.resolve(fd2, this.string(pointer2, length2));
    if (from.errno || to.errno) return from.errno || to.errno;
    if (!from.node) return E.NOENT;
    from.parent.entries.delete(from.name);
    to.parent.entries.set(to.name, from.node);
    return 0;
  }
  path_readlink() { return E.INVAL; }
  fd_readdir(fd, buffer, size, cookie, usedOut) {
    const { node } = this.fds.get(fd) ?? {};
    if (node?.type !== DIRECTORY) return E.NOTDIR;
    const names = [...node.entries.keys()].slice(Number(cookie));
    let used = 0;
    for (const [i, name] of names.entries()) {
      const raw = bytes.encode(name), entry = new Uint8Array(24 + raw.length), v = new DataView(entry.buffer);
      v.setBigUint64(0, cookie + BigInt(i) + 1n, true); v.setBigUint64(8, node.entries.get(name).inode, true);
      v.setUint32(16, raw.length, true); v.setUint8(20, node.entries.get(name).type);
      entry.set(raw, 24);
      const part = entry.subarray(0, Math.min(entry.length, size - used));
      this.u8.set(part, buffer + used); used += part.length;
      if (used === size) break;
    }
    this.view.setUint32(usedOut, used, true);
    return 0;
  }
  vectors(pointer, count) {
    const view = this.view, buffer = this.exports.memory.buffer;
    return Array.from({ length: count }, (_, i) =>
      new Uint8Array(buffer, view.getUint32(pointer + 8 * i, true), view.getUint32(pointer + 8 * i + 4, true)));
  }
  fd_read(fd, pointer, count, readOut) {
    const entry = this.fds.get(fd);
    if (!entry) return E.BADF;
    if (entry.node?.type === DIRECTORY) return E.ISDIR;
    let read = 0;
    for (const vector of this.vectors(pointer, count)) {
      const source = entry.node ? entry.node.data.subarray(entry.position, entry.node.size) : this.stdin;
      const part = source.subarray(0, vector.length);
      vector.set(part);
      if (entry.node) entry.position += part.length; else this.stdin = this.stdin.subarray(part.length);
      read += part.length;
      if (part.length < vector.length) break;
    }
    this.view.setUint32(readOut, read, true);
    return 0;
  }
  resize(node, size) {
    if (size <= node.data.length) return;
    const larger = new Uint8Array(Math.max(size, node.data.length * 2));
    larger.set(node.data.subarray(0, node.size));
    node.data = larger;
  }
  fd_write(fd, pointer, count, writtenOut) {
    const entry = this.fds.get(fd);
    if (!entry) return E.BADF;
    let written = 0;
    for (const vector of this.vectors(pointer, count)) {
      if (entry.node) {
        if (entry.append) entry.position = entry.node.size;
        this.resize(entry.node, entry.position + vector.length);
        entry.node.data.set(vector, entry.position);
        entry.position += vector.length;
        entry.node.size = Math.max(entry.node.size, entry.position);
      } else this.output[entry.stream]?.push(Buffer.from(vector));
      written += vector.length;
    }
    this.view.setUint32(writtenOut, written, true);
    return 0;
  }
  fd_seek(fd, offset, whence, out) {
    const entry = this.fds.get(fd);
    if (!entry) return E.BADF;
    if (!entry.node) return E.SPIPE;
    const base = [0, entry.position, entry.node.size][whence];
    entry.position = base + Number(offset);
    this.view.setBigUint64(out, BigInt(entry.position), true);
    return 0;
  }
  fd_tell(fd, out) { return this.fd_seek(fd, 0n, 1, out); }
}

export function load(dist) {
  const wasm = gunzipSync(readFileSync(`${dist}/python.wasm.gz`));
  const start = gunzipSync(readFileSync(`${dist}/python-start.wasm.gz`));
  return { wasm, module: new WebAssembly.Module(wasm), start, zip: repack(readFileSync(`${dist}/python313.zip`)) };
}

/** python313.zip with its entries stored: what the image expects at /lib/python313.zip. */
export function repack(zip) {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.length);
  let end = zip.length - 22;
  while (view.getUint32(end, true) !== 0x06054b50) end--;
  const parts = [], central = [];
  let offset = 0;
  for (let at = view.getUint32(end + 16, true), i = view.getUint16(end + 10, true); i > 0; i--) {
    const packed = view.getUint32(at + 20, true), size = view.getUint32(at + 24, true), nameLength = view.getUint16(at + 28, true);
    const entry = Buffer.from(zip.subarray(at, at + 46 + nameLength));
    const local = view.getUint32(at + 42, true);
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const data = inflateRawSync(zip.subarray(start, start + packed));
    const header = Buffer.from(zip.subarray(local, start));
    header.writeUInt16LE(0, 8); header.writeUInt32LE(size, 18);
    entry.writeUInt16LE(0, 10); entry.writeUInt32LE(size, 20); entry.writeUInt32LE(offset, 42);
    parts.push(header, data); central.push(entry);
    offset += header.length + size;
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  const directory = Buffer.concat(central), tail = Buffer.from(zip.subarray(end));
  tail.writeUInt32LE(directory.length, 12); tail.writeUInt32LE(offset, 16);
  return new Uint8Array(Buffer.concat([...parts, directory, tail]));
}
