// Scenarios and the sandboxes they use. A scenario is named `group/what it shows`; each writes its result as one line of
// JSON as soon as it has it, so that nothing is lost however the process ends. drive.mjs adds them up.
import { appendFileSync } from 'node:fs'
import * as target from './target.mjs'

const SCENARIO_MS = 30_000
/** Long enough for a group, short enough that nothing stays for long when a process is killed. */
const SANDBOX_MS = 240_000

const groups = []
let current

/** Groups run one after another; the scenarios of one some at a time, because most of them wait. */
export function group(name, body, { concurrency = 4, tiers } = {}) {
  if (tiers && !tiers.includes(target.tier)) return
  current = { concurrency, scenarios: [], after: [] }
  groups.push(current)
  const pattern = process.env.GLOVEBOX_E2B_SCENARIO ?? ''
  body({
    scenario(what, run, { timeout = SCENARIO_MS, only = true } = {}) {
      const full = `${name}/${what}`
      // What a tier or a client cannot have is not a scenario of it, and is not counted.
      if (only && full.includes(pattern)) groups.at(-1).scenarios.push({ name: full, run, timeout })
    },
  })
}

/** Runs all groups that were loaded. The last line says how many scenarios there were. */
export async function runAll() {
  // An error that nobody waits for any more belongs to a scenario that has failed or ended; it must not end the others.
  process.on('unhandledRejection', (error) => console.error('nobody waited for', error))
  let count = 0
  for (const { concurrency, scenarios, after } of groups) {
    let next = 0
    await Promise.all(Array.from({ length: concurrency }, async () => {
      while (next < scenarios.length) await runOne(scenarios[next++])
    }))
    count += scenarios.length
    for (const end of after) await end()
  }
  write({ done: count })
}

async function runOne({ name, run, timeout }) {
  const begun = performance.now()
  let timer
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`not done within ${timeout} ms`)), timeout)
  })
  const error = await Promise.race([Promise.resolve().then(run), late]).then(() => undefined, (thrown) => thrown ?? new Error('threw nothing'))
  clearTimeout(timer)
  const ms = Math.round(performance.now() - begun)
  write(error ? { scenario: name, status: 'fail', ms, error: describe(error) } : { scenario: name, status: 'pass', ms })
}

function write(line) {
  appendFileSync(process.env.GLOVEBOX_RESULTS, `${JSON.stringify(line)}\n`)
}

function describe(error) {
  const where = String(error.stack ?? '').split('\n').find((line) => line.includes('/js/'))?.match(/[^/]+\.mjs:\d+/)?.[0]
  return `${error.name ?? 'Error'}: ${error.message ?? error}${where ? ` [${where}]` : ''}`.slice(0, 1500)
}

export function create(options = {}) {
  const { template = target.base, ...others } = options
  return target.sdk.Sandbox.create(template, {
    timeoutMs: SANDBOX_MS,
    ...others,
    metadata: { run: target.run, ...others.metadata },
  })
}

/** A sandbox for one scenario, ended with it however it goes. */
export async function withSandbox(options, use) {
  const sandbox = await create(options)
  try {
    return await use(sandbox)
  } finally {
    await sandbox.kill().catch(() => {})
  }
}

/** One sandbox for all scenarios of the group that it is called in; made when the first asks for it. */
export function sharedSandbox(options) {
  let made
  current.after.push(async () => {
    const sandbox = await made?.catch(() => undefined)
    await sandbox?.kill().catch(() => {})
  })
  return () => (made ??= create(options))
}

let names = 0
/** A path that no other scenario uses. */
export function fresh(prefix = 'file') {
  names += 1
  return `/home/user/${prefix}-${names}`
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms))

/** Waits until a check answers something true, and returns that; says what it waited for if it never comes. */
export async function eventually(what, check, { within = 10_000, every = 50 } = {}) {
  const end = Date.now() + within
  for (;;) {
    const seen = await check()
    if (seen) return seen
    if (Date.now() > end) throw new Error(`not within ${within} ms: ${what}`)
    await sleep(every)
  }
}

/** A request of our own to the control plane, for what the clients hide. */
export async function raw(method, path, { body, key = target.key, headers = {} } = {}) {
  const response = await fetch(`${target.url}${path}`, {
    method,
    headers: {
      ...(key ? { 'X-API-KEY': key } : {}),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await response.text()
  let json
  try {
    json = JSON.parse(text)
  } catch {
    json = undefined
  }
  return { status: response.status, headers: response.headers, text, json }
}
