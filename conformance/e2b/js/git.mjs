// The client's git commands: they are programs run in the sandbox, whose exact output the client reads.
import assert from 'node:assert/strict'
import { fresh, group, sharedSandbox } from '../lib/scenario.mjs'
import { sdk } from '../lib/target.mjs'

group('git', ({ scenario }) => {
  const shared = sharedSandbox()
  const author = { authorName: 'A Person', authorEmail: 'person@example.com' }

  /** A repository with one commit. */
  async function repository() {
    const sandbox = await shared()
    const path = fresh('repo')
    await sandbox.git.init(path, { initialBranch: 'main' })
    await sandbox.files.write(`${path}/README.md`, 'one\n')
    await sandbox.git.add(path)
    await sandbox.git.commit(path, 'first', author)
    return { ...sandbox, git: sandbox.git, files: sandbox.files, commands: sandbox.commands, path }
  }
  const logOf = async ({ commands, path }, format) =>
    (await commands.run(`git -C ${path} log -1 --format='${format}'`)).stdout.trim()

  scenario('init', async () => {
    const { git, files } = await shared()
    const path = fresh('repo')
    await git.init(path, { initialBranch: 'trunk' })
    assert.equal(await files.read(`${path}/.git/HEAD`), 'ref: refs/heads/trunk\n')
    const bare = fresh('bare')
    await git.init(bare, { bare: true })
    assert.equal(await files.exists(`${bare}/HEAD`), true)
  })

  scenario('add and commit, with an author', async () => {
    const repo = await repository()
    assert.equal(await logOf(repo, '%s|%an|%ae'), 'first|A Person|person@example.com')
    await repo.files.write(`${repo.path}/a`, '1')
    await repo.files.write(`${repo.path}/b`, '2')
    await repo.git.add(repo.path, { files: ['a'] })
    await repo.git.commit(repo.path, 'only "a" $HOME', author)
    assert.equal(await logOf(repo, '%s'), 'only "a" $HOME')
    assert.ok((await repo.git.status(repo.path)).hasUntracked)
  })

  scenario('an empty commit', async () => {
    const repo = await repository()
    await assert.rejects(repo.git.commit(repo.path, 'nothing', author))
    await repo.git.commit(repo.path, 'nothing', { ...author, allowEmpty: true })
    assert.equal(await logOf(repo, '%s'), 'nothing')
  })

  scenario('status: clean, untracked, staged, changed, renamed', async () => {
    const { git, files, commands, path } = await repository()
    const clean = await git.status(path)
    assert.deepEqual([clean.isClean, clean.currentBranch, clean.ahead, clean.behind], [true, 'main', 0, 0])
    await files.write(`${path}/new ü.txt`, 'x')
    await files.write(`${path}/README.md`, 'changed\n')
    let status = await git.status(path)
    assert.deepEqual([status.isClean, status.hasUntracked, status.hasStaged, status.hasChanges], [false, true, false, true])
    await git.add(path)
    await commands.run('git mv README.md READ.md', { cwd: path }).catch(() => {})
    status = await git.status(path)
    assert.equal(status.hasStaged, true)
    assert.ok(status.fileStatus.length >= 2, JSON.stringify(status))
  })

  scenario('branches: make, change, list, delete', async () => {
    const { git, path } = await repository()
    await git.createBranch(path, 'feature')
    let branches = await git.branches(path)
    assert.equal(branches.currentBranch, 'feature')
    assert.deepEqual([...branches.branches].sort(), ['feature', 'main'])
    await git.checkoutBranch(path, 'main')
    assert.equal((await git.branches(path)).currentBranch, 'main')
    await git.deleteBranch(path, 'feature')
    branches = await git.branches(path)
    assert.deepEqual(branches.branches, ['main'])
    await assert.rejects(git.checkoutBranch(path, 'no-such-branch'))
  })

  scenario('reset and restore', async () => {
    const repo = await repository()
    const { git, files, path } = repo
    await files.write(`${path}/README.md`, 'two\n')
    await git.add(path)
    await git.restore(path, { paths: ['README.md'], staged: true, worktree: false })
    assert.equal((await git.status(path)).hasStaged, false)
    await git.restore(path, { paths: ['README.md'] })
    assert.equal(await files.read(`${path}/README.md`), 'one\n')
    await git.commit(path, 'second', { ...author, allowEmpty: true })
    await git.reset(path, { mode: 'hard', target: 'HEAD~1' })
    assert.equal(await logOf(repo, '%s'), 'first')
  })

  scenario('configuration', async () => {
    const { git, path } = await repository()
    await git.setConfig('user.nickname', 'a b $c', { scope: 'local', path })
    assert.equal(await git.getConfig('user.nickname', { scope: 'local', path }), 'a b $c')
    assert.equal(await git.getConfig('no.such', { scope: 'local', path }), undefined)
    await git.configureUser('Local User', 'local@example.com', { scope: 'local', path })
    assert.equal(await git.getConfig('user.email', { scope: 'local', path }), 'local@example.com')
  })

  scenario('remotes', async () => {
    const { git, path } = await repository()
    assert.equal(await git.remoteGet(path, 'origin'), undefined)
    await git.remoteAdd(path, 'origin', 'https://example.com/one.git')
    assert.equal(await git.remoteGet(path, 'origin'), 'https://example.com/one.git')
    await assert.rejects(git.remoteAdd(path, 'origin', 'https://example.com/two.git'))
    await git.remoteAdd(path, 'origin', 'https://example.com/two.git', { overwrite: true })
    assert.equal(await git.remoteGet(path, 'origin'), 'https://example.com/two.git')
  })

  scenario('clone, push, pull', async () => {
    const first = await repository()
    const { git, files } = first
    const shore = fresh('shore')
    await git.init(shore, { bare: true, initialBranch: 'main' })
    await git.remoteAdd(first.path, 'origin', shore)
    await git.push(first.path, { remote: 'origin', branch: 'main', setUpstream: true })
    const copy = fresh('copy')
    await git.clone(shore, { path: copy })
    assert.equal(await files.read(`${copy}/README.md`), 'one\n')
    await files.write(`${first.path}/README.md`, 'two\n')
    await git.add(first.path)
    await git.commit(first.path, 'second', author)
    await git.push(first.path, { remote: 'origin', branch: 'main' })
    await git.pull(copy)
    assert.equal(await files.read(`${copy}/README.md`), 'two\n')
    assert.equal((await git.status(copy)).upstream, 'origin/main')
    const shallow = fresh('shallow')
    await git.clone(`file://${shore}`, { path: shallow, depth: 1, branch: 'main' })
    assert.equal(await files.exists(`${shallow}/README.md`), true)
  })

  scenario('credentials are stored where git finds them', async () => {
    const { git, commands } = await shared()
    await git.dangerouslyAuthenticate({ username: 'me', password: 'p@ss word', host: 'git.example.com' })
    const filled = await commands.run("printf 'protocol=https\\nhost=git.example.com\\n\\n' | git credential fill")
    assert.match(filled.stdout, /username=me/)
    assert.match(filled.stdout, /password=p@ss word/)
  })

  scenario('what git says when it fails reaches the caller', async () => {
    const { git } = await shared()
    await assert.rejects(git.status('/tmp'), (error) => /not a git repository/i.test(`${error.message} ${error.stderr}`))
    await assert.rejects(git.clone('file:///no/such/repository', { path: fresh('none') }), (error) => {
      assert.ok(error instanceof sdk.CommandExitError || /repository|exist/i.test(error.message), `${error}`)
      return true
    })
  })
}, { tiers: ['jail', 'gvisor'] })
