// Standard output and error as streams that write at once and whole. Node.js' own queue what a pipe does not take
// yet, and a cell that then keeps the thread, or an outcome that overtakes them, would show less than was printed.
'use strict';

const fs = require('node:fs');
const { Writable } = require('node:stream');

const pause = new Int32Array(new SharedArrayBuffer(4));

/** Writes all of it, however little the other end takes at a time. */
function writeWhole(descriptor, bytes) {
    let at = 0;
    while (at < bytes.length) {
        try {
            at += fs.writeSync(descriptor, bytes, at);
        } catch (error) {
            if (error.code !== 'EAGAIN') {
                throw error;
            }
            Atomics.wait(pause, 0, 0, 1);
        }
    }
}

function stream(descriptor) {
    const made = new Writable({ write: (chunk, encoding, done) => done() });
    // No state that an interrupt in the middle could leave behind.
    made.write = (chunk, encoding, done) => {
        const bytes = typeof chunk === 'string' ? Buffer.from(chunk, typeof encoding === 'string' ? encoding : 'utf8') : chunk;
        const after = typeof encoding === 'function' ? encoding : done;
        try {
            writeWhole(descriptor, bytes);
            if (after) {
                Promise.resolve().then(after);
            }
        } catch (error) {
            if (after) {
                Promise.resolve(error).then(after); // nobody reads any more
            }
        }
        return true;
    };
    made.end = (...last) => {
        if (last.length > 0 && typeof last[0] !== 'function') {
            made.write(...last);
        }
        return made;
    };
    made.destroy = () => made;
    made.fd = descriptor;
    return made;
}

function install() {
    for (const [name, descriptor] of [['stdout', 1], ['stderr', 2]]) {
        Object.defineProperty(process, name, { value: stream(descriptor), configurable: true, writable: true, enumerable: true });
    }
}

module.exports = { install, writeWhole };
