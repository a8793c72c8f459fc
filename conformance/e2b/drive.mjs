// Runs every client on every tier against the server that E2B_API_URL names, adds up what they report, and prints the
// table and the closing line. `baseline.json` lists what is known to fail; an entry that passes is a failure, too.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const results = join(here, 'results')
const PROCESS_MS = 280_000
const AT_ONCE = 2
/** Real time on two processors fails now and then for the machine's sake: so many have a second try, told by name. */
const SECOND_TRIES_MAX = 5

const groups = ['api', 'commands', 'files', 'pty', 'git', 'lifecycle', 'network', 'template', 'streams']
const leftOut = new Map(
  readIfThere(process.env.GLOVEBOX_E2B_LEFT_OUT).split('\n').filter(Boolean).map((line) => {
    const [tier, reason] = line.split('\t')
    return [tier.toLowerCase(), reason]
  }),
)
const linux = ['jail', 'gvisor']
const light = ['wasm', 'isolate']
const list = (name) => (process.env[name] ?? '').split(',').filter(Boolean)

function readIfThere(path) {
  return path && existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/** What runs: a client on a tier, with the groups that it can show. */
function plan() {
  const runs = []
  const js = (client, tiers, names, { env = {}, flags = [], beside = false } = {}) => {
    for (const tier of tiers) {
      const asked = list('GLOVEBOX_E2B_GROUPS')
      const shown = names.filter((name) => asked.length === 0 || asked.includes(name))
      if (shown.length === 0) continue
      runs.push({ client, tier, env, beside, command: [process.execPath, ...flags, join(here, 'js/main.mjs'), ...shown] })
    }
  }
  js('e2b@2.51.0', linux, groups)
  js('e2b@2.45.0', linux, groups)
  js('@e2b/code-interpreter@2.8.0', [...linux, ...light], ['interpreter'])
  js('e2b@2.51.0', light, ['files', 'network'])
  js('e2b@2.51.0', ['gvisor'], ['idle'], { beside: true })
  js('captured requests', [...linux, ...light], ['golden'])
  js('@computesdk/e2b@1.7.52 and examples', linux, ['frameworks'])
  // The second way to configure the clients: a domain, with names for each port of each sandbox, over TLS.
  const domain = process.env.GLOVEBOX_E2B_DOMAIN
  if (domain) {
    const env = { E2B_DOMAIN: domain, E2B_API_URL: '', E2B_SANDBOX_URL: '', NODE_EXTRA_CA_CERTS: process.env.GLOVEBOX_E2B_CA }
    js('@e2b/code-interpreter@2.8.0', linux, ['routing'], { env, flags: ['--import', join(here, 'lib/localhost.mjs')] })
  }
  const python = (client, tiers, names) => {
    for (const tier of tiers) {
      const asked = list('GLOVEBOX_E2B_GROUPS')
      const shown = names.filter((name) => asked.length === 0 || asked.includes(name))
      if (shown.length === 0) continue
      runs.push({
        client, tier, env: { PYTHONDONTWRITEBYTECODE: '1' }, missing: process.env.GLOVEBOX_E2B_PYTHON_WHY,
        command: [process.env.GLOVEBOX_E2B_PYTHON, join(here, 'py/scenarios.py'), ...shown],
      })
    }
  }
  for (const flavour of ['sync', 'async']) {
    python(`PyPI e2b 2.63.0 ${flavour}`, linux, ['api', 'lifecycle', 'network', 'commands', 'files', 'pty'])
    python(`PyPI e2b-code-interpreter 2.11.5 ${flavour}`, [...linux, ...light], ['interpreter'])
  }
  return runs
}

function wanted(run) {
  return list('GLOVEBOX_E2B_ONLY').every((part) => `${run.client} ${run.tier}`.includes(part))
}

async function execute(run, index) {
  const missing = leftOut.get(run.tier) ?? run.missing
  if (missing) return { ...run, scenarios: [{ scenario: `all: ${missing}`, status: 'skip' }], seconds: 0 }
  const file = join(results, `${index}.ndjson`)
  const log = []
  const [command, ...args] = run.command
  const started = Date.now()
  const child = spawn(command, args, {
    cwd: here,
    // Over HTTP/1.1 the client has as many connections as this: 200 open streams would leave none for a call.
    env: { ...process.env, E2B_ENVD_RPC_CONNECTIONS: '400', ...run.env, GLOVEBOX_CLIENT: run.client, GLOVEBOX_TIER: run.tier, GLOVEBOX_RESULTS: file },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.on('data', (data) => log.push(data))
  child.stderr.on('data', (data) => log.push(data))
  const timer = setTimeout(() => child.kill('SIGKILL'), PROCESS_MS)
  const [code, signal] = await new Promise((done) => child.on('close', (...end) => done(end)))
  clearTimeout(timer)
  const text = Buffer.concat(log).toString()
  if (text) writeFileSync(join(results, `${index}.log`), text)
  const lines = readIfThere(file).split('\n').filter(Boolean).map((line) => JSON.parse(line))
  const scenarios = lines.filter((line) => line.scenario)
  // A process that ended early has lost scenarios, and what it lost did not pass.
  if (lines.at(-1)?.done !== scenarios.length) {
    scenarios.push({ scenario: 'the process', status: 'fail', error: `ended early, by ${signal ?? code}: ${text.slice(-800)}` })
  }
  return { ...run, scenarios, seconds: (Date.now() - started) / 1000 }
}

async function executeAll(runs) {
  const ended = []
  const run = async (index) => {
    ended[index] = await execute(runs[index], index)
    process.stderr.write(`${ended[index].client} on ${ended[index].tier}: ${ended[index].seconds.toFixed(0)} s\n`)
  }
  const all = [...runs.keys()]
  const queue = all.filter((index) => !runs[index].beside)
  await Promise.all([
    ...all.filter((index) => runs[index].beside).map(run),
    ...Array.from({ length: AT_ONCE }, async () => {
      while (queue.length > 0) await run(queue.shift())
    }),
  ])
  return ended
}

/** Runs again, alone, what failed; no more than could be an accident. */
async function tryAgain(ended) {
  const failures = ended.flatMap((run) => run.scenarios.filter((one) => one.status === 'fail').map((one) => ({ run, one })))
  if (failures.length > SECOND_TRIES_MAX) return
  for (const [index, { run, one }] of failures.entries()) {
    console.log(`failed at the first try: ${run.client} ${run.tier} ${one.scenario}: ${one.error}`.replaceAll('\n', ' | '))
    const env = { ...run.env, GLOVEBOX_E2B_SCENARIO: one.scenario }
    const again = await execute({ ...run, env }, `again-${index}`)
    const same = again.scenarios.find((other) => other.scenario === one.scenario)
    if (same?.status === 'pass' && again.scenarios.every((other) => other.status !== 'fail')) {
      console.log(`passed at the second try ${run.client} ${run.tier} ${one.scenario}`)
      one.status = 'pass'
    }
  }
}

const matches = (pattern, text) => pattern === '*' || pattern === text

function judge(ended) {
  const baseline = JSON.parse(readFileSync(join(here, 'baseline.json'), 'utf8'))
  const totals = { passed: 0, failed: 0, skipped: 0 }
  const lines = []
  const table = []
  for (const { client, tier, scenarios, seconds } of ended) {
    const counts = { pass: 0, fail: 0, skip: 0, known: 0 }
    for (const one of scenarios) {
      const known = baseline.find((entry) =>
        matches(entry.client, client) && matches(entry.tier, tier) && matches(entry.scenario, one.scenario))
      const name = `${client} ${tier} ${one.scenario}`
      if (known && one.status === 'fail') {
        counts.known += 1
        lines.push(`known   ${name}: ${known.reason}`)
      } else if (known && one.status === 'pass') {
        counts.fail += 1
        lines.push(`FAILED  ${name}: it passes, though baseline.json says that it does not: ${known.reason}`)
      } else if (one.status === 'fail') {
        counts.fail += 1
        lines.push(`FAILED  ${name}: ${one.error}`)
      } else if (one.status === 'skip') {
        counts.skip += 1
        lines.push(`skipped ${name}`)
      } else {
        counts.pass += 1
      }
    }
    totals.passed += counts.pass
    totals.failed += counts.fail
    totals.skipped += counts.skip + counts.known
    table.push([client, tier, `${counts.pass} of ${scenarios.length}`, counts.known, counts.fail, `${seconds.toFixed(0)} s`])
  }
  return { totals, lines, table }
}

function print({ totals, lines, table }) {
  for (const line of lines) console.log(line.replaceAll('\n', ' | '))
  const rows = [['client', 'tier', 'passed', 'known', 'failed', 'time'], ...table].map((row) => row.map(String))
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  console.log()
  for (const row of rows) console.log(row.map((cell, column) => cell.padEnd(widths[column])).join('  ').trimEnd())
  console.log()
  console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`)
}

rmSync(results, { recursive: true, force: true })
mkdirSync(results, { recursive: true })
const ended = await executeAll(plan().filter(wanted))
await tryAgain(ended)
const verdict = judge(ended)
print(verdict)
process.exit(verdict.totals.failed === 0 ? 0 : 1)
