// The control plane: create, info, list, kill, errors.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { create, eventually, group, raw, sharedSandbox, withSandbox } from '../lib/scenario.mjs'
import { base, generation, key, otherKey, run, sdk } from '../lib/target.mjs'

const { Sandbox, AuthenticationError, SandboxNotFoundError } = sdk
const UNKNOWN = 'i00000000000000000000'

async function all(paginator) {
  const items = []
  while (paginator.hasNext) items.push(...(await paginator.nextItems()))
  return items
}

const ids = (items) => items.map((item) => item.sandboxId).sort()

group('api', ({ scenario }) => {
  const shared = sharedSandbox()

  scenario('a new sandbox has an id that is one DNS label', async () => {
    const sandbox = await shared()
    assert.match(sandbox.sandboxId, /^[a-z0-9]{8,40}$/)
    assert.equal(await sandbox.isRunning(), true)
  })

  scenario('info tells what the sandbox was made of', async () => {
    await withSandbox({ metadata: { purpose: 'info', 'ключ': 'wert & mehr = ü' } }, async (sandbox) => {
      const info = await sandbox.getInfo()
      assert.equal(info.sandboxId, sandbox.sandboxId)
      assert.equal(info.state, 'running')
      assert.equal(info.metadata.purpose, 'info')
      assert.equal(info.metadata['ключ'], 'wert & mehr = ü')
      assert.ok(info.templateId)
      assert.ok(info.cpuCount >= 1)
      assert.ok(info.memoryMB >= 64)
      assert.ok(Math.abs(info.startedAt.getTime() - Date.now()) < 20_000)
      assert.ok(info.endAt > info.startedAt)
      const [major, minor, patch] = info.envdVersion.split('.').map(Number)
      assert.ok(major > 0 || minor > 6 || (minor === 6 && patch >= 4), info.envdVersion)
      assert.deepEqual((await Sandbox.getInfo(sandbox.sandboxId)).sandboxId, sandbox.sandboxId)
    })
  })

  scenario('info of what is not there', async () => {
    await assert.rejects(Sandbox.getInfo(UNKNOWN), SandboxNotFoundError)
  })

  scenario('kill ends a sandbox once', async () => {
    const sandbox = await create()
    assert.equal(await Sandbox.kill(sandbox.sandboxId), true)
    assert.equal(await sandbox.kill(), false)
    await assert.rejects(sandbox.getInfo(), SandboxNotFoundError)
    assert.equal(await sandbox.isRunning(), false)
    const listed = await all(Sandbox.list({ query: { metadata: { run } } }))
    assert.ok(!ids(listed).includes(sandbox.sandboxId))
  })

  scenario('kill of what is not there answers false', async () => {
    assert.equal(await Sandbox.kill(UNKNOWN), false)
  })

  scenario('the list has a new sandbox at once, and what info has', async () => {
    await withSandbox({ metadata: { group: 'one' } }, async (sandbox) => {
      const [item] = await all(Sandbox.list({ query: { metadata: { run, group: 'one' } } }))
      const info = await sandbox.getInfo()
      assert.equal(item.sandboxId, sandbox.sandboxId)
      for (const field of ['templateId', 'state', 'cpuCount', 'memoryMB', 'envdVersion']) {
        assert.deepEqual(item[field], info[field], field)
      }
      assert.deepEqual(item.metadata, info.metadata)
      assert.equal(item.startedAt.getTime(), info.startedAt.getTime())
      assert.equal(item.endAt.getTime(), info.endAt.getTime())
    })
  })

  scenario('metadata filters: every pair must match, whatever characters it has', async () => {
    const odd = { 'k e=y&': 'v&1=2%25 + ü😀' }
    await withSandbox({ metadata: { group: 'filter', ...odd } }, async (one) => {
      await withSandbox({ metadata: { group: 'filter' } }, async (two) => {
        const both = await all(Sandbox.list({ query: { metadata: { run, group: 'filter' } } }))
        assert.deepEqual(ids(both), [one.sandboxId, two.sandboxId].sort())
        const only = await all(Sandbox.list({ query: { metadata: { run, ...odd } } }))
        assert.deepEqual(ids(only), [one.sandboxId])
        const none = await all(Sandbox.list({ query: { metadata: { run, ...odd, group: 'other' } } }))
        assert.deepEqual(none, [])
      })
    })
  })

  scenario('state filters', async () => {
    const sandbox = await shared()
    const running = await all(Sandbox.list({ query: { metadata: { run }, state: ['running'] } }))
    assert.ok(ids(running).includes(sandbox.sandboxId))
    assert.deepEqual(await all(Sandbox.list({ query: { metadata: { run }, state: ['paused'] } })), [])
    const either = await all(Sandbox.list({ query: { metadata: { run }, state: ['running', 'paused'] } }))
    assert.ok(ids(either).includes(sandbox.sandboxId))
  })

  scenario('pages: each sandbox once, the last page has no token', async () => {
    const made = []
    try {
      for (let i = 0; i < 5; i++) made.push(await create({ metadata: { group: 'pages' } }))
      const query = { metadata: { run, group: 'pages' } }
      const paginator = Sandbox.list({ query, limit: 2 })
      const sizes = []
      const seen = []
      while (paginator.hasNext) {
        const page = await paginator.nextItems()
        sizes.push(page.length)
        seen.push(...page)
        assert.ok(sizes.length < 10, 'the pages have no end')
      }
      assert.deepEqual(sizes.filter((size) => size > 0), [2, 2, 1])
      assert.equal(paginator.nextToken, undefined)
      assert.deepEqual(ids(seen), made.map((sandbox) => sandbox.sandboxId).sort())
      // From a token that was put aside.
      const first = Sandbox.list({ query, limit: 3 })
      await first.nextItems()
      const rest = await all(Sandbox.list({ query, limit: 3, nextToken: first.nextToken }))
      assert.equal(rest.length, 2)
      // Newest first, unless asked otherwise.
      const order = made.map((sandbox) => sandbox.sandboxId)
      const newest = await all(Sandbox.list({ query, limit: 2 }))
      assert.deepEqual(newest.map((item) => item.sandboxId), [...order].reverse())
      const oldest = await all(Sandbox.list({ query, limit: 2, order: 'asc' }))
      assert.deepEqual(oldest.map((item) => item.sandboxId), order)
      // A page stays where it was while sandboxes come.
      const calm = Sandbox.list({ query, limit: 3 })
      const page = await calm.nextItems()
      made.push(await create({ metadata: { group: 'pages' } }))
      const after = await all(calm)
      assert.equal(new Set([...ids(page), ...ids(after)]).size, 5)
    } finally {
      await Promise.all(made.map((sandbox) => sandbox.kill().catch(() => {})))
    }
  })

  scenario('only what was started after a moment', async () => {
    await withSandbox({ metadata: { group: 'after' } }, async (sandbox) => {
      const { startedAt } = await sandbox.getInfo()
      const query = { metadata: { run, group: 'after' } }
      const before = new Date(startedAt.getTime() - 1000)
      const later = new Date(startedAt.getTime() + 1000)
      assert.equal((await all(Sandbox.list({ query: { ...query, startedAfter: before } }))).length, 1)
      assert.equal((await all(Sandbox.list({ query: { ...query, startedAfter: later } }))).length, 0)
    })
  })

  scenario('only those of a template, by its name and by its id', async () => {
    await withSandbox({ metadata: { group: 'template' } }, async (sandbox) => {
      const query = { metadata: { run, group: 'template' } }
      const { templateId } = await sandbox.getInfo()
      for (const template of [base, templateId]) {
        const found = await all(Sandbox.list({ query: { ...query, template } }))
        assert.deepEqual(ids(found), [sandbox.sandboxId], template)
      }
      const other = await all(Sandbox.list({ query: { ...query, template: 'no-such-template' } }))
      assert.deepEqual(other, [])
    })
  })

  scenario('a limit beyond the bound is refused with the bound', async () => {
    const answer = await raw('GET', '/v2/sandboxes?limit=101')
    assert.equal(answer.status, 400)
    assert.equal(answer.json.code, 400)
    assert.match(answer.json.message, /100/)
    assert.equal((await raw('GET', '/v2/sandboxes?limit=0')).status, 400)
    assert.equal((await raw('GET', '/v2/sandboxes?nextToken=!!!')).status, 400)
    assert.equal((await raw('GET', '/v2/sandboxes?state=dancing')).status, 400)
  })

  scenario('the list of the first generation has what runs', async () => {
    const sandbox = await shared()
    const answer = await raw('GET', `/sandboxes?metadata=${encodeURIComponent(`run=${encodeURIComponent(run)}`)}`)
    assert.equal(answer.status, 200)
    const item = answer.json.find((one) => one.sandboxID === sandbox.sandboxId)
    assert.ok(item, answer.text)
    assert.equal(item.state, 'running')
    assert.equal(item.metadata.run, run)
  })

  scenario('a wrong key', async () => {
    const wrong = `e2b_${'0'.repeat(40)}`
    await assert.rejects(Sandbox.create(base, { apiKey: wrong }), AuthenticationError)
    await assert.rejects(Sandbox.list({ apiKey: wrong }).nextItems(), AuthenticationError)
    for (const given of [wrong, 'e2b_xyz', null]) {
      const answer = await raw('GET', '/v2/sandboxes', { key: given })
      assert.equal(answer.status, 401)
      assert.equal(answer.json.code, 401)
      assert.equal(typeof answer.json.message, 'string')
    }
  })

  scenario('another tenant\'s sandbox is not there, in the same words as none', async () => {
    const sandbox = await shared()
    const foreign = { apiKey: otherKey }
    await assert.rejects(Sandbox.getInfo(sandbox.sandboxId, foreign), SandboxNotFoundError)
    await assert.rejects(Sandbox.connect(sandbox.sandboxId, foreign), SandboxNotFoundError)
    assert.equal(await Sandbox.kill(sandbox.sandboxId, foreign), false)
    assert.ok(!ids(await all(Sandbox.list({ query: { metadata: { run } }, ...foreign }))).includes(sandbox.sandboxId))
    assert.equal(await sandbox.isRunning(), true)
    const calls = [['GET', ''], ['DELETE', ''], ['POST', '/timeout', { timeout: 60 }], ['POST', '/connect', { timeout: 60 }],
      ['POST', '/refreshes', { duration: 60 }], ['GET', '/metrics'], ['GET', '/logs'], ['POST', '/pause', {}]]
    for (const [method, path, body] of calls) {
      const theirs = await raw(method, `/sandboxes/${sandbox.sandboxId}${path}`, { key: otherKey, body })
      const none = await raw(method, `/sandboxes/${UNKNOWN}${path}`, { key: otherKey, body })
      assert.equal(theirs.status, 404, `${method} ${path}: ${theirs.text}`)
      assert.equal(theirs.json.code, 404)
      assert.equal(theirs.text.replaceAll(sandbox.sandboxId, UNKNOWN), none.text, `${method} ${path}`)
    }
  }, { only: otherKey !== undefined })

  scenario('an unknown template is refused by name', async () => {
    await assert.rejects(Sandbox.create('no-such-template'), /no-such-template/)
    await assert.rejects(Sandbox.create('base:no-such-tier'), /no-such-tier/)
    const answer = await raw('POST', '/v2/sandboxes', { body: { templateID: 'no-such-template' } })
    assert.ok(answer.status === 404 || answer.status === 400, answer.text)
    assert.equal(answer.json.code, answer.status)
  })

  scenario('bodies that are none are refused in words', async () => {
    for (const path of ['/sandboxes', '/v2/sandboxes']) {
      for (const body of [{}, { templateID: 7 }, { templateID: base, timeout: 'soon' }, { templateID: base, metadata: { a: 1 } },
        { templateID: base, envVars: ['A'] }, []]) {
        const answer = await raw('POST', path, { body })
        assert.equal(answer.status, 400, `${path} ${JSON.stringify(body)}: ${answer.text}`)
        assert.equal(answer.json.code, 400)
        assert.ok(answer.json.message.length > 5)
      }
      const broken = await fetch(`${process.env.E2B_API_URL}${path}`, {
        method: 'POST',
        headers: { 'X-API-KEY': key, 'Content-Type': 'application/json' },
        body: '{"templateID": ',
      })
      assert.equal(broken.status, 400)
      assert.equal((await broken.json()).code, 400)
    }
  })

  scenario('a time to live beyond the bound is refused with the bound, never clamped', async () => {
    for (const path of ['/sandboxes', '/v2/sandboxes']) {
      const answer = await raw('POST', path, { body: { templateID: base, timeout: 10_000_000 } })
      assert.equal(answer.status, 400, answer.text)
      assert.match(answer.json.message, /\d+ ?(h|hours|s|seconds)/i)
      for (const timeout of [0, -1]) {
        const none = await raw('POST', path, { body: { templateID: base, timeout } })
        assert.equal(none.status, 400, none.text)
      }
    }
    const sandbox = await shared()
    await assert.rejects(sandbox.setTimeout(10_000_000_000), /\d+/)
    for (const timeout of [0, -5, 10_000_000]) {
      const answer = await raw('POST', `/sandboxes/${sandbox.sandboxId}/timeout`, { body: { timeout } })
      assert.equal(answer.status, 400, answer.text)
    }
  })

  scenario('the two generations have their own default of time to live', async () => {
    const second = await raw('POST', '/v2/sandboxes', { body: { templateID: base } })
    const first = await raw('POST', '/sandboxes', { body: { templateID: base } })
    try {
      assert.equal(second.status, 201, second.text)
      assert.equal(first.status, 201, first.text)
      for (const [answer, seconds] of [[second, 300], [first, 15]]) {
        const info = (await raw('GET', `/sandboxes/${answer.json.sandboxID}`)).json
        const life = (Date.parse(info.endAt) - Date.parse(info.startedAt)) / 1000
        assert.ok(Math.abs(life - seconds) < 2, `${life} s, not ${seconds}`)
      }
      assert.ok(second.json.envdAccessToken)
      assert.equal(typeof second.json.clientID, 'string')
      assert.equal(typeof second.json.envdVersion, 'string')
    } finally {
      for (const answer of [first, second]) await raw('DELETE', `/sandboxes/${answer.json?.sandboxID}`)
    }
  })

  scenario('the first generation gives no token when it is told not to', async () => {
    const open = await raw('POST', '/sandboxes', { body: { templateID: base, timeout: 60, secure: false } })
    const secure = await raw('POST', '/sandboxes', { body: { templateID: base, timeout: 60, secure: true } })
    try {
      assert.equal(open.status, 201, open.text)
      assert.ok(!open.json.envdAccessToken, open.text)
      assert.ok(secure.json.envdAccessToken, secure.text)
    } finally {
      for (const answer of [open, secure]) await raw('DELETE', `/sandboxes/${answer.json?.sandboxID}`)
    }
  })

  scenario('what is not offered is refused in words, never accepted and ignored', async () => {
    const refused = [
      { volumeMounts: [{ name: 'data', path: '/data' }] },
      { iam: { tokens: { cloud: { audience: 'x', tokenType: 'JWT-SVID' } } } },
      { network: { egressProxy: { address: 'proxy' } } },
      { network: { httpsPorts: [8443] } },
      { autoPause: false, autoResume: { enabled: true } },
      { autoPauseMemory: false },
    ]
    for (const path of ['/sandboxes', '/v2/sandboxes']) {
      for (const more of refused) {
        const answer = await raw('POST', path, { body: { templateID: base, timeout: 30, ...more } })
        if (answer.status === 201) await raw('DELETE', `/sandboxes/${answer.json.sandboxID}`)
        assert.ok(answer.status === 400 || answer.status === 501, `${path} ${JSON.stringify(more)}: ${answer.status}`)
        assert.equal(answer.json.code, answer.status)
        assert.ok(answer.json.message.length > 10, answer.text)
      }
    }
  })

  scenario('routes answer with and without a slash at their end; unknown ones as JSON', async () => {
    const sandbox = await shared()
    assert.equal((await raw('GET', '/v2/sandboxes/?limit=1')).status, 200)
    assert.equal((await raw('GET', `/sandboxes/${sandbox.sandboxId}/`)).status, 200)
    const nowhere = await raw('GET', '/v2/nowhere')
    assert.equal(nowhere.status, 404)
    assert.equal(nowhere.json.code, 404)
    assert.equal(typeof nowhere.json.message, 'string')
    const health = await raw('GET', '/health', { key: null })
    assert.ok(health.status === 200 || health.status === 204, `${health.status}`)
  })

  scenario('ids that are none', async () => {
    for (const id of ['..%2F..%2Fetc', 'A-B', '%00', 'x'.repeat(300), "1'--", '%E2%82%AC']) {
      const answer = await raw('GET', `/sandboxes/${id}`)
      assert.ok(answer.status === 404 || answer.status === 400, `${id}: ${answer.status}`)
      assert.equal(answer.json.code, answer.status)
    }
    assert.equal((await raw('GET', `/sandboxes/${UNKNOWN}`)).json.code, 404)
  })

  scenario('the legacy id with the client behind it is the same sandbox', async () => {
    const sandbox = await shared()
    const answer = await raw('GET', `/sandboxes/${sandbox.sandboxId}-client0`)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.json.sandboxID, sandbox.sandboxId)
  })

  scenario('metrics: what the sandbox uses, oldest first', async () => {
    await withSandbox({}, async (sandbox) => {
      await sandbox.commands.run('head -c 20000000 /dev/zero | tail -c 1 | wc -c')
      const samples = await eventually('a sample', async () => {
        const seen = await sandbox.getMetrics()
        return seen.length > 0 && seen
      }, { within: 20_000, every: 500 })
      const last = samples.at(-1)
      assert.ok(last.cpuCount >= 1)
      assert.ok(last.memTotal > 0 && last.memUsed >= 0 && last.memUsed <= last.memTotal, JSON.stringify(last))
      assert.ok(last.diskTotal > 0)
      assert.ok(samples.every((sample, i) => i === 0 || sample.timestamp >= samples[i - 1].timestamp))
      const future = new Date(Date.now() + 3_600_000)
      assert.deepEqual(await sandbox.getMetrics({ start: future, end: new Date(future.getTime() + 1000) }), [])
      const many = await raw('GET', `/sandboxes/metrics?sandbox_ids=${sandbox.sandboxId}`)
      assert.equal(many.status, 200, many.text)
      assert.ok(many.json.sandboxes[sandbox.sandboxId])
    })
  }, { timeout: 60_000 })

  scenario('logs have both forms', async () => {
    const sandbox = await shared()
    const first = await raw('GET', `/sandboxes/${sandbox.sandboxId}/logs?limit=10`)
    assert.equal(first.status, 200, first.text)
    assert.ok(Array.isArray(first.json.logs) && Array.isArray(first.json.logEntries), first.text)
    const second = await raw('GET', `/v2/sandboxes/${sandbox.sandboxId}/logs?limit=10`)
    assert.equal(second.status, 200, second.text)
    assert.ok(Array.isArray(second.json.logs))
  })

  scenario('this client speaks to the generation that we take it for', async () => {
    const paths = []
    const recorder = createServer((request, response) => {
      paths.push(request.url)
      response.writeHead(400, { 'Content-Type': 'application/json' }).end('{"code":400,"message":"only looking"}')
    }).listen(0, '127.0.0.1')
    await once(recorder, 'listening')
    try {
      const apiUrl = `http://127.0.0.1:${recorder.address().port}`
      await assert.rejects(Sandbox.create(base, { apiUrl }), /only looking/)
      await assert.rejects(Sandbox.connect(UNKNOWN, { apiUrl }), /only looking/)
    } finally {
      recorder.close()
    }
    const prefix = generation === 2 ? '/v2' : ''
    assert.deepEqual(paths, [`${prefix}/sandboxes`, `${prefix}/sandboxes/${UNKNOWN}/connect`])
  })
})
