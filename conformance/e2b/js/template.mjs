// Templates: what there is; building them is not part of this server yet and is refused in words.
import assert from 'node:assert/strict'
import { group, raw } from '../lib/scenario.mjs'
import { sdk } from '../lib/target.mjs'

const { Template } = sdk

group('template', ({ scenario }) => {
  scenario('exists', async () => {
    assert.equal(await Template.exists('base'), true)
    assert.equal(await Template.exists('code-interpreter-v1'), true)
    assert.equal(await Template.exists('no-such-template'), false)
  })

  scenario('the list has the templates by name', async () => {
    for (const path of ['/templates', '/v2/templates']) {
      const answer = await raw('GET', path)
      assert.equal(answer.status, 200, answer.text)
      const items = Array.isArray(answer.json) ? answer.json : answer.json.templates
      const names = items.flatMap((item) => item.aliases ?? item.names ?? [])
      assert.ok(names.includes('base') && names.includes('code-interpreter-v1'), answer.text)
      for (const item of items) assert.ok(item.templateID && item.cpuCount >= 1 && item.memoryMB >= 64, JSON.stringify(item))
    }
  })

  scenario('a build is refused in words, not accepted and forgotten', async () => {
    const built = await Template.build(Template().fromImage('debian:12').runCmd('true'), 'own-template', { cpuCount: 1, memoryMB: 512 })
      .then(() => undefined, (error) => error)
    assert.ok(built instanceof Error)
    assert.match(built.message, /not supported|not offered|template build/i)
    const answer = await raw('POST', '/v3/templates', { body: { name: 'own-template' } })
    assert.equal(answer.status, 501, answer.text)
    assert.equal(answer.json.code, 501)
    assert.ok(answer.json.message.length > 20)
  })

  scenario('volumes and secrets are refused in words', async () => {
    for (const [method, path] of [['GET', '/volumes'], ['POST', '/volumes'], ['GET', '/secrets'], ['POST', '/secrets']]) {
      const answer = await raw(method, path, method === 'POST' ? { body: { name: 'x', value: 'y' } } : {})
      assert.equal(answer.status, 501, `${method} ${path}: ${answer.status} ${answer.text}`)
      assert.equal(answer.json.code, 501)
    }
  })
}, { tiers: ['jail', 'gvisor'] })
