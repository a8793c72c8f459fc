// node:fs over the sandbox's files. A descriptor is the host's; everything else is built on open, read, write, close.
const FLAGS = { __proto__: null, r: 0, 'r+': 1, w: 7, 'w+': 7, wx: 15, 'wx+': 15, a: 19, 'a+': 19, ax: 27, 'ax+': 27 };

function pathText(path) {
    if (typeof path === 'string') {
        if (stringIncludes(path, '\0')) {
            const error = new $TypeError("The argument 'path' must be a string without null bytes.");
            error.code = 'ERR_INVALID_ARG_VALUE';
            throw error;
        }
        return path;
    }
    if (isView(path)) {
        return utf8Decode(bytesOf(path), false);
    }
    if (urlLibrary !== undefined && path instanceof urlLibrary.URL && path.protocol === 'file:') {
        return decodeURIComponent(path.pathname);
    }
    const error = new $TypeError(`The "path" argument must be of type string or an instance of Buffer or URL. Received ${inspect(path)}`);
    error.code = 'ERR_INVALID_ARG_TYPE';
    throw error;
}

/** One call about files: the host's refusal becomes an Error as Node.js makes it. */
function fileCall(call, path, operation, ...values) {
    const reply = host(operation, ...values);
    if (typeof reply === 'string' && stringCharCodeAt(reply, 0) === 33) {
        const [code, words, number] = stringSplit(stringSlice(reply, 1), '\0');
        const error = new $Error(`${code}: ${words}, ${call}${path === undefined ? '' : ` '${path}'`}`);
        error.errno = -number;
        error.code = code;
        error.syscall = call;
        if (path !== undefined) {
            error.path = path;
        }
        throw error;
    }
    return typeof reply === 'string' ? stringSlice(reply, 1) : reply;
}

function openSync(path, flags = 'r') {
    const name = pathText(path);
    const bits = typeof flags === 'number' ? (flags & 3 ? 1 : 0) | (flags & 64 ? 2 : 0) | (flags & 512 ? 4 : 0) | (flags & 128 ? 8 : 0) | (flags & 1024 ? 16 : 0) : FLAGS[flags];
    if (bits === undefined) {
        throw new $TypeError(`The argument 'flags' is invalid. Received ${inspect(flags)}`);
    }
    return fileCall('open', name, OP.FILE_OPEN, name, bits);
}

function closeSync(descriptor) {
    fileCall('close', undefined, OP.FILE_CLOSE, +descriptor);
}

/** Reads into `bytes`; at `position`, or where the last read ended if it is negative. */
function readInto(descriptor, bytes, position) {
    const length = typedArrayLength(bytes);
    let done = 0;
    while (done < length) {
        const piece = min(length - done, typedArrayLength(transfer));
        const count = fileCall('read', undefined, OP.FILE_READ, descriptor, position < 0 ? -1 : position + done, piece);
        typedArraySet(bytes, typedArraySubarray(transfer, 0, count), done);
        done += count;
        if (count === 0 || descriptor <= 2) {
            break;
        }
    }
    return done;
}

function writeFrom(descriptor, bytes, position) {
    const length = typedArrayLength(bytes);
    let done = 0;
    while (done < length) {
        const piece = min(length - done, typedArrayLength(transfer));
        typedArraySet(transfer, typedArraySubarray(bytes, done, done + piece), 0);
        const count = fileCall('write', undefined, OP.FILE_WRITE, descriptor, position < 0 ? -1 : position + done, piece);
        if (count === 0) {
            break;
        }
        done += count;
    }
    return done;
}

function withFile(path, flags, use) {
    if (typeof path === 'number') {
        return use(path);
    }
    const descriptor = openSync(path, flags);
    try {
        return use(descriptor);
    } finally {
        closeSync(descriptor);
    }
}

function encodingOf(options) {
    return typeof options === 'string' ? options : options?.encoding ?? null;
}

function readAll(descriptor) {
    const pieces = [];
    let total = 0;
    for (;;) {
        const count = fileCall('read', undefined, OP.FILE_READ, descriptor, -1, typedArrayLength(transfer));
        if (count === 0) {
            break;
        }
        const piece = new $Uint8Array(count);
        typedArraySet(piece, typedArraySubarray(transfer, 0, count), 0);
        arrayPush(pieces, piece);
        total += count;
    }
    const all = new $Uint8Array(total);
    let at = 0;
    for (let i = 0; i < pieces.length; i++) {
        typedArraySet(all, pieces[i], at);
        at += typedArrayLength(pieces[i]);
    }
    return all;
}

function readBytes(path) {
    return withFile(path, 'r', readAll);
}

function readFileSync(path, options) {
    const bytes = withFile(path, options?.flag ?? 'r', readAll);
    const encoding = encodingOf(options);
    if (encoding === 'utf8' || encoding === 'utf-8') {
        return utf8Decode(bytes, false);
    }
    const buffer = Buffer.from(typedArrayBuffer(bytes));
    return encoding === null ? buffer : buffer.toString(encoding);
}

function dataBytes(data, encoding) {
    if (typeof data === 'string') {
        return encoding === null || encoding === 'utf8' || encoding === 'utf-8' ? utf8Encode(data) : Buffer.from(data, encoding);
    }
    if (isView(data)) {
        return bytesOf(data);
    }
    const error = new $TypeError(`The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ${inspect(data)}`);
    error.code = 'ERR_INVALID_ARG_TYPE';
    throw error;
}

function writeFileSync(path, data, options) {
    const bytes = dataBytes(data, encodingOf(options));
    withFile(path, options?.flag ?? 'w', (descriptor) => writeFrom(descriptor, bytes, -1));
}

class Stats {
    constructor(text) {
        const [type, size, mode, links, id, accessed, modified, changed] = stringSplit(text, ' ');
        const bits = { __proto__: null, FILE: 0o100000, DIRECTORY: 0o040000, SYMLINK: 0o120000, OTHER: 0o020000 }[type];
        const values = { dev: 1, mode: bits | +mode, nlink: +links, uid: 1000, gid: 1000, rdev: 0, blksize: 4096, ino: +id, size: +size,
            blocks: ceil(size / 512), atimeMs: +accessed, mtimeMs: +modified, ctimeMs: +changed, birthtimeMs: +changed,
            atime: new $Date(+accessed), mtime: new $Date(+modified), ctime: new $Date(+changed), birthtime: new $Date(+changed) };
        for (const name of objectKeys(values)) {
            this[name] = values[name];
        }
    }

    isFile() { return (this.mode & 0o170000) === 0o100000; }
    isDirectory() { return (this.mode & 0o170000) === 0o040000; }
    isSymbolicLink() { return (this.mode & 0o170000) === 0o120000; }
    isCharacterDevice() { return (this.mode & 0o170000) === 0o020000; }
    isBlockDevice() { return false; }
    isFIFO() { return false; }
    isSocket() { return false; }
}

class Dirent {
    #type;

    constructor(name, parentPath, type) {
        this.name = name;
        this.parentPath = this.path = parentPath;
        this.#type = type;
    }

    isFile() { return this.#type === 'FILE'; }
    isDirectory() { return this.#type === 'DIRECTORY'; }
    isSymbolicLink() { return this.#type === 'SYMLINK'; }
    isCharacterDevice() { return this.#type === 'OTHER'; }
    isBlockDevice() { return false; }
    isFIFO() { return false; }
    isSocket() { return false; }
}

function statAt(call, path, options, follow) {
    const name = pathText(path);
    try {
        return new Stats(fileCall(call, name, OP.FILE_STAT, name, follow));
    } catch (error) {
        if (options?.throwIfNoEntry === false && error.code === 'ENOENT') {
            return undefined;
        }
        throw error;
    }
}

function readdirSync(path, options) {
    const name = pathText(path);
    const found = [];
    const visit = (directory, relative) => {
        const text = fileCall('scandir', directory, OP.FILE_LIST, directory);
        const lines = text === '' ? [] : stringSplit(text, '\0');
        for (let i = 0; i < lines.length; i++) {
            const type = stringSlice(lines[i], 0, stringIndexOf(lines[i], ' '));
            const entry = stringSlice(lines[i], type.length + 1);
            arrayPush(found, options?.withFileTypes ? new Dirent(entry, directory, type) : relative + entry);
            if (options?.recursive && type === 'DIRECTORY') {
                visit(`${directory}/${entry}`, `${relative}${entry}/`);
            }
        }
    };
    visit(name, '');
    return found;
}

function mkdirSync(path, options) {
    const name = pathText(path);
    const made = fileCall('mkdir', name, OP.FILE_MAKE_DIRECTORY, name, options?.recursive === true);
    return options?.recursive && made ? name : undefined;
}

function rmSync(path, options) {
    const name = pathText(path);
    if (options?.force && !existsSync(name)) {
        return;
    }
    const stats = statAt('rm', name, undefined, false);
    if (stats.isDirectory() && !options?.recursive) {
        const error = new $Error(`Path is a directory: rm returned EISDIR (is a directory) ${name}`);
        error.code = 'ERR_FS_EISDIR';
        throw error;
    }
    fileCall('rm', name, OP.FILE_REMOVE, name, options?.recursive === true ? 2 : 0);
}

function existsSync(path) {
    try {
        return host(OP.FILE_STAT, pathText(path), true)[0] === '=';
    } catch {
        return false;
    }
}

function copyFileSync(from, to) {
    const bytes = readBytes(from);
    withFile(to, 'w', (descriptor) => writeFrom(descriptor, bytes, -1));
}

const sync = {
    openSync, closeSync, readFileSync, writeFileSync, readdirSync, mkdirSync, rmSync, existsSync, copyFileSync,
    appendFileSync: (path, data, options) => writeFileSync(path, data, { encoding: encodingOf(options), flag: options?.flag ?? 'a' }),
    readSync: (descriptor, buffer, offset = 0, length, position = null) => {
        if (isObject(offset)) {
            ({ offset = 0, length, position = null } = offset);
        }
        const bytes = bytesOf(buffer);
        const end = length === undefined || length === null ? typedArrayLength(bytes) : offset + length;
        return readInto(descriptor, typedArraySubarray(bytes, offset, end), position ?? -1);
    },
    writeSync: (descriptor, data, offset, length, position) => {
        if (typeof data === 'string') {
            return writeFrom(descriptor, utf8Encode(data), typeof offset === 'number' ? offset : -1);
        }
        const bytes = dataBytes(data, null);
        const start = offset ?? 0;
        const end = length === undefined || length === null ? typedArrayLength(bytes) : start + length;
        return writeFrom(descriptor, typedArraySubarray(bytes, start, end), position ?? -1);
    },
    fstatSync: (descriptor) => new Stats(fileCall('fstat', undefined, OP.FILE_STAT, +descriptor, true)),
    statSync: (path, options) => statAt('stat', path, options, true),
    lstatSync: (path, options) => statAt('lstat', path, options, false),
    rmdirSync: (path, options) => void fileCall('rmdir', pathText(path), OP.FILE_REMOVE, pathText(path), options?.recursive ? 2 : 1),
    unlinkSync: (path) => void fileCall('unlink', pathText(path), OP.FILE_REMOVE, pathText(path), 0),
    renameSync: (from, to) => void fileCall('rename', pathText(from), OP.FILE_RENAME, pathText(from), pathText(to)),
    symlinkSync: (target, path) => void fileCall('symlink', pathText(path), OP.FILE_LINK, pathText(target), pathText(path), true),
    linkSync: (from, to) => void fileCall('link', pathText(from), OP.FILE_LINK, pathText(from), pathText(to), false),
    readlinkSync: (path) => fileCall('readlink', pathText(path), OP.FILE_READ_LINK, pathText(path)),
    realpathSync: (path) => fileCall('realpath', pathText(path), OP.FILE_REAL_PATH, pathText(path)),
    truncateSync: (path, length = 0) => withFile(path, 'r+', (descriptor) => void fileCall('ftruncate', undefined, OP.FILE_RESIZE, descriptor, +length)),
    ftruncateSync: (descriptor, length = 0) => void fileCall('ftruncate', undefined, OP.FILE_RESIZE, descriptor, +length),
    utimesSync: (path, accessed, modified) => void fileCall('utime', pathText(path), OP.FILE_TIMES, pathText(path), millis(accessed), millis(modified)),
    chmodSync: (path) => void statAt('chmod', path, undefined, true),
    accessSync: (path) => void statAt('access', path, undefined, true),
    mkdtempSync: (start) => {
        const name = `${pathText(start)}${stringSlice(replaceAll(crypto.randomUUID(), '-', ''), 0, 6)}`;
        mkdirSync(name);
        return name;
    },
    cpSync: (from, to, options) => copyTree(pathText(from), pathText(to), options),
};

function millis(time) {
    return isKind(dateGetTime, time) ? dateGetTime(time) : +time * 1000;
}

function copyTree(from, to, options) {
    if (!statAt('cp', from, undefined, true).isDirectory()) {
        copyFileSync(from, to);
        return;
    }
    if (!options?.recursive) {
        const error = new $Error(`Recursive option not enabled, cannot copy a directory: cp returned EISDIR (${from} is a directory) ${from}`);
        error.code = 'ERR_FS_EISDIR';
        throw error;
    }
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(from)) {
        copyTree(`${from}/${name}`, `${to}/${name}`, options);
    }
}

/** fs, its callback forms and fs/promises, all from the synchronous functions: the files are in memory. */
function makeFs() {
    const fs = { ...sync, Stats, Dirent };
    const promises = {};
    for (const name of objectKeys(sync)) {
        const short = stringSlice(name, 0, -4);
        const work = sync[name];
        hide(work, 'name', name);
        promises[short] = { [short]: async (...values) => work(...values) }[short];
        fs[short] = { [short]: (...values) => {
            const done = values.pop();
            requireFunction(done);
            let error = null;
            let result;
            try {
                result = work(...values);
            } catch (thrown) {
                error = thrown;
            }
            setImmediate(done, ...(short === 'exists' ? [result] : error === null ? [null, result] : [error]));
        } }[short];
    }
    delete promises.exists;
    fs.promises = promises;
    fs.constants = promises.constants = freeze({ F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1, O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64,
        O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, COPYFILE_EXCL: 1 });
    const missing = (name) => ({ [name]: () => {
        throw new $Error(`fs.${name} does not exist in the isolate tier; read or write whole files, or use a tier with Node.js (${TIERS})`);
    } })[name];
    for (const name of ['createReadStream', 'createWriteStream', 'watch', 'watchFile', 'opendir', 'opendirSync']) {
        fs[name] = missing(name);
    }
    return fs;
}
