// The examples of frameworks, as a reader would run them, and ComputeSDK's E2B provider call by call.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { e2b } from '@computesdk/e2b'
import { eventually, group } from '../lib/scenario.mjs'
import { base, code, key, run } from '../lib/target.mjs'

const examples = join(dirname(dirname(fileURLToPath(import.meta.url))), 'examples')
const execute = promisify(execFile)
const python = process.env.GLOVEBOX_E2B_PYTHON

group('frameworks', ({ scenario }) => {
  const example = async (program, name, template) => {
    const { stdout } = await execute(program, [join(examples, name)], { env: { ...process.env, GLOVEBOX_TEMPLATE: template }, timeout: 50_000 })
    return stdout
  }

  scenario('a loop of tools without a framework', async () => {
    const stdout = await example(process.execPath, 'tool-loop.mjs', code)
    assert.match(stdout, /TypeError/)
    assert.match(stdout, /The total is 400\.\n$/)
    assert.match(stdout, /exit status 0\n4/)
  }, { timeout: 60_000 })

  scenario('ComputeSDK', async () => {
    assert.equal(await example(process.execPath, 'computesdk.mjs', base), 'the largest is 3, exit status 0\n')
  }, { timeout: 60_000 })

  scenario('Hugging Face smolagents', async () => {
    assert.match(await example(python, 'smolagents_agent.py', code), /\{'total': 15, 'home': '\/home\/user'\}/)
  }, { timeout: 60_000, only: Boolean(python) })

  scenario('ComputeSDK, call by call', async () => {
    const provider = e2b({ apiKey: key })
    const sandbox = await provider.sandbox.create({ templateId: base, envs: { OWN: 'box' }, metadata: { run }, timeout: 60_000 })
    try {
      const result = await sandbox.runCommand('echo out; echo err >&2; echo $OWN', {})
      assert.deepEqual([result.stdout, result.stderr, result.exitCode], ['out\nbox\n', 'err\n', 0])
      const failed = await sandbox.runCommand('exit 5')
      assert.equal(failed.exitCode, 5)
      const given = await sandbox.runCommand('echo $A; pwd', { cwd: '/tmp', env: { A: 'x' } })
      assert.match(given.stdout, /\/tmp/)
      const behind = await sandbox.runCommand('sleep 0.2; touch /tmp/later', { background: true })
      assert.equal(behind.exitCode, 0)
      await eventually('the command in the background ends', () => sandbox.filesystem.exists('/tmp/later'))
      await sandbox.filesystem.mkdir('/home/user/d')
      await sandbox.filesystem.writeFile('/home/user/d/f', 'ü')
      assert.equal(await sandbox.filesystem.readFile('/home/user/d/f'), 'ü')
      assert.deepEqual((await sandbox.filesystem.readdir('/home/user/d')).map((entry) => entry.name), ['f'])
      await sandbox.filesystem.remove('/home/user/d')
      assert.equal(await sandbox.filesystem.exists('/home/user/d'), false)
      assert.match(await sandbox.getUrl({ port: 8000 }), new RegExp(`^https://8000-${sandbox.sandboxId}\\.`))
      const again = await provider.sandbox.getById(sandbox.sandboxId)
      assert.equal((await again.runCommand('echo again')).stdout, 'again\n')
      assert.ok((await provider.sandbox.list()).length >= 1)
    } finally {
      await sandbox.destroy()
    }
    assert.equal(await provider.sandbox.getById(sandbox.sandboxId), null)
  })
}, { concurrency: 2, tiers: ['jail', 'gvisor'] })
