// Many streams at once, slow readers, cut connections.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { eventually, group, sleep, withSandbox } from '../lib/scenario.mjs'
import { sdk, url } from '../lib/target.mjs'

const { Sandbox } = sdk

/** Starts a process as the client does, on a connection of our own, so that the test decides who reads and when. */
function start(sandbox, command) {
  const body = Buffer.from(JSON.stringify({ process: { cmd: '/bin/bash', args: ['-l', '-c', command] }, stdin: false }))
  const head = Buffer.alloc(5)
  head.writeUInt32BE(body.length, 1)
  const call = request(`${url}/process.Process/Start`, {
    method: 'POST',
    agent: false,
    headers: {
      'content-type': 'application/connect+json', 'connect-protocol-version': '1', 'x-access-token': sandbox.envdAccessToken,
      'e2b-sandbox-id': sandbox.sandboxId, 'e2b-sandbox-port': '49983',
    },
  })
  call.end(Buffer.concat([head, body]))
  return call
}

const answered = (call) => new Promise((done, fail) => {
  call.on('response', done)
  call.on('error', fail)
})

/** The first message of a stream; leaves the stream paused. */
async function firstMessage(response) {
  let bytes = Buffer.alloc(0)
  for (;;) {
    const piece = response.read()
    if (piece) bytes = Buffer.concat([bytes, piece])
    if (bytes.length >= 5 && bytes.length >= 5 + bytes.readUInt32BE(1)) {
      return JSON.parse(bytes.subarray(5, 5 + bytes.readUInt32BE(1)).toString())
    }
    await new Promise((done) => response.once('readable', done))
  }
}

group('streams', ({ scenario }) => {
  scenario('200 streams from one client, each with its own output', async () => {
    const sandboxes = await Promise.all(Array.from({ length: 4 }, () => Sandbox.create(`base:${process.env.GLOVEBOX_TIER}`, { timeoutMs: 120_000 })))
    try {
      const handles = []
      for (let i = 0; i < 200; i++) {
        handles.push(sandboxes[i % 4].commands.run(
          'while [ ! -e /tmp/go ]; do sleep 0.5; done; echo done-$N', { background: true, envs: { N: `${i}` }, timeoutMs: 100_000 }))
      }
      const running = await Promise.all(handles)
      for (const sandbox of sandboxes) assert.equal((await sandbox.commands.list()).length, 50)
      await Promise.all(sandboxes.map((sandbox) => sandbox.files.write('/tmp/go', '')))
      const results = await Promise.all(running.map((handle) => handle.wait()))
      assert.deepEqual(results.map((result) => result.stdout), running.map((_, i) => `done-${i}\n`))
    } finally {
      await Promise.all(sandboxes.map((sandbox) => sandbox.kill()))
    }
  }, { timeout: 90_000 })

  scenario('who does not read holds up neither the others nor the process', async () => {
    await withSandbox({}, async (sandbox) => {
      const call = start(sandbox, 'i=0; while [ $i -lt 60 ]; do seq 1 20000; i=$((i+1)); done; touch /tmp/ended; exec sleep 60')
      const response = await answered(call)
      const { event } = await firstMessage(response)
      response.pause()
      const lines = []
      const other = await sandbox.commands.connect(event.start.pid, { onStdout: (text) => void lines.push(text.length) })
      await eventually('the process ends though one reader sleeps', () => sandbox.files.exists('/tmp/ended'), { within: 20_000 })
      assert.ok(lines.length > 0, 'the other reader saw something')
      assert.equal((await sandbox.commands.run('echo alive')).stdout, 'alive\n')
      await other.kill()
      call.destroy()
    })
  }, { timeout: 60_000 })

  scenario('a cut connection leaves the process running, and it can be taken up again', async () => {
    await withSandbox({}, async (sandbox) => {
      const call = start(sandbox, 'while [ ! -e /tmp/go ]; do sleep 0.05; done; echo survived; exit 5')
      call.on('error', () => {})
      const response = await answered(call)
      response.on('error', () => {})
      const { event } = await firstMessage(response)
      response.socket.resetAndDestroy()
      await sleep(300)
      const again = await sandbox.commands.connect(event.start.pid)
      await sandbox.files.write('/tmp/go', '')
      await assert.rejects(again.wait(), (error) => error.exitCode === 5 && error.stdout === 'survived\n')
      // Its end is told for a while to those who ask later.
      const late = await sandbox.commands.connect(event.start.pid)
      await assert.rejects(late.wait(), (error) => error.exitCode === 5)
    })
  })

  scenario('readers come and go while output flows', async () => {
    await withSandbox({}, async (sandbox) => {
      const handle = await sandbox.commands.run('i=0; while [ ! -e /tmp/go ]; do i=$((i+1)); echo line-$i; sleep 0.005; done; echo last', { background: true, timeoutMs: 0 })
      for (let round = 0; round < 10; round++) {
        const others = await Promise.all(Array.from({ length: 5 }, () => sandbox.commands.connect(handle.pid)))
        await sleep(20)
        await Promise.all(others.map((other) => other.disconnect()))
      }
      await sandbox.files.write('/tmp/go', '')
      const { stdout } = await handle.wait()
      const numbers = stdout.split('\n').filter((line) => line.startsWith('line-')).map((line) => Number(line.slice(5)))
      assert.ok(numbers.every((number, i) => number === i + 1), 'the first reader missed nothing')
      assert.ok(stdout.endsWith('last\n'))
    })
  })

  scenario('keepalives come when asked for, and none before the start', async () => {
    await withSandbox({}, async (sandbox) => {
      const body = Buffer.from(JSON.stringify({ process: { cmd: '/bin/bash', args: ['-l', '-c', 'sleep 3'] } }))
      const head = Buffer.alloc(5)
      head.writeUInt32BE(body.length, 1)
      const response = await fetch(`${url}/process.Process/Start`, {
        method: 'POST',
        headers: {
          'content-type': 'application/connect+json', 'connect-protocol-version': '1', 'keepalive-ping-interval': '1',
          'x-access-token': sandbox.envdAccessToken, 'e2b-sandbox-id': sandbox.sandboxId, 'e2b-sandbox-port': '49983',
        },
        body: Buffer.concat([head, body]),
      })
      const kinds = messages(Buffer.from(await response.arrayBuffer())).map(({ flag, json }) => (flag === 2 ? 'over' : Object.keys(json.event)[0]))
      assert.equal(kinds[0], 'start')
      assert.ok(kinds.filter((kind) => kind === 'keepalive').length >= 1, `${kinds}`)
      assert.deepEqual(kinds.slice(-2), ['end', 'over'])
    })
  })

  scenario('the head of a stream comes at once', async () => {
    await withSandbox({}, async (sandbox) => {
      const begun = Date.now()
      const call = start(sandbox, 'sleep 20')
      const response = await answered(call)
      assert.equal(response.statusCode, 200)
      assert.match(response.headers['content-type'], /^application\/connect\+json/)
      await firstMessage(response)
      assert.ok(Date.now() - begun < 2000)
      call.destroy()
    })
  })
}, { concurrency: 1, tiers: ['jail', 'gvisor'] })

function messages(bytes) {
  const found = []
  for (let at = 0; at < bytes.length;) {
    const size = bytes.readUInt32BE(at + 1)
    found.push({ flag: bytes[at], json: JSON.parse(bytes.subarray(at + 5, at + 5 + size).toString()) })
    at += 5 + size
  }
  return found
}
