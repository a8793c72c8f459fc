// ComputeSDK with its E2B provider, against a server of your own.
//
//   npm install computesdk @computesdk/e2b
//   E2B_API_URL=http://127.0.0.1:7070 E2B_SANDBOX_URL=http://127.0.0.1:7070 E2B_API_KEY=e2b_... node computesdk.mjs
import { compute } from 'computesdk'
import { e2b } from '@computesdk/e2b'

compute.setConfig({ provider: e2b({ apiKey: process.env.E2B_API_KEY }) })

const sandbox = await compute.sandbox.create({ templateId: process.env.GLOVEBOX_TEMPLATE ?? 'base' })
try {
  await sandbox.filesystem.mkdir('/home/user/work')
  await sandbox.filesystem.writeFile('/home/user/work/data.txt', '3\n1\n2\n')
  const { stdout, exitCode } = await sandbox.runCommand('sort -n data.txt | tail -n 1', { cwd: '/home/user/work' })
  console.log(`the largest is ${stdout.trim()}, exit status ${exitCode}`)
} finally {
  await sandbox.destroy()
}
