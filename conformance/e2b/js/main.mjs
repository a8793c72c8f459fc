// Runs the groups that are named on the command line.
import { runAll } from '../lib/scenario.mjs'

for (const name of process.argv.slice(2)) await import(`./${name}.mjs`)
await runAll()
// What the clients keep open must not keep this process.
process.exit(0)
