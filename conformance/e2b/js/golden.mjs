// Requests as the clients were seen to send them, byte for byte, over plain sockets: with Content-Length and in chunks
// (the real clients send chunks), for both generations of the control plane. What they answer is checked as bytes, too.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { group, sharedSandbox, withSandbox } from '../lib/scenario.mjs'
import { base, key, linux, url } from '../lib/target.mjs'

const { hostname, port, host } = new URL(url)

/** Sends bytes on a connection of its own and reads one answer to its end. */
function exchange(pieces) {
  return new Promise((done, fail) => {
    const socket = connect(Number(port), hostname)
    const parser = new Answer()
    socket.setTimeout(20_000, () => fail(new Error('no answer within 20 s')))
    socket.on('error', fail)
    socket.on('data', (data) => {
      if (parser.add(data)) {
        socket.destroy()
        done(parser)
      }
    })
    socket.on('close', () => (parser.complete ? done(parser) : fail(new Error(`closed after ${parser.bytes.toString('latin1')}`))))
    void (async () => {
      for (const piece of pieces) {
        socket.write(piece)
        // Each piece is to arrive on its own.
        await new Promise((next) => setTimeout(next, 5))
      }
    })()
  })
}

class Answer {
  bytes = Buffer.alloc(0)
  complete = false

  add(data) {
    this.bytes = Buffer.concat([this.bytes, data])
    for (;;) {
      const end = this.bytes.indexOf('\r\n\r\n')
      if (end < 0) return false
      const [line, ...fields] = this.bytes.subarray(0, end).toString('latin1').split('\r\n')
      this.status = Number(line.split(' ')[1])
      if (this.status === 100) {
        this.bytes = this.bytes.subarray(end + 4)
        this.continued = true
        continue
      }
      this.headers = Object.fromEntries(fields.map((field) => [field.split(':')[0].toLowerCase(), field.slice(field.indexOf(':') + 1).trim()]))
      return this.readBody(this.bytes.subarray(end + 4))
    }
  }

  readBody(rest) {
    if (this.status === 204) {
      this.body = Buffer.alloc(0)
      this.complete = true
    } else if (this.headers['transfer-encoding'] === 'chunked') {
      const parts = []
      for (let at = 0; ;) {
        const end = rest.indexOf('\r\n', at)
        if (end < 0) return false
        const size = parseInt(rest.subarray(at, end).toString(), 16)
        if (rest.length < end + 2 + size + 2) return false
        if (size === 0) break
        parts.push(rest.subarray(end + 2, end + 2 + size))
        at = end + 2 + size + 2
      }
      this.body = Buffer.concat(parts)
      this.complete = true
    } else {
      const size = Number(this.headers['content-length'])
      if (rest.length < size) return false
      this.body = rest.subarray(0, size)
      this.complete = true
    }
    return this.complete
  }

  get json() {
    return JSON.parse(this.body.toString())
  }

  /** The messages of a stream. */
  get messages() {
    const found = []
    for (let at = 0; at < this.body.length;) {
      const size = this.body.readUInt32BE(at + 1)
      found.push({ flag: this.body[at], json: JSON.parse(this.body.subarray(at + 5, at + 5 + size).toString()) })
      at += 5 + size
    }
    return found
  }
}

function envelope(text) {
  const body = Buffer.from(text)
  const head = Buffer.alloc(5)
  head.writeUInt32BE(body.length, 1)
  return Buffer.concat([head, body])
}

/** The ways in which a body may come. */
const ways = {
  'with its length': (body) => ({ field: `content-length: ${body.length}`, pieces: [body] }),
  'in one chunk': (body) => ({ field: 'transfer-encoding: chunked', pieces: [chunk(body), '0\r\n\r\n'] }),
  'in small chunks, the header of the message split': (body) => ({
    field: 'Transfer-Encoding: chunked',
    pieces: [chunk(body.subarray(0, 3)), chunk(body.subarray(3, 7)), chunk(body.subarray(7)), '0\r\n\r\n'],
  }),
}
const chunk = (bytes) => Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])

const head = (lines) => Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)

function control(path, body, way) {
  const { field, pieces } = way(Buffer.from(body))
  return exchange([head([
    `POST ${path} HTTP/1.1`, `host: ${host}`, 'connection: keep-alive', `X-API-KEY: ${key}`, 'browser: unknown', 'lang: js',
    'lang_version: v20.20.2', 'package_version: 2.51.0', 'publisher: e2b', 'sdk_runtime: node', 'system: linux',
    'User-Agent: e2b-js-sdk/2.51.0', 'Content-Type: application/json', 'accept: */*', 'accept-language: *', 'sec-fetch-mode: cors',
    'accept-encoding: gzip, deflate', field,
  ]), ...pieces])
}

function envd(sandbox, path, contentType, body, way = ways['with its length'], more = []) {
  const { field, pieces } = way(body)
  return exchange([head([
    `POST ${path} HTTP/1.1`, `host: ${host}`, 'connection: keep-alive', 'user-agent: e2b-js-sdk/2.51.0',
    `e2b-sandbox-id: ${sandbox.sandboxId}`, 'e2b-sandbox-port: 49983', `x-access-token: ${sandbox.envdAccessToken}`,
    `content-type: ${contentType}`, 'connect-protocol-version: 1', ...more, field,
  ]), ...pieces])
}
const stream = (sandbox, path, text, way, more) => envd(sandbox, path, 'application/connect+json', envelope(text), way, more)
const unary = (sandbox, path, text, way) => envd(sandbox, path, 'application/json', Buffer.from(text), way)

group('golden', ({ scenario }) => {
  const shared = sharedSandbox()

  for (const [name, way] of Object.entries(ways)) {
    for (const path of ['/sandboxes', '/v2/sandboxes']) {
      scenario(`POST ${path} ${name}`, async () => {
        const answer = await control(path, JSON.stringify({ templateID: base, timeout: 30 }), way)
        assert.equal(answer.status, 201, answer.body.toString())
        assert.match(answer.headers['content-type'], /^application\/json/)
        const { sandboxID, templateID, clientID, envdVersion } = answer.json
        assert.ok(sandboxID && templateID && clientID && envdVersion, answer.body.toString())
        const connected = await control(`${path}/${sandboxID}/connect`, '{"timeout":60}', way)
        assert.equal(connected.status, 200, connected.body.toString())
        const shorter = await control(`/sandboxes/${sandboxID}/timeout`, '{"timeout":20}', way)
        assert.equal(shorter.status, 204)
        const gone = await exchange([head([`DELETE /sandboxes/${sandboxID} HTTP/1.1`, `host: ${host}`, `X-API-KEY: ${key}`])])
        assert.equal(gone.status, 204)
      })
    }

    scenario(`Start ${name}`, async () => {
      const body = '{"process":{"cmd":"/bin/bash","args":["-l","-c","echo hi"],"envs":{"A":"1"},"cwd":"/tmp"},"stdin":false}'
      assert.equal(envelope(body).length, 109)
      const answer = await stream(await shared(), '/process.Process/Start', body, way, ['connect-timeout-ms: 60000', 'keepalive-ping-interval: 50'])
      assert.equal(answer.status, 200)
      assert.match(answer.headers['content-type'], /^application\/connect\+json/)
      const [start, ...rest] = answer.messages
      assert.ok(start.flag === 0 && start.json.event.start.pid > 0, JSON.stringify(start))
      assert.equal(typeof start.json.event.start.pid, 'number')
      const last = rest.pop()
      assert.deepEqual(last, { flag: 2, json: {} })
      const end = rest.pop()
      assert.equal(end.json.event.end.exited, true)
      assert.equal(end.json.event.end.exitCode ?? 0, 0)
      assert.equal(end.json.event.end.status, 'exit status 0')
      const out = Buffer.concat(rest.map((one) => Buffer.from(one.json.event.data.stdout, 'base64')))
      assert.equal(out.toString(), 'hi\n')
    }, { only: linux })

    scenario(`Stat and ListDir ${name}`, async () => {
      const missing = await unary(await shared(), '/filesystem.Filesystem/Stat', '{"path":"/nope"}', way)
      assert.equal(missing.status, 404)
      assert.equal(missing.json.code, 'not_found')
      assert.equal(typeof missing.json.message, 'string')
      const sandbox = await shared()
      await sandbox.files.write('/home/user/golden/a', 'five!')
      const answer = await unary(sandbox, '/filesystem.Filesystem/ListDir', '{"path":"/home/user/golden","depth":1}', way)
      assert.equal(answer.status, 200, answer.body.toString())
      const [entry] = answer.json.entries
      assert.equal(entry.size, '5')
      assert.deepEqual([entry.name, entry.type, entry.path, entry.mode, entry.permissions], ['a', 'FILE_TYPE_FILE', '/home/user/golden/a', 420, '-rw-r--r--'])
      assert.match(entry.modifiedTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
    })
  }

  scenario('Connect to a process that is not there: inside the stream', async () => {
    const answer = await stream(await shared(), '/process.Process/Connect', '{"process":{"pid":999999}}')
    assert.equal(answer.status, 200)
    const [only] = answer.messages
    assert.equal(only.flag, 2)
    assert.equal(only.json.error.code, 'not_found')
    assert.match(only.json.error.message, /999999/)
  }, { only: linux })

  scenario('List and SendSignal', async () => {
    const sandbox = await shared()
    const handle = await sandbox.commands.run('sleep 50', { background: true })
    const list = await unary(sandbox, '/process.Process/List', '{}')
    const mine = list.json.processes.find((one) => one.pid === handle.pid)
    assert.deepEqual(mine.config.args, ['-l', '-c', 'sleep 50'])
    const killed = await unary(sandbox, '/process.Process/SendSignal', `{"process":{"pid":${handle.pid}},"signal":"SIGNAL_SIGKILL"}`)
    assert.equal(killed.status, 200)
    assert.deepEqual(killed.json, {})
    await handle.wait().catch(() => {})
    const again = await unary(sandbox, '/process.Process/SendSignal', '{"process":{"pid":999999},"signal":"SIGNAL_SIGKILL"}')
    assert.equal(again.status, 404)
    assert.equal(again.json.code, 'not_found')
  }, { only: linux })

  scenario('an end by a signal', async () => {
    const sandbox = await shared()
    const running = stream(sandbox, '/process.Process/Start', '{"process":{"cmd":"sleep","args":["51"]},"stdin":false}')
    let pid
    while (pid === undefined) pid = (await sandbox.commands.list()).find((one) => one.args[0] === '51')?.pid
    await sandbox.commands.kill(pid)
    const messages = (await running).messages
    const { end } = messages.at(-2).json.event
    assert.equal(end.exitCode, -1)
    assert.match(end.status, /killed/)
  }, { only: linux })

  scenario('StreamInput: messages from the client to standard input', async () => {
    const sandbox = await shared()
    const handle = await sandbox.commands.run('head -n 2', { background: true, stdin: true })
    const text = (value) => Buffer.from(value).toString('base64')
    const body = Buffer.concat([
      envelope(`{"start":{"process":{"pid":${handle.pid}}}}`),
      envelope('{"keepalive":{}}'),
      envelope(`{"data":{"input":{"stdin":"${text('one\n')}"}}}`),
      envelope(`{"data":{"input":{"stdin":"${text('two\n')}"}}}`),
    ])
    const answer = await envd(sandbox, '/process.Process/StreamInput', 'application/connect+json', body, ways['in one chunk'])
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.messages, [{ flag: 0, json: {} }, { flag: 2, json: {} }])
    assert.equal((await handle.wait()).stdout, 'one\ntwo\n')
  }, { only: linux })

  scenario('fields in snake case and unknown ones are taken', async () => {
    const answer = await stream(await shared(), '/process.Process/Start',
      '{"process":{"cmd":"/bin/sh","args":["-c","echo ok"],"of_later":1},"later":{"a":[]},"stdin":null}')
    assert.equal(answer.messages.at(-1).flag, 2)
    assert.deepEqual(answer.messages.at(-1).json, {})
  }, { only: linux })

  scenario('errors of a stream are inside it', async () => {
    for (const [path, body, code] of [
      ['/process.Process/Start', '{"process":{"cmd":"/bin/bash","args":[],"cwd":"/no/such"}}', 'invalid_argument'],
      ['/filesystem.Filesystem/WatchDir', '{"path":"/no/such"}', 'not_found'],
      ['/filesystem.Filesystem/WatchDir', '{"path":"/etc/passwd"}', 'invalid_argument'],
    ]) {
      const answer = await stream(await shared(), path, body)
      assert.equal(answer.status, 200, path)
      const [only] = answer.messages
      assert.equal(only.flag, 2)
      assert.equal(only.json.error.code, code)
    }
  }, { only: linux })

  scenario('what is no message is refused, and nothing hangs', async () => {
    const sandbox = await shared()
    const huge = Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 0x7b])
    for (const body of [Buffer.from('garbage'), huge, Buffer.from([1, 0, 0, 0, 2, 0x7b, 0x7d]), envelope('{"process":'), envelope('[]'), envelope('{"process":{"cmd":7}}')]) {
      const answer = await envd(sandbox, '/process.Process/Start', 'application/connect+json', body)
      const error = answer.status === 200 ? answer.messages.at(-1).json.error : answer.json
      assert.ok(error?.code, `${body.toString('hex')}: ${answer.status} ${answer.body}`)
    }
    for (const body of ['', 'garbage', '[]', '{"path":5}', '{"path":"/","depth":-1}']) {
      const answer = await unary(sandbox, '/filesystem.Filesystem/ListDir', body)
      assert.ok(answer.status >= 400 && answer.status < 500, `${body}: ${answer.status} ${answer.body}`)
      assert.equal(typeof answer.json.code, 'string')
    }
    const unknown = await unary(sandbox, '/process.Process/Nothing', '{}')
    assert.ok([404, 501].includes(unknown.status), `${unknown.status}`)
    assert.equal(await sandbox.isRunning(), true)
  })

  scenario('a body that is announced and waited for', async () => {
    const sandbox = await shared()
    const boundary = '----formdata-undici-0123456789'
    const body = [`--${boundary}`, 'Content-Disposition: form-data; name="file"; filename="/home/user/golden %22ü%22.txt"',
      'Content-Type: application/octet-stream', '', 'by form', `--${boundary}--`, ''].join('\r\n')
    const bytes = Buffer.from(body)
    const answer = await exchange([head([
      'POST /files HTTP/1.1', `host: ${host}`, `e2b-sandbox-id: ${sandbox.sandboxId}`, 'e2b-sandbox-port: 49983',
      `x-access-token: ${sandbox.envdAccessToken}`, `content-type: multipart/form-data; boundary=${boundary}`, 'expect: 100-continue',
      `content-length: ${bytes.length}`,
    ]), bytes])
    assert.equal(answer.status, 200, answer.body.toString())
    assert.deepEqual(answer.json.map(({ path, name, type }) => [path, name, type]), [['/home/user/golden "ü".txt', 'golden "ü".txt', 'file']])
    assert.equal(await sandbox.files.read('/home/user/golden "ü".txt'), 'by form')
  })

  scenario('two requests on one connection', async () => {
    await withSandbox({}, async (sandbox) => {
      const request = head([`GET /sandboxes/${sandbox.sandboxId} HTTP/1.1`, `host: ${host}`, `X-API-KEY: ${key}`])
      const text = await new Promise((done, fail) => {
        const socket = connect(Number(port), hostname)
        let seen = ''
        socket.setTimeout(5000, () => fail(new Error(`only ${seen}`)))
        socket.on('error', fail)
        socket.on('data', (data) => {
          seen += data.toString('latin1')
          if (seen.split('HTTP/1.1 200').length === 3) {
            socket.destroy()
            done(seen)
          }
        })
        socket.write(Buffer.concat([request, request]))
      })
      assert.ok(text)
    })
  })
}, { concurrency: 3 })
