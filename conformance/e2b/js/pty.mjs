// Terminals, through `sandbox.pty`.
import assert from 'node:assert/strict'
import { eventually, group, sharedSandbox } from '../lib/scenario.mjs'
import { sdk } from '../lib/target.mjs'

const { CommandExitError, NotFoundError } = sdk
const bytes = (text) => new TextEncoder().encode(text)

group('pty', ({ scenario }) => {
  const shared = sharedSandbox({ envs: { FROM_SANDBOX: 'box' } })

  /** A terminal with what it has shown so far. */
  async function terminal(options = {}) {
    const { pty } = await shared()
    const shown = []
    const handle = await pty.create({ cols: 80, rows: 24, onData: (data) => void shown.push(data), ...options })
    const text = () => Buffer.concat(shown).toString()
    return {
      handle, pty, text,
      type: (line) => pty.sendInput(handle.pid, bytes(`${line}\n`)),
      until: (what) => eventually(`${what} in ${JSON.stringify(text())}`, () => text().includes(what)),
    }
  }

  scenario('create: a login shell with its environment, until it exits', async () => {
    const { handle, type, text, until } = await terminal({ envs: { OWN: 'mine' }, cwd: '/tmp' })
    await type('echo $OWN-$FROM_SANDBOX-$((40+2)) $PWD')
    await until('mine-box-42 /tmp')
    await type('exit')
    const result = await handle.wait()
    assert.equal(result.exitCode, 0)
    assert.doesNotMatch(text(), /cannot set terminal process group|no job control/)
  })

  scenario('it is a terminal, of the size asked for', async () => {
    const { handle, type, until } = await terminal({ cols: 91, rows: 33 })
    await type('tty; stty size; test -t 0 && echo is-a-$((1+0))-tty')
    await until('/dev/pts/')
    await until('33 91')
    await until('is-a-1-tty')
    await handle.kill()
  })

  scenario('kind of terminal and locale', async () => {
    const { handle, type, until } = await terminal()
    await type('echo [$TERM] [$LANG] [$LC_ALL]')
    await until('[xterm-256color] [C.UTF-8] [C.UTF-8]')
    await type("printf '%s' 'ü€😀' | wc -m | sed s/^/chars=/")
    await until('chars=3')
    await handle.kill()
    const own = await terminal({ envs: { TERM: 'vt100', LANG: 'C' } })
    await own.type('echo [$TERM] [$LANG]')
    await own.until('[vt100] [C]')
    await own.handle.kill()
  })

  scenario('resize is seen by what runs in it', async () => {
    const { handle, pty, type, until } = await terminal()
    await type('trap "echo resized-$((2+3))" WINCH; echo ready-$((1+1))')
    await until('ready-2')
    await pty.resize(handle.pid, { cols: 120, rows: 50 })
    await until('resized-5')
    await type('stty size')
    await until('50 120')
    await handle.kill()
  })

  scenario('keys: interrupt and end of input', async () => {
    const { handle, pty, type, until } = await terminal()
    await type('echo go-$((1+1)); sleep 60')
    await until('go-2')
    await pty.sendInput(handle.pid, bytes('\u0003'))
    await type('echo after-$((2+2))')
    await until('after-4')
    await pty.sendInput(handle.pid, bytes('\u0004'))
    await handle.wait().catch((error) => assert.ok(error instanceof CommandExitError, `${error}`))
    assert.notEqual(handle.exitCode, undefined)
  })

  scenario('raw bytes go in and come out as they are', async () => {
    const { handle, pty, type, text, until } = await terminal()
    await type('stty raw -echo; echo raw-$((1+1)); head -c 5 | od -An -tx1 | tr -d "\\n"; stty sane')
    await until('raw-2')
    await pty.sendInput(handle.pid, new Uint8Array([0x00, 0x03, 0x80, 0xff, 0x0a]))
    await until('00 03 80 ff 0a')
    await handle.kill()
    assert.ok(text())
  })

  scenario('the exit status of the shell', async () => {
    const { handle, type } = await terminal()
    await type('exit 6')
    await assert.rejects(handle.wait(), (error) => error instanceof CommandExitError && error.exitCode === 6)
  })

  scenario('kill', async () => {
    const { handle, pty } = await terminal()
    assert.equal(await pty.kill(handle.pid), true)
    await assert.rejects(handle.wait(), CommandExitError)
    assert.equal(await pty.kill(handle.pid), false)
    assert.equal(await pty.kill(999_999), false)
  })

  scenario('connect: the same terminal for another client', async () => {
    const { handle, pty, type, until } = await terminal()
    await handle.disconnect()
    const seen = []
    const again = await pty.connect(handle.pid, { onData: (data) => void seen.push(data) })
    assert.equal(again.pid, handle.pid)
    await type('echo second-$((3+3))')
    await eventually(() => Buffer.concat(seen).toString(), () => Buffer.concat(seen).includes('second-6'))
    await handle.kill()
    await assert.rejects(pty.connect(999_999), NotFoundError)
    assert.ok(until)
  })

  scenario('several terminals at once keep apart', async () => {
    const terminals = await Promise.all([1, 2, 3].map(() => terminal()))
    await Promise.all(terminals.map(({ type }, i) => type(`own=${i}; echo mine-$((own+10))`)))
    await Promise.all(terminals.map(({ until }, i) => until(`mine-${10 + i}`)))
    for (const { handle } of terminals) await handle.kill()
  })

  scenario('a terminal is in the list of processes, and takes no standard input', async () => {
    const sandbox = await shared()
    const { handle } = await terminal()
    const mine = (await sandbox.commands.list()).find((one) => one.pid === handle.pid)
    assert.equal(mine.cmd, '/bin/bash')
    assert.deepEqual(mine.args, ['-i', '-l'])
    await assert.rejects(sandbox.commands.sendStdin(handle.pid, 'x'))
    await handle.kill()
  })

  scenario('a flood does not stop the keys', async () => {
    const { handle, pty, type, until } = await terminal()
    await type('yes "a line of a flood that has no end"')
    await eventually('the flood', () => handle.pid > 0)
    await new Promise((done) => setTimeout(done, 300))
    await pty.sendInput(handle.pid, bytes('\u0003'))
    await type('echo quiet-$((4+4))')
    await until('quiet-8')
    await handle.kill()
  })

  scenario('another user', async () => {
    const { handle, type, until } = await terminal({ user: 'root' })
    await type('echo $(id -un)-$((1+1)) $HOME')
    await until('root-2 /root')
    await handle.kill()
  })
}, { tiers: ['jail', 'gvisor'] })
