// How long sandboxes live, how they end, and what they say once they are gone.
import assert from 'node:assert/strict'
import { create, eventually, group, raw, sleep, withSandbox } from '../lib/scenario.mjs'
import { base, linux, sdk, url } from '../lib/target.mjs'

const { Sandbox, SandboxNotFoundError, TimeoutError, NotFoundError, SandboxError } = sdk
const seconds = (later, earlier) => (later.getTime() - earlier.getTime()) / 1000

group('lifecycle', ({ scenario }) => {
  scenario('time to live as asked, to the second, and its end agrees', async () => {
    const begun = Date.now()
    const sandbox = await Sandbox.create(base, { timeoutMs: 4000 })
    const { startedAt, endAt } = await sandbox.getInfo()
    assert.ok(Math.abs(seconds(endAt, startedAt) - 4) < 1, `${seconds(endAt, startedAt)}`)
    await sleep(2500 - (Date.now() - begun))
    assert.equal(await sandbox.isRunning(), true)
    await eventually('the sandbox ends', async () => !(await sandbox.isRunning()), { within: 5000, every: 100 })
    const lived = (Date.now() - begun) / 1000
    assert.ok(lived > 3.5 && lived < 6, `${lived} s`)
    await assert.rejects(sandbox.getInfo(), SandboxNotFoundError)
  })

  scenario('set timeout: longer and shorter', async () => {
    await withSandbox({}, async (sandbox) => {
      await sandbox.setTimeout(500_000)
      assert.ok(Math.abs(seconds((await sandbox.getInfo()).endAt, new Date()) - 500) < 3)
      await Sandbox.setTimeout(sandbox.sandboxId, 20_000)
      assert.ok(Math.abs(seconds((await sandbox.getInfo()).endAt, new Date()) - 20) < 3)
      await sandbox.setTimeout(1500)
      await eventually('the sandbox ends', async () => !(await sandbox.isRunning()), { within: 6000, every: 100 })
      await assert.rejects(sandbox.setTimeout(20_000), SandboxNotFoundError)
    })
  })

  scenario('connect never shortens, and lengthens', async () => {
    await withSandbox({ timeoutMs: 100_000 }, async (sandbox) => {
      const before = (await sandbox.getInfo()).endAt
      const again = await Sandbox.connect(sandbox.sandboxId, { timeoutMs: 10_000 })
      assert.equal(seconds((await again.getInfo()).endAt, before), 0)
      await sandbox.connect({ timeoutMs: 300_000 })
      assert.ok(seconds((await sandbox.getInfo()).endAt, before) > 150)
    })
  })

  scenario('refreshes only lengthen, and are bounded', async () => {
    await withSandbox({ timeoutMs: 100_000 }, async (sandbox) => {
      const before = (await sandbox.getInfo()).endAt
      const path = `/sandboxes/${sandbox.sandboxId}/refreshes`
      assert.equal((await raw('POST', path, { body: { duration: 5 } })).status, 204)
      assert.equal(seconds((await sandbox.getInfo()).endAt, before), 0)
      assert.equal((await raw('POST', path, { body: { duration: 600 } })).status, 204)
      assert.ok(seconds((await sandbox.getInfo()).endAt, before) > 400)
      const beyond = await raw('POST', path, { body: { duration: 3601 } })
      assert.equal(beyond.status, 400)
      assert.match(beyond.json.message, /3600/)
    })
  })

  scenario('both generations of connect answer what create answered', async () => {
    await withSandbox({}, async (sandbox) => {
      for (const path of ['/sandboxes', '/v2/sandboxes']) {
        const answer = await raw('POST', `${path}/${sandbox.sandboxId}/connect`, { body: { timeout: 30 } })
        assert.equal(answer.status, 200, answer.text)
        assert.equal(answer.json.sandboxID, sandbox.sandboxId)
        assert.equal(answer.json.envdAccessToken, sandbox.envdAccessToken)
        assert.equal(typeof answer.json.envdVersion, 'string')
      }
      assert.equal((await raw('POST', `/v2/sandboxes/${sandbox.sandboxId}/connect`, { body: {} })).status, 200)
    })
  })

  scenario('connect finds files, environment and processes', async () => {
    await withSandbox({ envs: { KEPT: 'yes' } }, async (sandbox) => {
      await sandbox.files.write('/home/user/kept', 'content')
      const handle = await sandbox.commands.run('sleep 40', { background: true })
      const again = await Sandbox.connect(sandbox.sandboxId)
      assert.equal(await again.files.read('/home/user/kept'), 'content')
      assert.equal((await again.commands.run('echo $KEPT')).stdout, 'yes\n')
      assert.ok((await again.commands.list()).some((one) => one.pid === handle.pid))
    })
  }, { only: linux })

  scenario('connect to what is gone', async () => {
    const sandbox = await create()
    await sandbox.kill()
    await assert.rejects(Sandbox.connect(sandbox.sandboxId), SandboxNotFoundError)
    await assert.rejects(sandbox.connect(), SandboxNotFoundError)
  })

  scenario('a dead sandbox answers 502 at once, to everything', async () => {
    const sandbox = await create()
    await sandbox.kill()
    for (const [port, path, method] of [['49983', '/health', 'GET'], ['49983', '/files?path=x', 'GET'], ['49999', '/contexts', 'GET'],
      ['49983', '/process.Process/List', 'POST'], ['8000', '/', 'GET']]) {
      const begun = Date.now()
      const answer = await fetch(`${url}${path}`, {
        method, headers: { 'E2b-Sandbox-Id': sandbox.sandboxId, 'E2b-Sandbox-Port': port },
        ...(method === 'POST' ? { body: '{}' } : {}),
      })
      const body = await answer.json()
      assert.equal(answer.status, 502, `${port}${path}`)
      assert.equal(body.code, 502)
      assert.equal(body.message, 'The sandbox was not found')
      assert.equal(body.sandboxId, sandbox.sandboxId)
      assert.ok(Date.now() - begun < 1000, `${Date.now() - begun} ms`)
    }
    for (const call of [() => sandbox.commands.run('echo x'), () => sandbox.files.read('/x'), () => sandbox.files.list('/'), () => sandbox.files.write('/x', 'x'), () => sandbox.commands.list()]) {
      await assert.rejects(call(), (error) => {
        assert.ok(error instanceof TimeoutError || error instanceof NotFoundError, `${call}: ${error.name}: ${error.message}`)
        return true
      })
    }
  })

  scenario('the time runs out while a command runs', async () => {
    const sandbox = await Sandbox.create(base, { timeoutMs: 2000 })
    const begun = Date.now()
    await assert.rejects(sandbox.commands.run('sleep 30'), (error) => {
      assert.ok(error instanceof TimeoutError || error instanceof NotFoundError, `${error.name}: ${error.message}`)
      return true
    })
    assert.ok(Date.now() - begun < 6000)
  }, { only: linux })

  scenario('a sandbox lives as long as asked, though nobody talks to it', async () => {
    const sandbox = await Sandbox.create(base, { timeoutMs: 15_000 })
    try {
      await sleep(9000)
      assert.equal(await sandbox.isRunning(), true)
    } finally {
      await sandbox.kill()
    }
  })

  scenario('killed by many at once: told once, gone once', async () => {
    const sandbox = await create()
    const answers = await Promise.all(Array.from({ length: 8 }, () => Sandbox.kill(sandbox.sandboxId)))
    assert.ok(answers.includes(true))
    await assert.rejects(sandbox.getInfo(), SandboxNotFoundError)
    assert.equal(await Sandbox.kill(sandbox.sandboxId), false)
  })

  scenario('connect, timeout and kill at once: each has an answer, the end is one', async () => {
    for (let round = 0; round < 3; round++) {
      const sandbox = await create()
      const id = sandbox.sandboxId
      const calls = Array.from({ length: 6 }, (_, i) => [
        () => Sandbox.connect(id), () => Sandbox.setTimeout(id, 60_000), () => sandbox.isRunning(),
        () => (i === 3 ? Sandbox.kill(id) : Sandbox.getInfo(id)),
      ]).flat()
      const answers = await Promise.allSettled(calls.map((call) => call()))
      for (const answer of answers) {
        if (answer.status === 'rejected') assert.ok(answer.reason instanceof SandboxNotFoundError, `${answer.reason}`)
      }
      await assert.rejects(Sandbox.getInfo(id), SandboxNotFoundError)
    }
  })

  scenario('ten at once, each its own', async () => {
    const sandboxes = await Promise.all(Array.from({ length: 10 }, (_, i) => create({ metadata: { n: String(i) } })))
    try {
      assert.equal(new Set(sandboxes.map((sandbox) => sandbox.sandboxId)).size, 10)
      const texts = await Promise.all(sandboxes.map(async (sandbox, i) => {
        await sandbox.files.write('/home/user/own', `${i}`)
        return sandbox.files.read('/home/user/own')
      }))
      assert.deepEqual(texts, sandboxes.map((_, i) => `${i}`))
    } finally {
      await Promise.all(sandboxes.map((sandbox) => sandbox.kill()))
    }
  })

  scenario('a new sandbox has nothing of the one before', async () => {
    await withSandbox({}, async (sandbox) => {
      await sandbox.files.write('/home/user/left-over', 'secret')
      await sandbox.files.write('/tmp/left-over', 'secret')
    })
    await withSandbox({}, async (sandbox) => {
      assert.equal(await sandbox.files.exists('/home/user/left-over'), false)
      assert.equal(await sandbox.files.exists('/tmp/left-over'), false)
      assert.deepEqual(await sandbox.commands.list(), [])
    })
  }, { only: linux })

  scenario('what this tier cannot do is refused in words: pause, resume, fork, snapshot', async () => {
    await withSandbox({}, async (sandbox) => {
      for (const [path, body] of [['pause', {}], ['fork', { count: 1 }], ['snapshots', {}]]) {
        const answer = await raw('POST', `/sandboxes/${sandbox.sandboxId}/${path}`, { body })
        assert.ok([400, 409, 501].includes(answer.status), `${path}: ${answer.status} ${answer.text}`)
        assert.equal(answer.json.code, answer.status)
        assert.ok(answer.json.message.length > 20, answer.text)
      }
      const resume = await raw('POST', `/sandboxes/${sandbox.sandboxId}/resume`, {})
      assert.ok([400, 409, 501].includes(resume.status), resume.text)
      await assert.rejects(Sandbox.create(base, { lifecycle: { onTimeout: 'pause' } }), SandboxError)
      assert.equal(await sandbox.isRunning(), true)
    })
  })

  scenario('the sandbox\'s own view: metrics and environment by envd', async () => {
    await withSandbox({ envs: { SHOWN: 'here' } }, async (sandbox) => {
      const headers = { 'E2b-Sandbox-Id': sandbox.sandboxId, 'E2b-Sandbox-Port': '49983', 'X-Access-Token': sandbox.envdAccessToken }
      const envs = await (await fetch(`${url}/envs`, { headers })).json()
      assert.equal(envs.SHOWN, 'here')
      const metrics = await (await fetch(`${url}/metrics`, { headers })).json()
      assert.ok(metrics.cpu_count >= 1 && metrics.mem_total > 0 && metrics.ts > 0, JSON.stringify(metrics))
      const health = await fetch(`${url}/health`, { headers: { 'E2b-Sandbox-Id': sandbox.sandboxId, 'E2b-Sandbox-Port': '49983' } })
      assert.equal(health.status, 204)
      for (const internal of ['/init', '/freeze', '/upgrade']) {
        const answer = await fetch(`${url}${internal}`, { method: 'POST', headers })
        assert.equal(answer.status, 404, internal)
        await answer.text()
      }
      for (const [name, value] of [['E2b-Sandbox-Port', 'x'], ['E2b-Sandbox-Port', '99999'], ['E2b-Sandbox-Id', '../x']]) {
        const answer = await fetch(`${url}/health`, { headers: { ...headers, [name]: value } })
        assert.ok([400, 502].includes(answer.status), `${name}: ${value}: ${answer.status}`)
        assert.equal((await answer.json()).code, answer.status)
      }
      const half = await fetch(`${url}/files?path=x`, { headers: { 'E2b-Sandbox-Id': sandbox.sandboxId } })
      assert.equal(half.status, 400)
      await half.text()
    })
  }, { only: linux })

  scenario('a port of the sandbox by header, and one that is not open', async () => {
    await withSandbox({}, async (sandbox) => {
      const through = (port, path = '/') => fetch(`${url}${path}`, { headers: { 'E2b-Sandbox-Id': sandbox.sandboxId, 'E2b-Sandbox-Port': `${port}` } })
      const closed = await through(8000)
      assert.equal(closed.status, 502)
      const body = await closed.json()
      assert.deepEqual([body.code, body.port, body.message], [502, 8000, 'The sandbox is running but port is not open'])
      await sandbox.files.write('/home/user/index.html', '<h1>hello ü</h1>')
      await sandbox.commands.run('python3 -m http.server 8000', { background: true, timeoutMs: 0 })
      const page = await eventually('the server answers', async () => {
        const answer = await through(8000)
        const text = await answer.text()
        return answer.status === 200 && text
      })
      assert.equal(page, '<h1>hello ü</h1>')
      assert.equal((await through(8000, '/no-such')).status, 404)
    })
  }, { only: linux })
}, { concurrency: 6, tiers: ['jail', 'gvisor'] })
