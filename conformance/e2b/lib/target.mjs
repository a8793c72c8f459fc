// What one process of this suite drives: one client, on one tier of one server. `run.sh` and `drive.mjs` say which.

function required(name) {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set; conformance/e2b/run.sh sets it`)
  return value
}

/** The npm package as the user names it, with the version that package-lock.json pins. */
export const client = required('GLOVEBOX_CLIENT')
export const tier = required('GLOVEBOX_TIER')
export const url = process.env.E2B_API_URL || `https://api.${required('E2B_DOMAIN')}`
export const key = required('E2B_API_KEY')
/** A key of another tenant, for what one tenant must not see of another. */
export const otherKey = process.env.GLOVEBOX_OTHER_KEY
/** Names everything that this process makes, so that two processes on one server do not see each other's. */
export const run = `${client}-${tier}-${process.pid}`

const packages = {
  'e2b@2.51.0': 'e2b',
  'e2b@2.45.0': 'e2b-2.45',
  '@e2b/code-interpreter@2.8.0': '@e2b/code-interpreter',
  '@computesdk/e2b@1.7.52 and examples': 'e2b',
  // No client but sockets; this one makes and ends the sandboxes.
  'captured requests': 'e2b',
}
if (!(client in packages)) throw new Error(`no client is called ${client}: ${Object.keys(packages).join(', ')}`)
export const sdk = await import(packages[client])
/** The clients up to 2.50 speak to the first generation of the control plane. */
export const generation = client === 'e2b@2.45.0' ? 1 : 2

export const base = `base:${tier}`
export const code = `code-interpreter-v1:${tier}`
/** Tiers with a Linux in them. */
export const linux = tier === 'jail' || tier === 'gvisor'
