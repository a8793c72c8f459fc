// An agent without a framework: a model asks for tools, the program runs them in a sandbox and tells it what came of
// them, until it has an answer. The model here is a script, so that the example needs no network; put a call of your
// model's API in `ask` instead.
//
//   npm install @e2b/code-interpreter
//   E2B_API_URL=http://127.0.0.1:7070 E2B_SANDBOX_URL=http://127.0.0.1:7070 E2B_API_KEY=e2b_... node tool-loop.mjs
import { Sandbox } from '@e2b/code-interpreter'

const sandbox = await Sandbox.create(process.env.GLOVEBOX_TEMPLATE ?? 'code-interpreter-v1', { timeoutMs: 120_000 })

const tools = {
  async write_file({ path, content }) {
    await sandbox.files.write(path, content)
    return `wrote ${content.length} characters to ${path}`
  },
  async run_python({ code }) {
    const execution = await sandbox.runCode(code)
    if (execution.error) return `${execution.error.name}: ${execution.error.value}`
    return [...execution.logs.stdout, execution.text ?? ''].join('').trim()
  },
  async run_command({ command }) {
    const result = await sandbox.commands.run(command).catch((error) => error)
    return `exit status ${result.exitCode}\n${result.stdout}${result.stderr}`
  },
}

/** The model: it sees the conversation and answers with a tool to call or with text. */
const script = [
  { tool: 'write_file', input: { path: 'sales.csv', content: 'month,amount\nJan,120\nFeb,80\nMar,200\n' } },
  // A mistake, as models make them; what came of it tells the next step.
  { tool: 'run_python', input: { code: 'import csv\nrows = list(csv.DictReader(open("sales.csv")))\nsum(row["amount"] for row in rows)' } },
  { tool: 'run_python', input: { code: 'sum(int(row["amount"]) for row in rows)' } },
  { tool: 'run_command', input: { command: 'wc -l < sales.csv' } },
]
async function ask(conversation) {
  const step = conversation.filter((message) => message.role === 'tool').length
  if (step < script.length) return script[step]
  return { text: `The total is ${conversation.at(-2).content}.` }
}

const conversation = [{ role: 'user', content: 'What is the sum of the sales?' }]
try {
  for (;;) {
    const answer = await ask(conversation)
    if (answer.text) {
      console.log(answer.text)
      break
    }
    const content = await tools[answer.tool](answer.input)
    console.log(`${answer.tool}: ${content.trim()}`)
    conversation.push({ role: 'tool', name: answer.tool, content })
  }
} finally {
  await sandbox.kill()
}
