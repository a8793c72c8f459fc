// Scenarios and the sandboxes they use. A scenario is a test of node's own runner, named `group/what it shows`.
import { after, describe, it } from 'node:test'
import * as target from './target.mjs'

const SCENARIO_MS = 30_000
/** Long enough for a group, short enough that nothing stays for long when a process is killed. */
const SANDBOX_MS = 240_000

/** Groups run one after another; the scenarios of one some at a time, because most of them wait. */
export function group(name, body, { concurrency = 4, tiers } = {}) {
  if (tiers && !tiers.includes(target.tier)) return
  describe(name, { concurrency }, () => {
    body({
      scenario(what, run, { timeout = SCENARIO_MS, only } = {}) {
        // What a tier or a client cannot have is not a scenario of it, and is not counted.
        if (only !== undefined && !only) return
        it(`${name}/${what}`, { timeout }, run)
      },
    })
  })
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
  after(async () => {
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
