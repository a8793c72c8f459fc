// The records that agent and kernel exchange (docs/agent-protocol.md): a length, then fields of tag, length, bytes.
'use strict';

const { writeWhole } = require('./javascript_output.js');

// What a cell does to these must not reach the kernel.
const push = Function.prototype.call.bind(Array.prototype.push);

const TAG = {
    ENVIRONMENT: 21,
    LANGUAGE: 26,
    CODE: 27,
    OUTCOME: 50,
    EXIT_CODE: 51,
    MAIN_RESULT: 81,
    MIME_TYPE: 82,
    MIME_CONTENT: 83,
    ERROR_NAME: 84,
    ERROR_VALUE: 85,
    ERROR_TRACEBACK: 86,
    STARTED: 99,
};

function encode(fields) {
    const parts = [Buffer.alloc(4)];
    for (const [tag, value] of fields) {
        let bytes;
        if (typeof value === 'number') {
            bytes = Buffer.alloc(8);
            bytes.writeBigUInt64BE(BigInt(value));
        } else {
            bytes = Buffer.from(value, 'utf8');
        }
        const head = Buffer.alloc(6);
        head.writeUInt16BE(tag, 0);
        head.writeUInt32BE(bytes.length, 2);
        push(parts, head, bytes);
    }
    const record = Buffer.concat(parts);
    record.writeUInt32BE(record.length - 4, 0);
    return record;
}

/** Sends a record at once and whole: what a cell displays must not wait until the cell gives up the thread. */
function send(descriptor, fields) {
    writeWhole(descriptor, encode(fields));
}

/** Puts a stream of bytes together into records and hands each on as a list of [tag, bytes]. */
class Reader {
    #bytes = Buffer.alloc(0);
    #parts = [];
    #have = 0;
    #want = 4;

    push(chunk, sink) {
        push(this.#parts, chunk);
        this.#have += chunk.length;
        while (this.#have >= this.#want) {
            this.#bytes = Buffer.concat(this.#parts);
            const length = this.#bytes.readUInt32BE(0);
            this.#want = 4 + length;
            if (this.#have >= this.#want) {
                const fields = decode(this.#bytes.subarray(4, this.#want));
                this.#bytes = this.#bytes.subarray(this.#want);
                this.#want = 4;
                this.#have = this.#bytes.length;
                this.#parts = [this.#bytes];
                sink(fields);
            } else {
                this.#parts = [this.#bytes];
            }
        }
    }
}

function decode(body) {
    const fields = [];
    let at = 0;
    while (at < body.length) {
        const length = body.readUInt32BE(at + 2);
        push(fields, [body.readUInt16BE(at), body.subarray(at + 6, at + 6 + length)]);
        at += 6 + length;
    }
    return fields;
}

module.exports = { TAG, encode, send, Reader };
