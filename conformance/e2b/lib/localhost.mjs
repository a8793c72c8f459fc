// Browsers take every name under `localhost` for this machine; node asks the system, which may not know them. Loaded with
// `--import` where the clients are given a domain under localhost.
import dns from 'node:dns'

const { lookup } = dns
dns.lookup = function lookupLocalhost(name, options, callback) {
  const done = typeof options === 'function' ? options : callback
  if (!/(^|\.)localhost$/.test(name)) return lookup.call(dns, name, options, callback)
  const all = typeof options === 'object' && options?.all
  return process.nextTick(() => (all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)))
}
