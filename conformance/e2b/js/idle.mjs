// What stays silent for longer than proxies usually bear. Runs beside everything else, because it only waits.
import assert from 'node:assert/strict'
import { group, sleep, withSandbox } from '../lib/scenario.mjs'
import { sdk } from '../lib/target.mjs'

const SILENT_MS = 130_000

group('idle', ({ scenario }) => {
  scenario('a silent stream is not cut, and a command is taken up again after two minutes', async () => {
    await withSandbox({}, async (sandbox) => {
      const quiet = await sandbox.commands.run(`sleep ${SILENT_MS / 1000}; echo spoke`, { background: true, timeoutMs: 0 })
      const left = await sandbox.commands.run('while [ ! -e /tmp/go ]; do sleep 0.2; done; echo found again', { background: true, timeoutMs: 0 })
      const seen = []
      const pty = await sandbox.pty.create({ cols: 80, rows: 24, timeoutMs: 0, onData: (data) => void seen.push(Buffer.from(data)) })
      const events = []
      const watch = await sandbox.files.watchDir('/home/user', (event) => void events.push(event.name), { timeoutMs: 0 })
      await left.disconnect()
      assert.equal((await quiet.wait()).stdout, 'spoke\n')
      const again = await (await sdk.Sandbox.connect(sandbox.sandboxId)).commands.connect(left.pid)
      await sandbox.files.write('/tmp/go', '')
      assert.equal((await again.wait()).stdout, 'found again\n')
      await sandbox.pty.sendInput(pty.pid, new TextEncoder().encode('echo awake-$((1+1))\n'))
      await sandbox.files.write('/home/user/late', 'x')
      await sleep(1000)
      assert.match(Buffer.concat(seen).toString(), /awake-2/)
      assert.ok(events.includes('late'), `${events}`)
      await watch.stop()
    })
  }, { timeout: SILENT_MS + 40_000 })
}, { tiers: ['jail', 'gvisor'] })
