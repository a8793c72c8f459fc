// Time to interactive as ComputeSDK measures it, through the real npm client: from `create()` to the answer of the first
// command, 100 times one after another, then 50 at once. Prints one table for all tiers; fails if an attempt failed.
import { Sandbox } from 'e2b'

const tiers = process.argv.slice(2)
const SEQUENTIAL = Number(process.env.GLOVEBOX_TTI_SEQUENTIAL ?? 100)
const AT_ONCE = Number(process.env.GLOVEBOX_TTI_AT_ONCE ?? 50)
/** The first calls load the client's code and open its connections. */
const WARM_UP = 5

async function attempt(template) {
  const begun = performance.now()
  let sandbox
  try {
    sandbox = await Sandbox.create(template, { timeoutMs: 60_000 })
    const created = performance.now()
    const { stdout } = await sandbox.commands.run('echo benchmark')
    if (stdout !== 'benchmark\n') throw new Error(`the command printed ${JSON.stringify(stdout)}`)
    return { total: performance.now() - begun, create: created - begun }
  } catch (error) {
    return { error }
  } finally {
    await sandbox?.kill().catch(() => {})
  }
}

async function sequential(template) {
  for (let i = 0; i < WARM_UP; i++) await attempt(template)
  const attempts = []
  for (let i = 0; i < SEQUENTIAL; i++) attempts.push(await attempt(template))
  return attempts
}

const atOnce = (template) => Promise.all(Array.from({ length: AT_ONCE }, () => attempt(template)))

function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)]
}

function row(tier, how, attempts) {
  const good = attempts.filter((one) => !one.error)
  const times = (field) => {
    const sorted = good.map((one) => one[field]).sort((a, b) => a - b)
    return [0.5, 0.95, 0.99].map((share) => (sorted.length ? percentile(sorted, share).toFixed(1) : '-'))
  }
  const failures = attempts.filter((one) => one.error)
  for (const { error } of failures.slice(0, 3)) console.error(`${tier}, ${how}: ${error.name}: ${error.message}`)
  return {
    cells: [tier, how, ...times('total'), ...times('create'), `${((100 * good.length) / attempts.length).toFixed(0)} %`],
    failed: failures.length,
  }
}

const rows = []
for (const tier of tiers) {
  const template = `base:${tier}`
  rows.push(row(tier, `${SEQUENTIAL} in sequence`, await sequential(template)))
  rows.push(row(tier, `${AT_ONCE} at once`, await atOnce(template)))
}
const table = [['tier', 'how', 'p50 ms', 'p95 ms', 'p99 ms', 'create p50', 'p95', 'p99', 'success'], ...rows.map(({ cells }) => cells)]
const widths = table[0].map((_, column) => Math.max(...table.map((cells) => cells[column].length)))
for (const cells of table) console.log(cells.map((cell, column) => cell.padEnd(widths[column])).join('  ').trimEnd())
process.exit(rows.some(({ failed }) => failed > 0) ? 1 : 0)
