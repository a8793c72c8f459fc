// Files, directories, watches and signed addresses, through `sandbox.files`.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { eventually, fresh, group, sharedSandbox, sleep, withSandbox } from '../lib/scenario.mjs'
import { linux, sdk, tier, url } from '../lib/target.mjs'

const { FileNotFoundError, InvalidArgumentError, FileType, NotFoundError, NotEnoughSpaceError } = sdk

const streamOf = (...pieces) =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
      controller.close()
    },
  })

async function collect(stream) {
  const pieces = []
  for await (const piece of stream) pieces.push(piece)
  return Buffer.concat(pieces)
}

group('files', ({ scenario }) => {
  const shared = sharedSandbox()

  scenario('write and read text', async () => {
    const { files } = await shared()
    const path = fresh()
    const info = await files.write(path, 'Grüße 😀\n')
    assert.equal(info.path, path)
    assert.equal(info.name, path.split('/').at(-1))
    assert.equal(info.type, FileType.FILE)
    assert.equal(await files.read(path), 'Grüße 😀\n')
  })

  scenario('write of text, bytes, blob and stream', async () => {
    const { files } = await shared()
    const bytes = randomBytes(100_000)
    for (const [data, expected] of [
      ['text', 'text'],
      [bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), bytes],
      [new Blob([bytes]), bytes],
      [streamOf('piece one, ', 'piece two'), 'piece one, piece two'],
    ]) {
      const path = fresh()
      await files.write(path, data)
      assert.deepEqual(Buffer.from(await files.read(path, { format: 'bytes' })), Buffer.from(expected))
    }
  })

  scenario('every way to send and to fetch, byte for byte', async () => {
    const { files } = await shared()
    const bytes = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]), randomBytes(70_001)])
    for (const options of [{}, { useOctetStream: true }, { gzip: true }, { useOctetStream: false }]) {
      const path = fresh()
      await files.write(path, new Blob([bytes]), options)
      const how = JSON.stringify(options)
      assert.deepEqual(Buffer.from(await files.read(path, { format: 'bytes' })), bytes, how)
      assert.deepEqual(Buffer.from(await files.read(path, { format: 'bytes', gzip: true })), bytes, how)
      const blob = await files.read(path, { format: 'blob' })
      assert.deepEqual(Buffer.from(await blob.arrayBuffer()), bytes, how)
      assert.deepEqual(await collect(await files.read(path, { format: 'stream' })), bytes, how)
    }
    const path = fresh()
    await files.write(path, streamOf('a'.repeat(1000), 'b'.repeat(1000)), { gzip: true })
    assert.equal(await files.read(path), 'a'.repeat(1000) + 'b'.repeat(1000))
  })

  scenario('empty files', async () => {
    const { files } = await shared()
    for (const options of [{}, { useOctetStream: true }, { gzip: true }]) {
      const path = fresh()
      await files.write(path, '', options)
      assert.equal(await files.read(path), '')
      assert.equal((await files.read(path, { format: 'bytes' })).length, 0)
      assert.equal((await collect(await files.read(path, { format: 'stream' }))).length, 0)
      assert.equal((await files.getInfo(path)).size, 0)
    }
  })

  scenario('a large file by stream, up and down', async () => {
    const { files } = await shared()
    const size = 24 * 1024 * 1024
    const path = fresh('large')
    const up = createHash('sha256')
    let left = size
    const source = new ReadableStream({
      pull(controller) {
        if (left === 0) return controller.close()
        const piece = randomBytes(Math.min(left, 256 * 1024))
        left -= piece.length
        up.update(piece)
        controller.enqueue(new Uint8Array(piece))
      },
    })
    await files.write(path, source)
    const down = createHash('sha256')
    let seen = 0
    for await (const piece of await files.read(path, { format: 'stream' })) {
      down.update(piece)
      seen += piece.length
    }
    assert.equal(seen, size)
    assert.equal(down.digest('hex'), up.digest('hex'))
    await files.remove(path)
  }, { timeout: 60_000, only: linux })

  scenario('missing files and directories', async () => {
    const { files } = await shared()
    for (const call of [
      () => files.read('/home/user/missing'),
      () => files.read('/home/user/missing', { format: 'bytes' }),
      () => files.read('/home/user/missing', { format: 'stream' }),
      () => files.getInfo('/home/user/missing'),
      () => files.list('/home/user/missing'),
      () => files.rename('/home/user/missing', '/home/user/other'),
      () => files.watchDir('/home/user/missing', () => {}),
    ]) {
      await assert.rejects(call(), (error) => {
        assert.ok(error instanceof FileNotFoundError || error instanceof NotFoundError, `${call}: ${error}`)
        assert.match(error.message, /missing/)
        return true
      })
    }
    await files.remove('/home/user/missing')
    assert.equal(await files.exists('/home/user/missing'), false)
  })

  scenario('exists', async () => {
    const { files } = await shared()
    const path = fresh()
    assert.equal(await files.exists(path), false)
    await files.write(path, 'x')
    assert.equal(await files.exists(path), true)
    assert.equal(await files.exists('/home/user'), true)
  })

  scenario('reading a directory is refused', async () => {
    const { files } = await shared()
    await assert.rejects(files.read('/home/user'), (error) => {
      assert.ok(error instanceof InvalidArgumentError, `${error}`)
      assert.match(error.message, /directory/)
      return true
    })
  })

  scenario('writing makes the directories above, and replaces what was there', async () => {
    const { files } = await shared()
    const root = fresh('nested')
    await files.write(`${root}/a/b/c.txt`, 'first and long')
    await files.write(`${root}/a/b/c.txt`, 'second')
    assert.equal(await files.read(`${root}/a/b/c.txt`), 'second')
    await assert.rejects(files.write(`${root}/a/b`, 'over a directory'))
    await assert.rejects(files.write(`${root}/a/b/c.txt/d`, 'below a file'))
  })

  scenario('paths: relative ones and ~ are of the home', async () => {
    const { files } = await shared()
    const name = fresh('relative').split('/').at(-1)
    const info = await files.write(`${name}/x.txt`, 'home')
    assert.equal(info.path, `/home/user/${name}/x.txt`)
    assert.equal(await files.read(`~/${name}/x.txt`), 'home')
    assert.equal((await files.getInfo(`/home/user/../user/./${name}//x.txt`)).path, `/home/user/${name}/x.txt`)
  })

  scenario('names with every character that a name may have', async () => {
    const { files } = await shared()
    const root = fresh('names')
    const names = ['spa ce.txt', 'ünï-😀.txt', "quo'te.txt", 'dou"ble.txt', 'per%20cent.txt', 'plus+and&.txt', 'semi;colon.txt', 'back\\slash.txt', '.hidden', '-dash', 'new\nline']
    for (const name of names) {
      const info = await files.write(`${root}/${name}`, name)
      assert.equal(info.name, name)
      assert.equal(await files.read(`${root}/${name}`), name)
    }
    const listed = await files.list(root)
    assert.deepEqual(listed.map((entry) => entry.name).sort(), [...names].sort())
  })

  scenario('many files in one call, in order; none at all', async () => {
    const { files } = await shared()
    const root = fresh('many')
    const entries = Array.from({ length: 20 }, (_, i) => ({ path: `${root}/d${i % 3}/f${i}`, data: `content ${i}` }))
    for (const options of [undefined, { useOctetStream: true }, { gzip: true }]) {
      const infos = await files.write(entries, options)
      assert.deepEqual(infos.map((info) => info.path), entries.map((entry) => entry.path))
      assert.deepEqual(await Promise.all(entries.map((entry) => files.read(entry.path))), entries.map((entry) => entry.data))
    }
    assert.deepEqual(await files.write([]), [])
    assert.equal((await files.writeFiles([{ path: `${root}/one`, data: 'x' }])).length, 1)
    // Names as they are, not their last part only.
    const odd = await files.write([{ path: `${root}/ü "q"/a.txt`, data: '1' }, { path: `${root}/b.txt`, data: '2' }])
    assert.deepEqual(odd.map((info) => info.path), [`${root}/ü "q"/a.txt`, `${root}/b.txt`])
  })

  scenario('the same destination twice in one call is refused', async () => {
    const { files } = await shared()
    const path = fresh('twice')
    await assert.rejects(files.write([{ path, data: 'a' }, { path, data: 'b' }]), InvalidArgumentError)
  })

  scenario('info of a file', async () => {
    const { files } = await shared()
    const path = fresh('info')
    await files.write(path, 'twelve bytes')
    const info = await files.getInfo(path)
    assert.equal(info.name, path.split('/').at(-1))
    assert.equal(info.path, path)
    assert.equal(info.type, FileType.FILE)
    assert.equal(info.size, 12)
    assert.equal(info.mode, 0o644)
    assert.equal(info.permissions, '-rw-r--r--')
    assert.equal(info.owner, 'user')
    assert.equal(info.group, 'user')
    assert.ok(Math.abs(info.modifiedTime.getTime() - Date.now()) < 20_000, `${info.modifiedTime}`)
    assert.equal(info.symlinkTarget, undefined)
  })

  scenario('info of a directory', async () => {
    const { files } = await shared()
    const path = fresh('dir')
    await files.makeDir(path)
    const info = await files.getInfo(path)
    assert.equal(info.type, FileType.DIR)
    assert.equal(info.mode, 0o755)
    assert.match(info.permissions, /^drwxr-xr-x$/)
    assert.equal(info.owner, 'user')
  })

  scenario('info of links: to a file, to a directory, to nothing', async () => {
    const { files, commands } = await shared()
    const root = fresh('links')
    await files.write(`${root}/file`, 'target')
    await files.makeDir(`${root}/dir`)
    await commands.run('ln -s file to-file; ln -s dir to-dir; ln -s nowhere broken; chmod 600 file', { cwd: root })
    const link = await files.getInfo(`${root}/to-file`)
    assert.equal(link.type, FileType.FILE)
    assert.equal(link.symlinkTarget, `${root}/file`)
    assert.equal(link.mode, 0o600)
    assert.match(link.permissions, /^Lrwxrwxrwx$/)
    assert.equal((await files.getInfo(`${root}/to-dir`)).type, FileType.DIR)
    const broken = await files.getInfo(`${root}/broken`)
    assert.equal(broken.type, undefined)
    assert.equal(broken.symlinkTarget, `${root}/nowhere`)
    assert.equal(await files.read(`${root}/to-file`), 'target')
    const names = (await files.list(root)).map((entry) => entry.name)
    // The client leaves out what has no type: the broken link.
    assert.deepEqual(names.sort(), ['dir', 'file', 'to-dir', 'to-file'])
    await files.remove(`${root}/to-dir`)
    assert.equal(await files.exists(`${root}/dir`), true)
  }, { only: linux })

  scenario('owner and mode are the real ones', async () => {
    const { files, commands } = await shared()
    // In a jail root has no power over what is not its own, such as the user's home.
    const path = fresh('owned').replace('/home/user', '/tmp')
    await commands.run(`touch ${path}; chmod 4751 ${path}`, { user: 'root' })
    const info = await files.getInfo(path)
    assert.equal(info.owner, 'root')
    assert.equal(info.group, 'root')
    assert.equal(info.mode & 0o777, 0o751)
    await files.write(`${path}-by-root`, 'x', { user: 'root' })
    assert.equal((await commands.run(`stat -c %U:%G ${path}-by-root`)).stdout, 'root:root\n')
    await files.write('/etc/made-by-the-files-api', 'x')
    assert.equal((await commands.run('stat -c %U /etc/made-by-the-files-api')).stdout, 'user\n')
    assert.match((await files.getInfo('~', { user: 'root' })).path, /^\/root$/)
  }, { only: linux })

  scenario('list: what there is, with details, by name', async () => {
    const { files } = await shared()
    const root = fresh('list')
    await files.write([
      { path: `${root}/b.txt`, data: 'bb' },
      { path: `${root}/a.txt`, data: 'a' },
      { path: `${root}/.dot`, data: '' },
      { path: `${root}/sub/deep/leaf`, data: 'leaf' },
    ])
    const entries = await files.list(root)
    assert.deepEqual(entries.map((entry) => [entry.name, entry.type]), [
      ['.dot', FileType.FILE], ['a.txt', FileType.FILE], ['b.txt', FileType.FILE], ['sub', FileType.DIR]])
    assert.equal(entries[2].size, 2)
    assert.equal(entries[2].path, `${root}/b.txt`)
    assert.equal(entries[2].permissions, '-rw-r--r--')
    assert.ok(entries[2].modifiedTime instanceof Date)
    const paths = async (depth) => (await files.list(root, { depth })).map((entry) => entry.path.slice(root.length + 1))
    assert.deepEqual((await paths(2)).sort(), ['.dot', 'a.txt', 'b.txt', 'sub', 'sub/deep'])
    assert.deepEqual((await paths(3)).sort(), ['.dot', 'a.txt', 'b.txt', 'sub', 'sub/deep', 'sub/deep/leaf'])
    assert.deepEqual(await files.list(`${root}/sub/deep/..`).then((list) => list.map((entry) => entry.name)), ['deep'])
    await assert.rejects(files.list(root, { depth: 0 }), InvalidArgumentError)
    await assert.rejects(files.list(`${root}/a.txt`), InvalidArgumentError)
    const empty = fresh('empty')
    await files.makeDir(empty)
    assert.deepEqual(await files.list(empty), [])
  })

  scenario('list of a directory with very many entries', async () => {
    const { files, commands } = await shared()
    const root = fresh('crowd')
    await commands.run(`mkdir ${root}; cd ${root}; seq 1 3000 | xargs touch`)
    assert.equal((await files.list(root)).length, 3000)
  }, { only: linux })

  scenario('makeDir: new, existing, nested, over a file', async () => {
    const { files } = await shared()
    const root = fresh('make')
    assert.equal(await files.makeDir(`${root}/a/b/c`), true)
    assert.equal(await files.makeDir(`${root}/a/b/c`), false)
    await files.write(`${root}/file`, 'x')
    await assert.rejects(files.makeDir(`${root}/file`), InvalidArgumentError)
    await assert.rejects(files.makeDir(`${root}/file/below`), InvalidArgumentError)
  })

  scenario('rename: file, directory, onto a file, into a new directory', async () => {
    const { files } = await shared()
    const root = fresh('move')
    await files.write(`${root}/a`, 'moved')
    const info = await files.rename(`${root}/a`, `${root}/b`)
    assert.equal(info.path, `${root}/b`)
    assert.equal(info.size, 5)
    assert.equal(await files.exists(`${root}/a`), false)
    await files.write(`${root}/c`, 'other')
    await files.rename(`${root}/b`, `${root}/c`)
    assert.equal(await files.read(`${root}/c`), 'moved')
    await files.rename(`${root}/c`, `${root}/new/dir/d`)
    assert.equal(await files.read(`${root}/new/dir/d`), 'moved')
    await files.rename(`${root}/new`, `${root}/renamed`)
    assert.equal(await files.read(`${root}/renamed/dir/d`), 'moved')
  })

  scenario('remove: file, full directory, what is not there', async () => {
    const { files } = await shared()
    const root = fresh('remove')
    await files.write(`${root}/a/b/c`, 'x')
    await files.remove(`${root}/a/b/c`)
    assert.equal(await files.exists(`${root}/a/b/c`), false)
    await files.write(`${root}/a/b/d`, 'x')
    await files.remove(root)
    assert.equal(await files.exists(root), false)
    await files.remove(root)
  })

  scenario('metadata: kept, replaced, moved along, listed', async () => {
    const { files } = await shared()
    for (const options of [{}, { useOctetStream: true }]) {
      const path = fresh('meta')
      const info = await files.write(path, 'x', { metadata: { Author: 'me', note: 'a=b; c "d"' }, ...options })
      assert.deepEqual(info.metadata, { author: 'me', note: 'a=b; c "d"' })
      assert.deepEqual((await files.getInfo(path)).metadata, { author: 'me', note: 'a=b; c "d"' })
      const moved = await files.rename(path, `${path}-moved`)
      assert.deepEqual(moved.metadata, { author: 'me', note: 'a=b; c "d"' })
      const [entry] = (await files.list('/home/user')).filter((one) => one.path === `${path}-moved`)
      assert.equal(entry.metadata.author, 'me')
      await files.write(`${path}-moved`, 'y', { metadata: { other: '1' }, ...options })
      assert.deepEqual((await files.getInfo(`${path}-moved`)).metadata, { other: '1' })
      await files.write(`${path}-moved`, 'z', options)
      assert.equal((await files.getInfo(`${path}-moved`)).metadata, undefined)
    }
    const many = fresh('meta-many')
    const infos = await files.write([{ path: `${many}/a`, data: '1' }, { path: `${many}/b`, data: '2' }], { metadata: { k: 'v' } })
    assert.deepEqual(infos.map((info) => info.metadata), [{ k: 'v' }, { k: 'v' }])
  }, { only: linux })

  scenario('metadata is the extended attribute that programs inside see and set', async () => {
    const { files, commands } = await shared()
    const path = fresh('xattr')
    await files.write(path, 'x', { metadata: { seen: 'inside' } })
    const read = `import os; print(os.getxattr('${path}', 'user.e2b.seen').decode())`
    assert.equal((await commands.run(`python3 -c "${read}"`)).stdout, 'inside\n')
    const set = `import os; os.setxattr('${path}', 'user.e2b.own', b'outside'); os.setxattr('${path}', 'user.other', b'x')`
    await commands.run(`python3 -c "${set}"`)
    assert.deepEqual((await files.getInfo(path)).metadata, { seen: 'inside', own: 'outside' })
  }, { only: linux })

  scenario('metadata that cannot be is refused', async () => {
    const { files } = await shared()
    const path = fresh('meta-bad')
    for (const metadata of [{ 'sp ace': 'x' }, { '': 'x' }, { k: 'v\n' }, { 'k\n': 'v' }, { k: 'ü' }, { ['k'.repeat(300)]: 'v' }, { k: 'v'.repeat(5000) }]) {
      await assert.rejects(files.write(path, 'x', { metadata }), undefined, JSON.stringify(metadata).slice(0, 60))
    }
    assert.equal(await files.exists(path), false)
  })

  scenario('signed addresses: read and write, for a while', async () => {
    const sandbox = await shared()
    const path = fresh('signed')
    const up = await sandbox.uploadUrl(path, { useSignatureExpiration: 60 })
    const form = new FormData()
    form.append('file', new Blob(['by address']), 'ignored.txt')
    const headers = { 'E2b-Sandbox-Id': sandbox.sandboxId, 'E2b-Sandbox-Port': '49983' }
    const sent = await fetch(up, { method: 'POST', body: form, headers })
    assert.equal(sent.status, 200, await sent.clone().text())
    const [info] = await sent.json()
    assert.deepEqual([info.path, info.type], [path, 'file'])
    for (const options of [{}, { useSignatureExpiration: 60 }]) {
      const got = await fetch(await sandbox.downloadUrl(path, options), { headers })
      assert.equal(got.status, 200)
      assert.equal(await got.text(), 'by address')
    }
    const expired = new URL(await sandbox.downloadUrl(path, { useSignatureExpiration: 60 }))
    const late = await fetch(await sandbox.downloadUrl(path, { useSignatureExpiration: -60 }), { headers })
    assert.equal(late.status, 401)
    assert.match((await late.json()).message, /expired/)
    for (const change of [
      (address) => address.searchParams.set('path', '/etc/passwd'),
      (address) => address.searchParams.set('signature', `v1_${'A'.repeat(43)}`),
      (address) => address.searchParams.set('signature_expiration', '9999999999'),
      (address) => address.searchParams.set('username', 'root'),
      (address) => address.searchParams.delete('signature'),
    ]) {
      const address = new URL(expired)
      change(address)
      const answer = await fetch(address, { headers })
      assert.equal(answer.status, 401, `${change}`)
      const body = await answer.json()
      assert.equal(body.code, 401)
      assert.match(body.message, /signature|token/)
    }
    // A signature to read is none to write.
    const form2 = new FormData()
    form2.append('file', new Blob(['overwritten']), 'x')
    assert.equal((await fetch(expired, { method: 'POST', body: form2, headers })).status, 401)
    assert.equal(await sandbox.files.read(path), 'by address')
    const asRoot = await sandbox.downloadUrl(path, { user: 'root', useSignatureExpiration: 60 })
    assert.equal(await (await fetch(asRoot, { headers })).text(), 'by address')
  }, { only: linux })

  scenario('a download has name, kind, length, tag and ranges', async () => {
    const sandbox = await shared()
    const path = `${fresh('download')} ü.txt`
    await sandbox.files.write(path, '0123456789')
    const address = await sandbox.downloadUrl(path)
    const headers = { 'E2b-Sandbox-Id': sandbox.sandboxId, 'E2b-Sandbox-Port': '49983' }
    const whole = await fetch(address, { headers })
    assert.equal(whole.headers.get('content-length'), '10')
    assert.match(whole.headers.get('content-disposition'), /filename\*=.*%C3%BC\.txt/i)
    assert.ok(whole.headers.get('last-modified'))
    await whole.text()
    const part = await fetch(address, { headers: { ...headers, Range: 'bytes=2-4' } })
    assert.equal(part.status, 206)
    assert.equal(part.headers.get('content-range'), 'bytes 2-4/10')
    assert.equal(await part.text(), '234')
    const end = await fetch(address, { headers: { ...headers, Range: 'bytes=-3' } })
    assert.equal(await end.text(), '789')
    const beyond = await fetch(address, { headers: { ...headers, Range: 'bytes=50-' } })
    assert.equal(beyond.status, 416)
    await beyond.text()
  })

  scenario('without token or signature there is no file', async () => {
    const sandbox = await shared()
    const headers = { 'E2b-Sandbox-Id': sandbox.sandboxId, 'E2b-Sandbox-Port': '49983' }
    const path = encodeURIComponent('/etc/passwd')
    for (const token of [undefined, 'wrong']) {
      const answer = await fetch(`${url}/files?path=${path}`, { headers: { ...headers, ...(token ? { 'X-Access-Token': token } : {}) } })
      assert.equal(answer.status, 401)
      assert.equal((await answer.json()).code, 401)
      const rpc = await fetch(`${url}/filesystem.Filesystem/ListDir`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json', ...(token ? { 'X-Access-Token': token } : {}) },
        body: '{"path":"/"}',
      })
      assert.equal(rpc.status, 401)
      await rpc.text()
    }
  })

  scenario('files of /proc, whose size is said to be zero', async () => {
    const { files } = await shared()
    assert.match(await files.read('/proc/meminfo'), /MemTotal/)
  }, { only: linux })

  scenario('no space: an error of its own, and the sandbox goes on', async () => {
    await withSandbox({}, async ({ files, commands }) => {
      const filled = await commands.run('head -c 3000000000 /dev/zero > /home/user/full', { timeoutMs: 20_000 }).catch((error) => error)
      assert.ok(filled instanceof Error)
      await assert.rejects(files.write('/home/user/more', 'x'.repeat(3_000_000)), (error) => {
        assert.ok(error instanceof NotEnoughSpaceError, `${error.name}: ${error.message}`)
        return true
      })
      await files.remove('/home/user/full')
      await files.write('/home/user/more', 'fits again')
    })
  }, { only: linux, timeout: 60_000 })

  async function watching(path, options, act, enough) {
    const { files } = await shared()
    const events = []
    const handle = await files.watchDir(path, (event) => void events.push(event), options)
    try {
      await act()
      await eventually(() => JSON.stringify(events), () => enough(events), { within: 5000 })
    } catch (error) {
      throw new Error(`${error.message}; events: ${JSON.stringify(events)}`)
    } finally {
      await handle.stop()
    }
    return events
  }
  const has = (name, type) => (events) => events.some((event) => event.name === name && event.type === type)

  scenario('watch: files made, written, renamed, removed', async () => {
    const { files } = await shared()
    const root = fresh('watch')
    await files.makeDir(root)
    const events = await watching(root, {}, async () => {
      await files.write(`${root}/new.txt`, 'content')
      await files.rename(`${root}/new.txt`, `${root}/other.txt`)
      await files.remove(`${root}/other.txt`)
    }, has('other.txt', 'remove'))
    assert.ok(has('new.txt', 'create')(events))
    assert.ok(has('new.txt', 'write')(events))
    assert.ok(has('new.txt', 'rename')(events), JSON.stringify(events))
    assert.ok(events.every((event) => !event.name.startsWith('/')))
  }, { only: linux })

  scenario('watch: what commands do, and only in the directory itself', async () => {
    const { files, commands } = await shared()
    const root = fresh('watch')
    await files.makeDir(`${root}/sub`)
    const events = await watching(root, {}, () =>
      commands.run(`echo x > sub/deep; echo x > plain; chmod 600 plain`, { cwd: root }), has('plain', 'chmod'))
    assert.ok(!events.some((event) => event.name.includes('deep')), JSON.stringify(events))
  }, { only: linux })

  scenario('watch: below, also what is in directories that came later', async () => {
    const { files, commands } = await shared()
    const root = fresh('watch')
    await files.makeDir(`${root}/sub`)
    await watching(root, { recursive: true }, () => files.write(`${root}/sub/x`, '1'), has('sub/x', 'create'))
    await watching(root, { recursive: true }, async () => {
      await commands.run('mkdir -p late/er; echo x > late/er/file', { cwd: root })
      await sleep(300)
      await commands.run('echo y > late/er/second', { cwd: root })
    }, (events) => has('late/er/second', 'create')(events))
  }, { only: linux })

  scenario('watch with the entry of each event', async () => {
    const { files } = await shared()
    const root = fresh('watch')
    await files.makeDir(root)
    const events = await watching(root, { includeEntry: true }, async () => {
      await files.write(`${root}/entry.txt`, 'four')
      await sleep(500) // what is gone again has no entry
      await files.remove(`${root}/entry.txt`)
    }, has('entry.txt', 'remove'))
    const written = events.find((event) => event.name === 'entry.txt' && event.entry)
    assert.ok(written, JSON.stringify(events))
    assert.equal(written.entry.path, `${root}/entry.txt`)
    assert.equal(written.entry.type, FileType.FILE)
    assert.equal(events.find((event) => event.type === 'remove').entry, undefined)
  }, { only: linux })

  scenario('watch of a file is refused; network mounts may be asked for', async () => {
    const { files } = await shared()
    const path = fresh('watch')
    await files.write(path, 'x')
    await assert.rejects(files.watchDir(path, () => {}), InvalidArgumentError)
    const handle = await files.watchDir('/home/user', () => {}, { allowNetworkMounts: true })
    await handle.stop()
  }, { only: linux })

  scenario('a watch ends when it is stopped, and says so', async () => {
    const { files } = await shared()
    const root = fresh('watch')
    await files.makeDir(root)
    const events = []
    let ended = 0
    const handle = await files.watchDir(root, (event) => void events.push(event), { onExit: () => void (ended += 1) })
    await handle.stop()
    await eventually('onExit', () => ended)
    await files.write(`${root}/after`, 'x')
    await sleep(200)
    assert.deepEqual(events, [])
    assert.equal(ended, 1)
  }, { only: linux })

  scenario('a watch with a time limit ends with it', async () => {
    const { files } = await shared()
    let reason
    await files.watchDir('/home/user', () => {}, { timeoutMs: 3000, onExit: (error) => void (reason = error ?? 'no error') })
    await eventually('onExit', () => reason, { within: 15_000 })
  }, { only: linux })

  scenario('abroad: paths that lead out, and other users\' names', async () => {
    const { files } = await shared()
    assert.equal((await files.getInfo('/../../../home/user')).path, '/home/user')
    await assert.rejects(files.read('/home/user/a\0b'))
    await assert.rejects(files.write(fresh(), 'x', { user: 'nobody-here' }))
    const deep = `/home/user/${'d/'.repeat(50)}x`
    await files.write(deep, 'deep')
    assert.equal(await files.read(deep), 'deep')
    await assert.rejects(files.write(`/home/user/${'n'.repeat(300)}`, 'x'))
  })

  scenario('a sparse file stays sparse', async () => {
    const { commands, files } = await shared()
    const path = fresh('sparse')
    await commands.run(`truncate -s 10G ${path}`)
    assert.equal((await files.getInfo(path)).size, 10 * 2 ** 30)
    const copy = `${path}-copy`
    await commands.run(`cp --sparse=always ${path} ${copy}; rm ${path} ${copy}`)
  }, { only: tier === 'jail' || tier === 'gvisor' })
}, { tiers: ['jail', 'gvisor', 'wasm', 'isolate'] })
