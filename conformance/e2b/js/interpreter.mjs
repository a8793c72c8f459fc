// Code, through `runCode` of the code interpreter's client.
import assert from 'node:assert/strict'
import { create, eventually, fresh, group, raw, sharedSandbox, sleep, withSandbox } from '../lib/scenario.mjs'
import { code, linux, sdk, tier, url } from '../lib/target.mjs'

const { Sandbox, NotFoundError, TimeoutError } = sdk
const python = tier !== 'isolate'
const javascript = true

group('interpreter', ({ scenario }) => {
  const shared = sharedSandbox({ template: code })
  const run = async (text, options) => (await shared()).runCode(text, options)
  /** A context of its own for a scenario that others must not disturb. */
  const inContext = async (options, use) => {
    const sandbox = await shared()
    const context = await sandbox.createCodeContext(options)
    try {
      return await use((text, more) => sandbox.runCode(text, { context, ...more }), context)
    } finally {
      await sandbox.removeCodeContext(context).catch(() => {})
    }
  }
  const language = python ? 'python' : 'javascript'

  scenario('the template is what the client takes by itself', async () => {
    const sandbox = await Sandbox.create({ timeoutMs: 60_000 })
    try {
      const execution = await sandbox.runCode('x = 1; x += 1; x')
      assert.equal(execution.text, '2')
    } finally {
      await sandbox.kill()
    }
  }, { only: tier === 'gvisor' })

  scenario('the value of the last expression', async () => {
    const execution = await run('x = 1\nx += 1\nx')
    assert.equal(execution.error, undefined)
    assert.equal(execution.text, '2')
    assert.equal(execution.results.length, 1)
    assert.equal(execution.results[0].isMainResult, true)
    assert.equal(execution.results[0].text, '2')
  }, { only: python })

  scenario('no value, no result', async () => {
    for (const text of ['y = 5', 'None', 'print("x")', '', '# only a remark']) {
      const execution = await run(text)
      assert.deepEqual(execution.results, [], text)
      assert.equal(execution.text, undefined)
    }
  }, { only: python })

  scenario('output of both kinds, with callbacks while it runs', async () => {
    const out = []
    const err = []
    const begun = Date.now()
    let first
    const execution = await run('import sys, time\nprint("one"); sys.stdout.flush(); time.sleep(0.8)\nprint("two")\nprint("bad", file=sys.stderr)', {
      onStdout: (message) => {
        first ??= Date.now() - begun
        out.push(message)
      },
      onStderr: (message) => void err.push(message),
    })
    assert.equal(execution.logs.stdout.join(''), 'one\ntwo\n')
    assert.equal(execution.logs.stderr.join(''), 'bad\n')
    assert.equal(out.map((message) => message.line).join(''), 'one\ntwo\n')
    assert.equal(err[0].error, true)
    assert.ok(out[0].timestamp)
    assert.ok(Date.now() - begun - first > 200, 'the first line came with the last')
  }, { only: python })

  scenario('text of the whole of Unicode', async () => {
    const text = 'é😀€\u0000ÿ\u2028"\\'
    const execution = await run(`print(${JSON.stringify(text)})\n${JSON.stringify(text)}`)
    assert.equal(execution.logs.stdout.join(''), `${text}\n`)
    const much = await run('print("é😀" * 20000)')
    assert.equal(much.logs.stdout.join(''), `${'é😀'.repeat(20000)}\n`)
  }, { only: python })

  scenario('the answer is lines of ASCII', async () => {
    const sandbox = await shared()
    const response = await fetch(`${url}/execute`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json', 'E2b-Sandbox-Id': sandbox.sandboxId, 'E2b-Sandbox-Port': '49999',
        'X-Access-Token': sandbox.envdAccessToken,
      },
      body: JSON.stringify({ code: python ? 'print("é😀")\n"ü"' : 'console.log("é😀"); "ü"', language }),
    })
    assert.equal(response.status, 200)
    const bytes = Buffer.from(await response.arrayBuffer())
    assert.ok(bytes.every((byte) => byte < 128))
    const events = bytes.toString().trim().split('\n').map((line) => JSON.parse(line))
    const types = events.map((event) => event.type).filter((type) => type !== 'keepalive')
    assert.ok(types.includes('number_of_executions'), `${types}`)
    assert.equal(types.at(-1), 'end_of_execution')
    assert.equal(events.find((event) => event.type === 'stdout').text, 'é😀\n')
    assert.ok(events.find((event) => event.type === 'stdout').timestamp)
    assert.equal(events.find((event) => event.type === 'result').is_main_result, true)
  })

  scenario('an error is a result: name, value, traceback', async () => {
    let called
    const execution = await run('def f():\n    raise ValueError("wrong: é")\nf()', { onError: (error) => void (called = error) })
    assert.equal(execution.error.name, 'ValueError')
    assert.equal(execution.error.value, 'wrong: é')
    assert.match(execution.error.traceback, /ValueError.*wrong/s)
    assert.match(execution.error.traceback, /\bf\b/)
    assert.equal(called.name, 'ValueError')
    const syntax = await run('if x =')
    assert.equal(syntax.error.name, 'SyntaxError')
    assert.equal((await run('1 + 1')).text, '2')
  }, { only: python })

  scenario('what came before an error is kept', async () => {
    const execution = await run('print("before")\n1/0')
    assert.equal(execution.logs.stdout.join(''), 'before\n')
    assert.equal(execution.error.name, 'ZeroDivisionError')
  }, { only: python })

  scenario('state stays between runs: values, functions, imports', async () => {
    await inContext({ language: 'python' }, async (here) => {
      await here('import math\ndef double(n): return 2 * n\nvalue = 21')
      assert.equal((await here('double(value) + math.floor(0.5)')).text, '42')
      await here('1/0')
      assert.equal((await here('value')).text, '21')
    })
  }, { only: python })

  scenario('runs are counted', async () => {
    await inContext({ language }, async (here) => {
      const counts = []
      for (let i = 0; i < 3; i++) counts.push((await here('1')).executionCount)
      assert.deepEqual(counts, [1, 2, 3])
    })
  })

  scenario('contexts know nothing of each other', async () => {
    await inContext({ language: 'python' }, (one) => inContext({ language: 'python' }, async (two) => {
      await one('secret = 1')
      assert.equal((await two('secret')).error.name, 'NameError')
      assert.equal((await run('secret')).error.name, 'NameError')
    }))
  }, { only: python })

  scenario('contexts: made, listed, removed', async () => {
    const sandbox = await shared()
    const context = await sandbox.createCodeContext({ language })
    assert.ok(context.id)
    assert.equal(context.language, language)
    assert.ok(context.cwd.startsWith('/'))
    const listed = await sandbox.listCodeContexts()
    assert.ok(listed.some((one) => one.id === context.id && one.language === language))
    await sandbox.removeCodeContext(context)
    assert.ok(!(await sandbox.listCodeContexts()).some((one) => one.id === context.id))
    await assert.rejects(sandbox.runCode('1', { context }), NotFoundError)
    await assert.rejects(sandbox.removeCodeContext(context.id), NotFoundError)
    await assert.rejects(sandbox.restartCodeContext('no-such-context'), NotFoundError)
  })

  scenario('a context is restarted: its state is gone, it is the same', async () => {
    await inContext({ language }, async (here, context) => {
      await here(python ? 'kept = 5' : 'globalThis.kept = 5')
      await (await shared()).restartCodeContext(context)
      const execution = await here('kept')
      assert.match(execution.error.name, /NameError|ReferenceError/)
      assert.equal((await here('1 + 1')).text, '2')
    })
  })

  scenario('a context has a working directory', async () => {
    const sandbox = await shared()
    const directory = fresh('cwd')
    await sandbox.files.makeDir(directory)
    await inContext({ language: 'python', cwd: directory }, async (here, context) => {
      assert.equal(context.cwd, directory)
      assert.equal((await here('import os; os.getcwd()')).text, directory)
      await here('open("made", "w").write("by code")')
      assert.equal(await sandbox.files.read(`${directory}/made`), 'by code')
    })
    assert.equal((await run('import os; os.getcwd()')).text, '/home/user')
    await assert.rejects(sandbox.createCodeContext({ language: 'python', cwd: '/no/such/directory' }), /400/)
  }, { only: python })

  scenario('files written through the API are seen by code, and the other way', async () => {
    const sandbox = await shared()
    const path = fresh('exchange')
    await sandbox.files.write(path, 'from outside')
    if (python) {
      assert.equal((await run(`open('${path}').read()`)).text, 'from outside')
      await run(`open('${path}-back', 'w').write('from inside')`)
    } else {
      const fs = 'require("fs")'
      const read = await run(`${fs}.readFileSync('${path}', 'utf8')`, { language })
      assert.match(read.text ?? `${read.error?.name}: ${read.error?.value}`, /from outside/)
      await run(`${fs}.writeFileSync('${path}-back', 'from inside')`, { language })
    }
    assert.equal(await sandbox.files.read(`${path}-back`), 'from inside')
  })

  scenario('context and language together are refused', async () => {
    const sandbox = await shared()
    const response = await fetch(`${url}/execute`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json', 'E2b-Sandbox-Id': sandbox.sandboxId, 'E2b-Sandbox-Port': '49999',
        'X-Access-Token': sandbox.envdAccessToken,
      },
      body: JSON.stringify({ code: '1', context_id: 'x', language: 'python' }),
    })
    assert.equal(response.status, 400)
    assert.ok((await response.text()).length > 5)
  })

  scenario('environment of one run', async () => {
    await inContext({ language: 'python' }, async (here) => {
      const read = 'import os; print(os.environ.get("OF_RUN", "none"), os.environ["HOME"])'
      assert.equal((await here(read, { envs: { OF_RUN: 'a b' } })).logs.stdout.join(''), 'a b /home/user\n')
      assert.equal((await here(read)).logs.stdout.join(''), 'none /home/user\n')
      await here('os.environ["OF_RUN"] = "own"')
      assert.match((await here(read, { envs: { OF_RUN: 'other' } })).logs.stdout.join(''), /^other/)
      assert.match((await here(read)).logs.stdout.join(''), /^own/)
    })
  }, { only: python })

  scenario('environment of the sandbox', async () => {
    await withSandbox({ template: code, envs: { OF_SANDBOX: 'all runs' } }, async (sandbox) => {
      if (python) {
        const read = 'import os; os.environ["OF_SANDBOX"]'
        assert.equal((await sandbox.runCode(read)).text, 'all runs')
        assert.equal((await sandbox.runCode(read, { envs: { OF_SANDBOX: 'this run' } })).text, 'this run')
        assert.equal((await sandbox.runCode(read)).text, 'all runs')
      }
      const js = await sandbox.runCode('process.env.OF_SANDBOX', { language: 'javascript' })
      assert.match(js.text ?? `${js.error?.value}`, /all runs/)
    })
  })

  scenario('several results of one run', async () => {
    const execution = await run('from IPython.display import display\ndisplay("one")\ndisplay(2)\n3')
    assert.deepEqual(execution.results.map((result) => [result.text, result.isMainResult]), [['one', false], ['2', false], ['3', true]])
    assert.equal(execution.text, '3')
  }, { only: linux })

  scenario('objects that know how to show themselves', async () => {
    const execution = await run(`class Rich:
    def _repr_html_(self): return "<b>html</b>"
    def _repr_markdown_(self): return "**md**"
    def _repr_svg_(self): return "<svg/>"
    def _repr_latex_(self): return "$x$"
    def _repr_json_(self): return {"a": 1}
    def __repr__(self): return "plain"
Rich()`)
    const [result] = execution.results
    assert.equal(result.text, 'plain')
    assert.equal(result.html, '<b>html</b>')
    assert.equal(result.markdown, '**md**')
    assert.equal(result.svg, '<svg/>')
    assert.equal(result.latex, '$x$')
    assert.deepEqual(result.json, { a: 1 })
  }, { only: linux })

  scenario('kinds that have no field of their own land in extra', async () => {
    const execution = await run('class Own:\n    def _repr_mimebundle_(self, **k): return {"application/x-own": "mine", "text/plain": "t"}\nOwn()')
    assert.equal(execution.results[0].text, 't')
    assert.ok(JSON.stringify(execution.results[0].extra).includes('mine'), JSON.stringify(execution.results[0].raw))
  }, { only: linux })

  scenario('a plot is a PNG', async () => {
    const execution = await run('import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])\nplt.show()')
    assert.equal(execution.error, undefined, JSON.stringify(execution.error))
    const png = Buffer.from(execution.results[0].png, 'base64')
    assert.deepEqual([...png.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47])
    const open = await run('import matplotlib.pyplot as plt\nplt.figure(); plt.plot([3, 1])\nprint("no show")')
    assert.ok(open.results.some((result) => result.png), 'a figure that was left open is shown')
  }, { only: linux, timeout: 60_000 })

  scenario('an image is a PNG', async () => {
    const execution = await run('from PIL import Image\nImage.new("RGB", (4, 4), "red")')
    assert.ok(execution.results[0].png, JSON.stringify(execution))
  }, { only: linux })

  scenario('a data frame is data, text and html', async () => {
    const execution = await run('import pandas as pd\npd.DataFrame({"a": [1, 2], "b": ["x", "ü"]})')
    const [result] = execution.results
    assert.deepEqual(result.data, { a: [1, 2], b: ['x', 'ü'] })
    assert.match(result.html, /<table/)
    assert.match(result.text, /a\s+b/)
    const times = await run('pd.DataFrame({"t": pd.to_datetime(["2024-01-02"]), "n": [float("nan")]})')
    assert.equal(times.error, undefined, JSON.stringify(times.error))
    assert.ok(times.results[0].data.t.length === 1)
  }, { only: linux, timeout: 60_000 })

  const chart = async (text) => {
    const execution = await run(`import matplotlib.pyplot as plt\nimport numpy as np\nimport datetime\nplt.close("all")\n${text}\nplt.show()`)
    assert.equal(execution.error, undefined, JSON.stringify(execution.error))
    const found = execution.results.find((result) => result.chart)
    assert.ok(found, `no chart in ${JSON.stringify(execution.results.map((result) => result.formats()))}`)
    return found.chart
  }

  scenario('chart: lines', async () => {
    const seen = await chart(`plt.figure()
plt.plot([datetime.datetime(2024, 9, d) for d in (1, 2, 3)], [1.5, 2, 3], label="one")
plt.plot([datetime.datetime(2024, 9, d) for d in (1, 2, 3)], [3, 2, 1], label="two")
plt.title("Title"); plt.xlabel("Time (s)"); plt.ylabel("Amount (Hz)"); plt.legend()`)
    assert.equal(seen.type, 'line')
    assert.equal(seen.title, 'Title')
    assert.equal(seen.x_label, 'Time (s)')
    assert.equal(seen.y_label, 'Amount (Hz)')
    assert.equal(seen.x_unit, 's')
    assert.equal(seen.y_unit, 'Hz')
    assert.equal(seen.x_scale, 'datetime')
    assert.equal(seen.y_scale, 'linear')
    assert.ok(seen.x_ticks.length && seen.x_tick_labels.length && seen.y_ticks.every((tick) => typeof tick === 'number'))
    assert.deepEqual(seen.elements.map((element) => element.label), ['one', 'two'])
    assert.equal(seen.elements[0].points.length, 3)
    assert.equal(seen.elements[0].points[0][1], 1.5)
    assert.match(String(seen.elements[0].points[0][0]), /2024-09-01/)
  }, { only: linux, timeout: 60_000 })

  scenario('chart: scattered points, logarithmic', async () => {
    const seen = await chart('plt.figure(); plt.scatter([1, 10], [3, 4], label="dots"); plt.xscale("log"); plt.xlabel("A")')
    assert.equal(seen.type, 'scatter')
    assert.equal(seen.x_scale, 'log')
    assert.equal(seen.x_label, 'A')
    assert.deepEqual(seen.elements[0].points, [[1, 3], [10, 4]])
    assert.equal(seen.elements[0].label, 'dots')
  }, { only: linux, timeout: 60_000 })

  scenario('chart: bars', async () => {
    const seen = await chart('plt.figure(); plt.bar(["a", "b"], [5, 7]); plt.title("Bars"); plt.xlabel("Who"); plt.ylabel("What")')
    assert.equal(seen.type, 'bar')
    assert.equal(seen.title, 'Bars')
    assert.deepEqual(seen.elements.map((element) => [element.label, Number(element.value)]), [['a', 5], ['b', 7]])
    assert.equal(typeof seen.elements[0].group, 'string')
  }, { only: linux, timeout: 60_000 })

  scenario('chart: a pie', async () => {
    const seen = await chart('plt.figure(); plt.pie([1, 3], labels=["x", "y"], explode=(0.1, 0)); plt.title("Pie")')
    assert.equal(seen.type, 'pie')
    assert.deepEqual(seen.elements.map((element) => element.label), ['x', 'y'])
    assert.ok(Math.abs(seen.elements[0].angle - 90) < 0.1, `${seen.elements[0].angle}`)
    assert.equal(seen.elements[0].radius, 1)
  }, { only: linux, timeout: 60_000 })

  scenario('chart: boxes and whiskers', async () => {
    const seen = await chart('plt.figure(); plt.boxplot([[1, 2, 3, 4, 5], [2, 4, 6, 8, 100]], labels=["p", "q"])')
    assert.equal(seen.type, 'box_and_whisker')
    const [one, two] = seen.elements
    assert.equal(one.label, 'p')
    assert.deepEqual([one.min, one.first_quartile, one.median, one.third_quartile, one.max], [1, 2, 3, 4, 5])
    assert.deepEqual(two.outliers, [100])
  }, { only: linux, timeout: 60_000 })

  scenario('chart: several in one figure', async () => {
    const seen = await chart('f, (l, r) = plt.subplots(1, 2); l.plot([1, 2], [3, 4]); r.bar(["a"], [1]); f.suptitle("Both")')
    assert.equal(seen.type, 'superchart')
    assert.equal(seen.title, 'Both')
    assert.deepEqual(seen.elements.map((element) => element.type), ['line', 'bar'])
  }, { only: linux, timeout: 60_000 })

  scenario('JavaScript: value, output, state, error', async () => {
    await inContext({ language: 'javascript' }, async (here) => {
      assert.equal((await here('const a = 20; a * 2 + 2')).text, '42')
      await here('function twice(n) { return 2 * n }; let b = 3; class C { m() { return 7 } }')
      assert.equal((await here('twice(b) + new C().m()')).text, '13')
      const out = await here('console.log("out", { a: 1 }); console.error("err")')
      assert.match(out.logs.stdout.join(''), /^out/)
      assert.match(out.logs.stderr.join(''), /^err/)
      const bad = await here('throw new TypeError("bad")')
      assert.equal(bad.error.name, 'TypeError')
      assert.equal(bad.error.value, 'bad')
      assert.match((await here('nothingHere')).error.name, /ReferenceError/)
    })
  }, { only: javascript })

  scenario('JavaScript: promises are awaited', async () => {
    await inContext({ language: 'javascript' }, async (here) => {
      const execution = await here('await new Promise((done) => setTimeout(() => done(5), 50))')
      assert.equal(execution.text, '5', JSON.stringify(execution.error))
      assert.equal((await here('const late = await Promise.resolve(4); late')).text, '4')
      assert.equal((await here('late + 1')).text, '5')
    })
  }, { only: linux || tier === 'isolate' })

  scenario('JavaScript: by its short name, too', async () => {
    assert.equal((await run('6 * 7', { language: 'js' })).text, '42')
  })

  scenario('TypeScript', async () => {
    const text = 'interface P { x: number }\nfunction f(p: P): number { return p.x * 2 }\nf({ x: 21 })'
    assert.equal((await run(text, { language: 'typescript' })).text, '42')
    assert.equal((await run('const n: number = 4; n', { language: 'ts' })).text, '4')
  }, { only: linux || tier === 'isolate' })

  scenario('bash', async () => {
    const execution = await run('echo out; echo err >&2; x=1', { language: 'bash' })
    assert.equal(execution.logs.stdout.join(''), 'out\n')
    assert.equal(execution.logs.stderr.join(''), 'err\n')
    assert.equal((await run('echo $HOME', { language: 'bash' })).logs.stdout.join(''), '/home/user\n')
  }, { only: linux })

  scenario('languages that are not here are refused by name', async () => {
    for (const unknown of ['r', 'java', 'cobol', ...(linux ? [] : ['bash'])]) {
      // The client says only the status; the server's words are looked at below.
      await assert.rejects(run('1', { language: unknown }), /400/)
    }
    const sandbox = await shared()
    await assert.rejects(sandbox.createCodeContext({ language: 'cobol' }), /400/)
    const answer = await fetch(`${url}/contexts`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json', 'E2b-Sandbox-Id': sandbox.sandboxId, 'E2b-Sandbox-Port': '49999',
        'E2B-Traffic-Access-Token': sandbox.trafficAccessToken,
      },
      body: JSON.stringify({ language: 'cobol' }),
    })
    assert.match(await answer.text(), /cobol/)
  })

  scenario('runs of one context wait for each other', async () => {
    await inContext({ language: 'python' }, async (here) => {
      await here('import time\nlog = []')
      await Promise.all(Array.from({ length: 4 }, (_, i) => here(`log.append(("in", ${i})); time.sleep(0.1); log.append(("out", ${i}))`)))
      const log = JSON.parse((await here('import json; print(json.dumps(log))')).logs.stdout.join(''))
      for (let i = 0; i < log.length; i += 2) assert.deepEqual([log[i][0], log[i + 1][0], log[i][1]], ['in', 'out', log[i + 1][1]])
    })
  }, { only: linux })

  scenario('a run that takes too long: an error, and the context goes on', async () => {
    await inContext({ language: 'python' }, async (here) => {
      await here('kept = "state"')
      const begun = Date.now()
      await assert.rejects(here('import time\nwhile True: time.sleep(0.05)', { timeoutMs: 800 }), TimeoutError)
      assert.ok(Date.now() - begun < 5000)
      // The client went away; the code was interrupted, so that the next run need not wait for it.
      assert.equal((await here('1 + 1')).text, '2')
      assert.equal((await here('kept')).text, 'state')
    })
  }, { only: python && linux })

  scenario('a busy loop is interrupted when the client goes away', async () => {
    await inContext({ language }, async (here) => {
      await assert.rejects(here(python ? 'while True: pass' : 'for (;;) {}', { timeoutMs: 800 }), TimeoutError)
      const after = await eventually('the context answers', () => here('1 + 1').catch(() => undefined), { within: 15_000 })
      assert.equal(after.text, '2')
    })
  })

  scenario('code that ends its interpreter is told, and the next run works', async () => {
    await inContext({ language: 'python' }, async (here) => {
      const execution = await here('import os; os._exit(3)').catch((error) => error)
      assert.ok(execution instanceof Error || execution.error, JSON.stringify(execution))
      await eventually('a run works', async () => (await here('1 + 1').catch(() => undefined))?.text === '2', { within: 10_000 })
      const exit = await here('raise SystemExit(3)')
      assert.equal(exit.error?.name, 'SystemExit')
    })
  }, { only: linux })

  scenario('programs started by code', async () => {
    const execution = await run('import subprocess\nsubprocess.run(["sh", "-c", "echo $((6*7))"], capture_output=True, text=True).stdout')
    assert.equal(execution.text, '42\\n')
  }, { only: linux })

  scenario('much output', async () => {
    const execution = await run('for i in range(20000): print(i, "x" * 40)')
    assert.equal(execution.logs.stdout.join('').split('\n').length, 20001)
  }, { only: python })

  scenario('a large result', async () => {
    const execution = await run('"r" * 1_000_000')
    assert.equal(execution.text.length, 1_000_000)
  }, { only: python })

  scenario('the sandbox is found again with its state', async () => {
    const sandbox = await create({ template: code })
    try {
      await sandbox.runCode(python ? 'memory = 12' : 'globalThis.memory = 12', { language })
      const again = await Sandbox.connect(sandbox.sandboxId)
      assert.equal((await again.runCode('memory', { language })).text, '12')
    } finally {
      await sandbox.kill()
    }
  })

  scenario('the sandbox is killed while code runs: an error that says so', async () => {
    const sandbox = await create({ template: code })
    const running = sandbox.runCode(python ? 'import time; time.sleep(30)' : 'await new Promise((d) => setTimeout(d, 30000))', { language })
      .then(() => 'ended', (error) => error)
    await sleep(1000)
    await sandbox.kill()
    const error = await running
    assert.ok(error instanceof TimeoutError, `${error?.name}: ${error?.message}`)
    assert.match(error.message, /sandbox/i)
    await assert.rejects(sandbox.runCode('1', { language }), TimeoutError)
  })

  scenario('contexts ask for no access token; running code does', async () => {
    const sandbox = await shared()
    const headers = { 'Content-Type': 'application/json', 'E2b-Sandbox-Id': sandbox.sandboxId, 'E2b-Sandbox-Port': '49999' }
    const nobody = await fetch(`${url}/contexts`, { headers })
    assert.equal(nobody.status, 403, 'who has no token of the sandbox is not let in')
    await nobody.text()
    headers['E2B-Traffic-Access-Token'] = sandbox.trafficAccessToken
    const contexts = await fetch(`${url}/contexts`, { headers })
    assert.equal(contexts.status, 200)
    await contexts.text()
    const health = await fetch(`${url}/health`, { headers })
    assert.equal(health.status, 200)
    assert.match(await health.text(), /OK/)
    const unknown = await fetch(`${url}/nowhere`, { headers })
    assert.equal(unknown.status, 404)
    await unknown.text()
    const broken = await fetch(`${url}/execute`, {
      method: 'POST', headers: { ...headers, 'X-Access-Token': sandbox.envdAccessToken }, body: '{"code":',
    })
    assert.ok(broken.status === 400 || broken.status === 422, `${broken.status}`)
    await broken.text()
  })

  scenario('the core of the client is here, too', async () => {
    const sandbox = await shared()
    assert.equal((await sandbox.commands.run('python -c "print(6*7)"')).stdout, '42\n')
    await sandbox.files.write('/home/user/x.py', 'print("from a file")')
    assert.equal((await sandbox.commands.run('python x.py')).stdout, 'from a file\n')
  }, { only: python })

  scenario('commands on this tier: its interpreters, and all else refused in words', async () => {
    const sandbox = await shared()
    if (tier === 'isolate') {
      assert.equal((await sandbox.commands.run('node -e "console.log(6*7)"')).stdout, '42\n')
    }
    await assert.rejects(sandbox.commands.run('ls -la | wc -l'), (error) => {
      assert.ok(error instanceof sdk.InvalidArgumentError, `${error.name}: ${error.message}`)
      assert.match(error.message, new RegExp(tier))
      return true
    })
  }, { only: !linux })

  scenario('the raw answer to what is not there', async () => {
    const answer = await raw('GET', '/contexts', {
      key: null, headers: { 'E2b-Sandbox-Id': 'i00000000000000000000', 'E2b-Sandbox-Port': '49999' },
    })
    assert.equal(answer.status, 502)
    assert.equal(answer.json.code, 502)
  })
})
