// Mode 2: TLS and names of the form {port}-{id}.{domain}, as with a real domain. The process runs with E2B_DOMAIN only.
import assert from 'node:assert/strict'
import { connect as connectTls } from 'node:tls'
import { connect as connectHttp2 } from 'node:http2'
import { eventually, group, sharedSandbox, withSandbox } from '../lib/scenario.mjs'
import { code, sdk, url } from '../lib/target.mjs'

const { Sandbox } = sdk
const domain = process.env.E2B_DOMAIN

group('routing', ({ scenario }) => {
  const shared = sharedSandbox({ template: code })

  scenario('only the domain and a key are needed', async () => {
    const sandbox = await shared()
    assert.equal(sandbox.sandboxDomain, domain)
    assert.equal((await sandbox.commands.run('echo through tls')).stdout, 'through tls\n')
    await sandbox.files.write('/home/user/x', 'y')
    assert.equal(await sandbox.files.read('/home/user/x'), 'y')
    assert.equal((await Sandbox.getInfo(sandbox.sandboxId)).sandboxId, sandbox.sandboxId)
    if (sandbox.runCode) assert.equal((await sandbox.runCode('1 + 1')).text, '2')
  })

  scenario('the address that getHost gives leads to a server in the sandbox', async () => {
    const sandbox = await shared()
    const host = sandbox.getHost(8123)
    assert.equal(host, `8123-${sandbox.sandboxId}.${domain}`)
    const closed = await fetch(`https://${host}/`)
    assert.equal(closed.status, 502)
    assert.match((await closed.json()).message, /port is not open/)
    await sandbox.files.write('/home/user/www/index.html', 'served')
    await sandbox.commands.run('python3 -m http.server 8123 --directory /home/user/www', { background: true, timeoutMs: 0 })
    const text = await eventually('it serves', async () => {
      const answer = await fetch(`https://${host}/`)
      const body = await answer.text()
      return answer.status === 200 && body
    })
    assert.equal(text, 'served')
  })

  scenario('the address of a dead sandbox answers 502 at once', async () => {
    const sandbox = await Sandbox.create(code, { timeoutMs: 60_000 })
    const host = sandbox.getHost(8000)
    await sandbox.kill()
    const begun = Date.now()
    const answer = await fetch(`https://${host}/`)
    assert.equal(answer.status, 502)
    assert.equal((await answer.json()).code, 502)
    assert.ok(Date.now() - begun < 1000)
    const page = await fetch(`https://${host}/`, { headers: { Accept: 'text/html', 'User-Agent': 'Mozilla/5.0' } })
    assert.match(page.headers.get('content-type'), /html/)
    assert.doesNotMatch(await page.text(), /<script/)
  })

  scenario('signed addresses work as they are', async () => {
    const sandbox = await shared()
    await sandbox.files.write('/home/user/signed', 'by name')
    assert.equal(await (await fetch(await sandbox.downloadUrl('/home/user/signed'))).text(), 'by name')
    const form = new FormData()
    form.append('file', new Blob(['up']), 'up.txt')
    assert.equal((await fetch(await sandbox.uploadUrl('/home/user/up.txt'), { method: 'POST', body: form })).status, 200)
  })

  scenario('headers do not reroute a name that is a sandbox\'s', async () => {
    const one = await shared()
    await withSandbox({ template: code }, async (other) => {
      await other.files.write('/home/user/whose', 'the other one')
      const answer = await fetch(`https://49983-${one.sandboxId}.${domain}/files?path=/home/user/whose`, {
        headers: { 'E2b-Sandbox-Id': other.sandboxId, 'E2b-Sandbox-Port': '49983', 'X-Access-Token': other.envdAccessToken },
      })
      assert.ok([401, 404].includes(answer.status), `${answer.status}`)
      assert.doesNotMatch(await answer.text(), /the other one/)
    })
  })

  scenario('HTTP/2 when it is offered, HTTP/1.1 otherwise', async () => {
    const { hostname, port } = new URL(url)
    const protocol = (offered) => new Promise((done, fail) => {
      const socket = connectTls({ host: hostname, port: Number(port), servername: hostname, ALPNProtocols: offered }, () => {
        done(socket.alpnProtocol)
        socket.destroy()
      })
      socket.on('error', fail)
    })
    assert.equal(await protocol(['h2', 'http/1.1']), 'h2')
    assert.equal(await protocol(['http/1.1']), 'http/1.1')
    const session = connectHttp2(url)
    const status = await new Promise((done, fail) => {
      session.on('error', fail)
      const call = session.request({ ':path': '/v2/sandboxes?limit=1', 'x-api-key': process.env.E2B_API_KEY })
      call.on('response', (headers) => done(headers[':status']))
      call.on('error', fail)
      call.resume()
    })
    session.close()
    assert.equal(status, 200)
  })

  scenario('events of a server in the sandbox come one by one', async () => {
    const sandbox = await shared()
    await sandbox.files.write('/home/user/sse.py', `
import http.server, time
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.send_header("Content-Type", "text/event-stream"); self.end_headers()
        for i in range(3):
            self.wfile.write(f"data: {i}\\n\\n".encode()); self.wfile.flush(); time.sleep(0.4)
http.server.ThreadingHTTPServer(("0.0.0.0", 8124), H).serve_forever()
`)
    await sandbox.commands.run('python3 sse.py', { background: true, timeoutMs: 0 })
    const address = `https://${sandbox.getHost(8124)}/`
    const answer = await eventually('it serves', async () => {
      const tried = await fetch(address)
      if (tried.status === 200) return tried
      await tried.text()
      return undefined
    })
    const times = []
    for await (const piece of answer.body) if (piece.length) times.push(Date.now())
    assert.ok(times.at(-1) - times[0] > 500, `${times.length} pieces within ${times.at(-1) - times[0]} ms`)
  })

  scenario('web sockets', async () => {
    const sandbox = await shared()
    await sandbox.files.write('/home/user/ws.py', `
import base64, hashlib, socket, threading
def serve(c):
    head = b""
    while b"\\r\\n\\r\\n" not in head: head += c.recv(4096)
    key = [l.split(b": ", 1)[1] for l in head.split(b"\\r\\n") if l.lower().startswith(b"sec-websocket-key")][0]
    accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
    c.sendall(b"HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: " + accept + b"\\r\\n\\r\\n")
    while True:
        head = c.recv(2)
        if len(head) < 2 or head[0] & 15 == 8: break
        n = head[1] & 127; mask = c.recv(4); data = bytes(b ^ mask[i % 4] for i, b in enumerate(c.recv(n)))
        c.sendall(bytes([129, len(data) + 5]) + b"echo " + data)
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind(("0.0.0.0", 8125)); s.listen()
while True: threading.Thread(target=serve, args=(s.accept()[0],), daemon=True).start()
`)
    await sandbox.commands.run('python3 ws.py', { background: true, timeoutMs: 0 })
    const key = Buffer.from('0123456789abcdef').toString('base64')
    const host = sandbox.getHost(8125)
    const upgraded = () => new Promise((done, fail) => {
      const [name, port] = host.split(':')
      const socket = connectTls({ host: name, port: Number(port ?? 443), servername: name, ALPNProtocols: ['http/1.1'] }, () => {
        socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`)
      })
      socket.once('data', (data) => done({ socket, head: data.toString('latin1') }))
      socket.on('error', fail)
    })
    const { socket } = await eventually('the upgrade', async () => {
      const tried = await upgraded()
      if (tried.head.startsWith('HTTP/1.1 101')) return tried
      tried.socket.destroy()
      return undefined
    })
    const frame = (text) => {
      const mask = Buffer.from([1, 2, 3, 4])
      const data = Buffer.from(text).map((byte, i) => byte ^ mask[i % 4])
      return Buffer.concat([Buffer.from([129, 128 | data.length]), mask, data])
    }
    for (const text of ['one', 'two']) {
      socket.write(frame(text))
      const data = await new Promise((done) => socket.once('data', done))
      assert.equal(data.subarray(2).toString(), `echo ${text}`)
    }
    socket.destroy()
  })

  scenario('a token for traffic, when the sandbox asks for one', async () => {
    await withSandbox({ template: code, network: { allowPublicTraffic: false } }, async (sandbox) => {
      assert.ok(sandbox.trafficAccessToken)
      await sandbox.files.write('/home/user/show.py', `
import http.server
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = str(self.headers).lower().encode()
        self.send_response(200); self.send_header("Content-Length", str(len(body))); self.end_headers(); self.wfile.write(body)
http.server.HTTPServer(("0.0.0.0", 8126), H).serve_forever()
`)
      await sandbox.commands.run('python3 show.py', { background: true, timeoutMs: 0 })
      const address = `https://${sandbox.getHost(8126)}/`
      for (const headers of [{}, { 'e2b-traffic-access-token': 'wrong' }]) {
        const refused = await fetch(address, { headers })
        assert.equal(refused.status, 403)
        assert.match((await refused.json()).message, /e2b-traffic-access-token/)
      }
      const seen = await eventually('it serves', async () => {
        const answer = await fetch(address, { headers: { 'e2b-traffic-access-token': sandbox.trafficAccessToken, 'X-Access-Token': 'own' } })
        const text = await answer.text()
        return answer.status === 200 && text
      })
      assert.ok(!seen.includes(sandbox.trafficAccessToken.toLowerCase()), 'the token stays outside')
      assert.ok(!seen.includes('e2b-sandbox-id'))
      if (sandbox.runCode) assert.equal((await sandbox.runCode('1 + 1')).text, '2')
    })
  })
}, { concurrency: 3, tiers: ['jail', 'gvisor'] })
