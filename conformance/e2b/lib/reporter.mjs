// Writes one line of JSON for each scenario; drive.mjs adds them up.
export default async function* reporter(source) {
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const error = data.details?.error
    // A suite fails with its scenarios; it is a failure of its own only if its own hooks failed.
    if (data.nesting === 0 && (type === 'test:pass' || error?.failureType === 'subtestsFailed')) continue
    const status = data.skip !== undefined || data.todo !== undefined ? 'skip' : type === 'test:pass' ? 'pass' : 'fail'
    const cause = error?.cause ?? error
    yield `${JSON.stringify({
      scenario: data.name,
      status,
      ms: Math.round(data.details?.duration_ms ?? 0),
      ...(status === 'fail' ? { error: describe(cause) } : {}),
    })}\n`
  }
}

function describe(cause) {
  if (cause === undefined) return 'failed without an error'
  const stack = String(cause.stack ?? cause)
  const where = stack.split('\n').find((line) => line.includes('/js/')) ?? ''
  return `${cause.name ?? 'Error'}: ${cause.message ?? cause}${where ? ` [${where.trim()}]` : ''}`.slice(0, 1500)
}
