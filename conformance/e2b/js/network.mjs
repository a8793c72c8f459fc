// What sandboxes may reach: what is asked for, told, replaced and refused. Nothing here reaches anything.
import assert from 'node:assert/strict'
import { group, raw, withSandbox } from '../lib/scenario.mjs'
import { base, generation, linux, sdk } from '../lib/target.mjs'

const { Sandbox, SandboxNotFoundError } = sdk
const ALL = '0.0.0.0/0'

/** What holds, as the server tells it. */
async function rules(sandbox) {
  const answer = await raw('GET', `/sandboxes/${sandbox.sandboxId}`)
  assert.equal(answer.status, 200, answer.text)
  const { allowInternetAccess, network } = answer.json
  return { open: allowInternetAccess, allowOut: network.allowOut ?? [], denyOut: network.denyOut ?? [], rules: network.rules }
}

async function made(body, use) {
  const answer = await raw('POST', '/v2/sandboxes', { body: { templateID: base, timeout: 60, ...body } })
  try {
    await use(answer)
  } finally {
    if (answer.status === 201) await raw('DELETE', `/sandboxes/${answer.json.sandboxID}`)
  }
}

group('network', ({ scenario }) => {
  scenario('who says nothing gets a closed network', async () => {
    await withSandbox({}, async (sandbox) => {
      assert.deepEqual(await rules(sandbox), { open: false, allowOut: [], denyOut: [ALL], rules: undefined })
      const info = await sandbox.getInfo()
      if (info.allowInternetAccess !== undefined) assert.equal(info.allowInternetAccess, false)
    })
    await withSandbox({ allowInternetAccess: false }, async (sandbox) => assert.equal((await rules(sandbox)).open, false))
  })

  scenario('lists are told as they were asked for', async () => {
    const network = { allowOut: ['1.1.1.1', 'api.example.com', '*.pypi.example'], denyOut: [ALL] }
    await withSandbox({ network }, async (sandbox) => {
      assert.deepEqual(await rules(sandbox), { open: false, ...network, rules: undefined })
    })
  }, { only: linux })

  scenario('rules are told with their placeholders', async () => {
    const headers = { Authorization: 'Bearer ${e2b.secrets.TOKEN}' }
    const network = {
      allowOut: ['api.example.com'],
      denyOut: [ALL],
      rules: { 'api.example.com': [{ transform: { headers } }] },
    }
    await made({ network }, async (answer) => {
      assert.equal(answer.status, 201, answer.text)
      const told = await rules({ sandboxId: answer.json.sandboxID })
      assert.deepEqual(told.rules, network.rules)
    })
  }, { only: linux })

  scenario('a proxy is told without its password', async () => {
    const egressProxy = { address: 'proxy.example:1080', username: 'me', password: 'hunter2' }
    await made({ network: { allowOut: ['1.1.1.1'], denyOut: [ALL], egressProxy } }, async (answer) => {
      assert.equal(answer.status, 201, answer.text)
      const told = await raw('GET', `/sandboxes/${answer.json.sandboxID}`)
      assert.deepEqual(told.json.network.egressProxy, { address: 'proxy.example:1080', username: 'me' })
      assert.ok(!told.text.includes('hunter2'))
    })
  }, { only: linux })

  scenario('an update replaces all rules, and what is left out is cleared', async () => {
    const network = { allowOut: ['api.example.com'], denyOut: [ALL] }
    await withSandbox({ network }, async (sandbox) => {
      const path = `/sandboxes/${sandbox.sandboxId}/network`
      if (sandbox.updateNetwork) await sandbox.updateNetwork({ denyOut: ['8.8.8.8'] })
      else assert.equal((await raw('PUT', path, { body: { denyOut: ['8.8.8.8'] } })).status, 204)
      assert.deepEqual(await rules(sandbox), { open: true, allowOut: [], denyOut: ['8.8.8.8'], rules: undefined })
      assert.equal((await raw('PUT', path, { body: {} })).status, 204)
      assert.deepEqual(await rules(sandbox), { open: false, allowOut: [], denyOut: [ALL], rules: undefined })
    })
  }, { only: linux })

  scenario('an update that is refused leaves the old rules', async () => {
    const network = { allowOut: ['1.1.1.1'], denyOut: [ALL] }
    await withSandbox({ network }, async (sandbox) => {
      const path = `/sandboxes/${sandbox.sandboxId}/network`
      for (const body of [{ allowOut: ['a.example'] }, { denyOut: ['a.example'] }, { allowOut: ['*'] }, { nonsense: 1 }]) {
        const answer = await raw('PUT', path, { body })
        assert.equal(answer.status, 400, `${JSON.stringify(body)}: ${answer.text}`)
      }
      assert.deepEqual(await rules(sandbox), { open: false, ...network, rules: undefined })
    })
  }, { only: linux })

  scenario('what is no rule is refused in words', async () => {
    const closed = { denyOut: [ALL] }
    const refused = [
      [{ allowOut: ['a.example'] }, /you must include 'ALL_TRAFFIC' in deny out/],
      [{ denyOut: ['a.example'] }, /invalid denied CIDR a\.example/],
      [{ denyOut: ['1.2.3.4/33'] }, /invalid denied CIDR/],
      [{ ...closed, allowOut: ['a..example'] }, /not a host name/],
      [{ ...closed, allowOut: ['a.example'], rules: { 'b.example': [] } }, /b\.example/],
      [{ ...closed, allowOut: ['a.example'], rules: { 'a.example': [{}, {}] } }, /one/],
      [{ ...closed, egressProxy: { address: 'a.example:1080', username: 'u' } }, /password/],
    ]
    for (const [network, words] of refused) {
      await made({ network }, async (answer) => {
        assert.equal(answer.status, 400, `${JSON.stringify(network)}: ${answer.text}`)
        assert.equal(answer.json.code, 400)
        assert.match(answer.json.message, words)
      })
    }
  })

  scenario('another tenant\'s and no sandbox have no network', async () => {
    assert.equal((await raw('PUT', '/sandboxes/i00000000000000000000/network', { body: {} })).status, 404)
    if (generation === 2 && Sandbox.updateNetwork) {
      await assert.rejects(Sandbox.updateNetwork('i00000000000000000000', {}), SandboxNotFoundError)
    }
  })

  scenario('a tier without sockets has rules all the same', async () => {
    for (const body of [{ allow_internet_access: true }, { network: { allowOut: ['1.1.1.1'], denyOut: [ALL] } }]) {
      await made(body, async (answer) => {
        assert.equal(answer.status, 201, answer.text)
      })
    }
  }, { only: !linux })
})
