// Processes and their output, through `sandbox.commands`.
import assert from 'node:assert/strict'
import { eventually, fresh, group, sharedSandbox, sleep, withSandbox } from '../lib/scenario.mjs'
import { sdk, tier } from '../lib/target.mjs'

const { Sandbox, CommandExitError, InvalidArgumentError, NotFoundError, TimeoutError, AuthenticationError } = sdk

group('commands', ({ scenario }) => {
  const shared = sharedSandbox({ envs: { FROM_SANDBOX: 'sandbox', BOTH: 'sandbox' } })
  const run = async (command, options) => (await shared()).commands.run(command, options)

  scenario('run', async () => {
    const result = await run('echo "out"; echo "err" >&2')
    assert.deepEqual(
      { exitCode: result.exitCode, stdout: result.stdout, stderr: result.stderr },
      { exitCode: 0, stdout: 'out\n', stderr: 'err\n' },
    )
  })

  scenario('special characters, as they are', async () => {
    const text = `a 'b' "c" $HOME \`d\` \\ ü é 😀 \t * ? [x] {y} ~ # ! % & | ; < >`
    assert.equal((await run(`printf '%s' '${text.replaceAll("'", `'\\''`)}'`)).stdout, text)
  })

  scenario('several lines and blank lines are kept', async () => {
    assert.equal((await run("printf 'one\\n\\n\\ntwo\\r\\n  three  \\n\\n'")).stdout, 'one\n\n\ntwo\r\n  three  \n\n')
    assert.equal((await run('echo first\n\n# a remark\necho second')).stdout, 'first\nsecond\n')
  })

  scenario('here documents do not hang, nor what comes after them', async () => {
    assert.equal((await run("cat <<'END'\n$x and `y`\nEND\necho after")).stdout, '$x and `y`\nafter\n')
    const open = await run('cat <<END\nnever ended').catch((error) => error)
    assert.match(open.stdout, /never ended/)
    assert.equal((await run('echo fine')).stdout, 'fine\n')
  })

  scenario('an exit status that is not zero is thrown with the output', async () => {
    await assert.rejects(run('echo partial; echo why >&2; exit 7'), (error) => {
      assert.ok(error instanceof CommandExitError)
      assert.equal(error.exitCode, 7)
      assert.equal(error.stdout, 'partial\n')
      assert.equal(error.stderr, 'why\n')
      return true
    })
    await assert.rejects(run('no-such-program'), (error) => error.exitCode === 127 && /not found/.test(error.stderr))
  })

  scenario('an empty command', async () => {
    assert.equal((await run('')).exitCode, 0)
  })

  scenario('a character that is split over two pieces of output arrives whole', async () => {
    const script = `import os,time
for byte in 'é😀€'.encode():
    os.write(1, bytes([byte])); time.sleep(0.02)`
    const pieces = []
    const result = await run(`python3 -c "${script}"`, { onStdout: (text) => void pieces.push(text) })
    assert.equal(result.stdout, 'é😀€')
    assert.equal(pieces.join(''), 'é😀€')
  })

  scenario('bytes that are no text do not stop the stream', async () => {
    const result = await run("printf 'a\\377\\376\\000b'")
    assert.ok(result.stdout.startsWith('a') && result.stdout.endsWith('b'))
  })

  scenario('output arrives while the command runs', async () => {
    const times = []
    const begun = Date.now()
    await run('for i in 1 2 3; do echo $i; sleep 0.3; done', { onStdout: () => void times.push(Date.now() - begun) })
    assert.equal(times.length, 3)
    assert.ok(times[2] - times[0] > 300, `${times}`)
  })

  scenario('much output: every byte, in order, in bounded time', async () => {
    const lines = 1_000_000
    const result = await run(`seq 1 ${lines}`)
    assert.equal(result.stdout.length, 6_888_896)
    assert.ok(result.stdout.endsWith(`\n${lines}\n`))
  })

  scenario('all output comes before the end, of both streams', async () => {
    const result = await run('for i in $(seq 200); do echo out$i; echo err$i >&2; done')
    assert.equal(result.stdout.split('\n').length, 201)
    assert.equal(result.stderr.split('\n').length, 201)
  })

  scenario('a command longer than one argument may be is refused in words or works', async () => {
    const long = `echo ${'x'.repeat(200_000)} | wc -c`
    const answer = await run(long).catch((error) => error)
    if (answer instanceof Error) {
      assert.ok(answer instanceof InvalidArgumentError || /too long|bytes|limit/i.test(answer.message), `${answer}`)
      assert.doesNotMatch(answer.message, /terminated|fetch failed/)
    } else assert.equal(answer.stdout.trim(), '200001')
    assert.equal((await run(`echo ${'y'.repeat(100_000)} | wc -c`)).stdout.trim(), '100001')
  })

  scenario('environment: of the sandbox, of the command, and whose word counts', async () => {
    assert.equal((await run('echo $FROM_SANDBOX/$BOTH')).stdout, 'sandbox/sandbox\n')
    const given = await run('echo $FROM_SANDBOX/$BOTH/$OWN', { envs: { BOTH: 'command', OWN: 'a b $c "d"' } })
    assert.equal(given.stdout, 'sandbox/command/a b $c "d"\n')
    assert.equal((await run('echo "[$OWN]"')).stdout, '[]\n')
    assert.equal((await run('python3 -c "import os; print(os.environ[\'FROM_SANDBOX\'])"')).stdout, 'sandbox\n')
  })

  scenario('the environment is that of a login, with nothing of the server\'s', async () => {
    const { stdout } = await run('env')
    const env = Object.fromEntries(stdout.trim().split('\n').map((line) => [line.split('=')[0], line]))
    assert.equal(env.HOME, 'HOME=/home/user')
    assert.equal(env.USER, 'USER=user')
    assert.equal(env.LOGNAME, 'LOGNAME=user')
    assert.match(env.PATH, /\/usr\/local\/bin.*\/usr\/bin.*\/bin/)
    assert.doesNotMatch(stdout, /GLOVEBOX|JAVA_HOME|E2B_API|e2b_[0-9a-f]{8}/)
    assert.equal((await run('umask')).stdout, '0022\n')
  })

  scenario('the working directory', async () => {
    assert.equal((await run('pwd')).stdout, '/home/user\n')
    assert.equal((await run('pwd', { cwd: '/usr/bin' })).stdout, '/usr/bin\n')
    const directory = fresh('work')
    await (await shared()).files.makeDir(directory)
    assert.equal((await run('pwd', { cwd: directory.split('/').at(-1) })).stdout, `${directory}\n`)
    assert.equal((await run('pwd', { cwd: '~' })).stdout, '/home/user\n')
    await assert.rejects(run('pwd', { cwd: '/no/such/place' }), (error) => {
      assert.ok(error instanceof InvalidArgumentError, `${error}`)
      assert.match(error.message, /\/no\/such\/place/)
      return true
    })
    await assert.rejects(run('pwd', { cwd: '/etc/passwd' }), InvalidArgumentError)
  })

  scenario('users', async () => {
    assert.equal((await run('id -un; id -gn')).stdout, 'user\nuser\n')
    assert.equal((await run('id -u; echo $HOME', { user: 'root' })).stdout, '0\n/root\n')
    // A jail has no_new_privs: who wants root there asks for it.
    if (process.env.GLOVEBOX_TIER !== 'jail') assert.equal((await run('sudo id -u')).stdout, '0\n')
    await assert.rejects(run('id', { user: 'nobody-here' }), (error) => {
      assert.ok(error instanceof AuthenticationError, `${error.name}: ${error.message}`)
      assert.match(error.message, /nobody-here/)
      return true
    })
  })

  scenario('a background command: pid, wait, result', async () => {
    const handle = await run('echo begun; sleep 0.3; echo done', { background: true })
    assert.ok(Number.isInteger(handle.pid) && handle.pid > 0)
    assert.equal(handle.exitCode, undefined)
    const result = await handle.wait()
    assert.equal(result.stdout, 'begun\ndone\n')
    assert.equal(handle.exitCode, 0)
  })

  scenario('a background command that fails', async () => {
    const handle = await run('exit 3', { background: true })
    await assert.rejects(handle.wait(), (error) => error instanceof CommandExitError && error.exitCode === 3)
    assert.equal(handle.exitCode, 3)
  })

  scenario('list has what runs and no more', async () => {
    const { commands } = await shared()
    const handle = await run('exec sleep 77', { background: true, envs: { MARK: 'x' }, cwd: '/tmp' })
    const mine = (await commands.list()).find((one) => one.pid === handle.pid)
    assert.ok(mine)
    assert.equal(mine.cmd, '/bin/bash')
    assert.deepEqual(mine.args, ['-l', '-c', 'exec sleep 77'])
    assert.equal(mine.envs.MARK, 'x')
    assert.equal(mine.cwd, '/tmp')
    await handle.kill()
    await eventually('the killed command leaves the list', async () =>
      !(await commands.list()).some((one) => one.pid === handle.pid))
  })

  scenario('kill', async () => {
    const handle = await run('sleep 60', { background: true })
    assert.equal(await handle.kill(), true)
    await assert.rejects(handle.wait(), (error) => {
      assert.ok(error instanceof CommandExitError)
      assert.equal(error.exitCode, -1)
      return true
    })
    const { commands } = await shared()
    assert.equal(await commands.kill(handle.pid), false)
    assert.equal(await commands.kill(999_999), false)
  })

  scenario('kill takes the whole process group, also what holds the output open', async () => {
    const mark = `mark${Date.now()}`
    const handle = await run(`(exec -a ${mark} sleep 60) & (exec -a ${mark} sleep 60) & echo up; wait`, { background: true })
    await eventually('both run', async () => (await run(`pgrep -fc '^${mark} ' || true`, { user: 'root' })).stdout.trim() >= 2)
    assert.equal(await handle.kill(), true)
    const ended = await Promise.race([handle.wait().catch((error) => error), sleep(5000).then(() => 'still open')])
    assert.notEqual(ended, 'still open')
    await eventually('none of the group lives', async () =>
      (await run(`pgrep -fc '^${mark} ' || true`, { user: 'root' })).stdout.trim() === '0')
  })

  scenario('a signal to itself shows in the exit', async () => {
    await assert.rejects(run('kill -9 $$'), (error) => error instanceof CommandExitError && error.exitCode !== 0)
    await assert.rejects(run('kill -TERM $$'), (error) => error instanceof CommandExitError && error.exitCode !== 0)
  })

  scenario('too short a timeout: an error of its own, and the command is dead', async () => {
    const begun = Date.now()
    const mark = `deadline${begun}`
    await assert.rejects(run(`exec -a ${mark} sleep 30`, { timeoutMs: 700 }), TimeoutError)
    assert.ok(Date.now() - begun < 5000, `${Date.now() - begun} ms`)
    const { commands } = await shared()
    await eventually('the process list shows nothing', async () =>
      !(await commands.list()).some((one) => one.args.join(' ').includes(mark)))
    assert.equal((await run(`pgrep -fc ^${mark} || true`, { user: 'root' })).stdout.trim(), '0')
  })

  scenario('a timeout of a background command reaches who waits for it', async () => {
    const handle = await run('echo begun; sleep 30', { background: true, timeoutMs: 700 })
    await assert.rejects(handle.wait(), TimeoutError)
    assert.equal(handle.stdout, 'begun\n')
  })

  scenario('a timeout that is long enough, and none at all', async () => {
    assert.equal((await run('sleep 0.2; echo in time', { timeoutMs: 10_000 })).stdout, 'in time\n')
    assert.equal((await run('echo no limit', { timeoutMs: 0 })).stdout, 'no limit\n')
  })

  scenario('connect: from the moment on, with its end', async () => {
    const { commands } = await shared()
    const handle = await run('while [ ! -e /tmp/go-on ]; do sleep 0.05; done; echo later; exit 4', { background: true })
    const seen = []
    const other = await commands.connect(handle.pid, { onStdout: (text) => void seen.push(text) })
    assert.equal(other.pid, handle.pid)
    await run('touch /tmp/go-on')
    await assert.rejects(other.wait(), (error) => error.exitCode === 4)
    await assert.rejects(handle.wait(), (error) => error.exitCode === 4 && error.stdout === 'later\n')
    assert.equal(seen.join(''), 'later\n')
  })

  scenario('connect to what is not there', async () => {
    const { commands } = await shared()
    await assert.rejects(commands.connect(999_999), NotFoundError)
  })

  scenario('disconnect leaves the command running; it can be taken up again by another client', async () => {
    const sandbox = await shared()
    const handle = await run('sleep 1; echo survived', { background: true })
    await handle.disconnect()
    await sleep(200)
    const elsewhere = await Sandbox.connect(sandbox.sandboxId)
    assert.ok((await elsewhere.commands.list()).some((one) => one.pid === handle.pid))
    const again = await elsewhere.commands.connect(handle.pid)
    assert.equal((await again.wait()).stdout, 'survived\n')
  })

  scenario('output that nobody listens to is let go, and blocks nothing', async () => {
    const { commands, files } = await shared()
    const path = fresh('flood')
    const handle = await run(`seq 1 500000; echo finished > ${path}`, { background: true, timeoutMs: 0 })
    await handle.disconnect()
    await eventually('the flood comes to its end', () => files.exists(path), { within: 20_000 })
    assert.equal((await commands.run('echo still here')).stdout, 'still here\n')
  })

  scenario('standard input: text, bytes, by pid, by handle, until it is closed', async () => {
    const { commands } = await shared()
    const handle = await run('cat', { background: true, stdin: true })
    await commands.sendStdin(handle.pid, 'text ü😀\n')
    await commands.sendStdin(handle.pid, new TextEncoder().encode('bytes\n'))
    await handle.sendStdin('')
    await handle.sendStdin(`special $HOME 'x' "y" \\ \`z\`\n\n  lines\n`)
    await handle.closeStdin()
    const result = await handle.wait()
    assert.equal(result.stdout, `text ü😀\nbytes\nspecial $HOME 'x' "y" \\ \`z\`\n\n  lines\n`)
  })

  scenario('standard input is closed by pid as well', async () => {
    const { commands } = await shared()
    const handle = await run('wc -c', { background: true, stdin: true })
    await commands.closeStdin(handle.pid)
    assert.equal((await handle.wait()).stdout.trim(), '0')
  })

  scenario('large standard input arrives whole', async () => {
    const handle = await run('sha256sum; cat', { background: true, stdin: true })
    const piece = 'p'.repeat(99_999) + '\n'
    for (let i = 0; i < 20; i++) await handle.sendStdin(piece)
    await handle.closeStdin()
    const { createHash } = await import('node:crypto')
    const digest = createHash('sha256').update(piece.repeat(20)).digest('hex')
    assert.match((await handle.wait()).stdout, new RegExp(digest))
  })

  scenario('standard input that nobody reads any more', async () => {
    const handle = await run('exec 0<&-; sleep 1; echo fine', { background: true, stdin: true })
    await sleep(300)
    // The write may be refused or may be lost; the command and the sandbox must not suffer.
    await handle.sendStdin('x'.repeat(200_000)).catch((error) => assert.ok(error.message.length > 3))
    assert.equal((await handle.wait()).stdout, 'fine\n')
  })

  scenario('without standard input it is empty, and sending says why it fails', async () => {
    assert.equal((await run('cat; echo end')).stdout, 'end\n')
    const handle = await run('sleep 5', { background: true })
    await assert.rejects(handle.sendStdin('lost'), /stdin/i)
    await handle.kill()
    const { commands } = await shared()
    await assert.rejects(commands.sendStdin(999_999, 'x'), NotFoundError)
  })

  scenario('a program left in the background does not hold up the answer', async () => {
    const begun = Date.now()
    const result = await run('nohup sleep 20 >/dev/null 2>&1 & echo started')
    assert.equal(result.stdout, 'started\n')
    assert.ok(Date.now() - begun < 5000)
  })

  scenario('children that their parent left are reaped', async () => {
    await run('for i in 1 2 3 4 5; do (sleep 0.05 &) ; done; sleep 0.3')
    await eventually('no zombies', async () =>
      (await run("ps -eo stat= | grep -c '^Z' || true", { user: 'root' })).stdout.trim() === '0')
  })

  scenario('many commands at once, each with its own output', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, (_, i) => run(`sleep 0.1; echo ${i}; exit 0`)))
    assert.deepEqual(results.map((result) => result.stdout), Array.from({ length: 20 }, (_, i) => `${i}\n`))
  })

  scenario('a command sees a file as soon as the upload answers', async () => {
    const { files } = await shared()
    for (let i = 0; i < 5; i++) {
      const path = fresh('seen')
      await files.write(path, `content ${i}`)
      assert.equal((await run(`cat ${path}`)).stdout, `content ${i}`)
    }
  })

  scenario('as many processors as the sandbox has, not as the host has', async () => {
    const sandbox = await shared()
    const { cpuCount } = await sandbox.getInfo()
    assert.equal(Number((await run('nproc')).stdout), cpuCount)
  })

  scenario('a fork bomb is contained, and the sandbox goes on answering', async () => {
    await withSandbox({}, async (sandbox) => {
      await sandbox.commands.run(':(){ :|:& };:', { timeoutMs: 2000 }).catch(() => {})
      // It lives on in the background, and may leave room for no other process: then that is said.
      await eventually('a command runs, or is refused in words', async () => {
        const result = await sandbox.commands.run('echo alive', { timeoutMs: 5000 }).catch((error) => error)
        return result.stdout === 'alive\n' || /room for another process|resource_exhausted/.test(`${result.message} ${result.stderr}`)
      }, { within: 60_000, every: 500 })
      await sandbox.files.write('/home/user/still', 'here')
      assert.equal(await sandbox.files.read('/home/user/still'), 'here')
    })
  }, { timeout: 90_000 })

  scenario('a command that takes all memory ends alone, and says so', async () => {
    await withSandbox({}, async (sandbox) => {
      const hog = 'python3 -c "\nx=[]\nwhile True: x.append(bytearray(50_000_000))"'
      const error = await sandbox.commands.run(hog, { timeoutMs: 20_000 }).catch((thrown) => thrown)
      assert.ok(error instanceof Error)
      assert.ok(error instanceof CommandExitError || /memory/i.test(error.message), `${error.name}: ${error.message}`)
      assert.equal(await sandbox.isRunning(), true)
      assert.equal((await sandbox.commands.run('echo alive')).stdout, 'alive\n')
    })
  }, { timeout: 60_000 })

  scenario('the sandbox is killed while a command runs: an error that says so, soon', async () => {
    await withSandbox({}, async (sandbox) => {
      const handle = await sandbox.commands.run('sleep 60', { background: true })
      const begun = Date.now()
      await sandbox.kill()
      await assert.rejects(handle.wait(), (error) => {
        assert.ok(error instanceof TimeoutError || error instanceof NotFoundError, `${error.name}: ${error.message}`)
        assert.match(error.message, /sandbox/i)
        return true
      })
      assert.ok(Date.now() - begun < 5000)
      await assert.rejects(sandbox.commands.run('echo x'), (error) => {
        assert.ok(error instanceof TimeoutError || error instanceof NotFoundError, `${error.name}: ${error.message}`)
        return true
      })
    })
  })

  scenario('the pid is the one inside', async () => {
    const handle = await run('echo $$', { background: true })
    const result = await handle.wait()
    assert.equal(Number(result.stdout), handle.pid)
  }, { only: tier === 'jail' || tier === 'gvisor' })
}, { tiers: ['jail', 'gvisor'] })
