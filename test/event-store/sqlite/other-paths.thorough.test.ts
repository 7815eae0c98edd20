import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import { append, aStream, outcomeOf, readAll, someEvents } from '../new-events.ts'
import { aDirectory, openInAnother, openStore } from './subject.ts'

/** A second path to the log's file, mounted by root in the second process's own mount namespace. */
interface Way {
  /** Prefix of the second process's command. */
  readonly by: (log: string, home: string) => readonly string[]
  /** The path that the second process opens. */
  readonly path: (home: string) => string
}

const mounted = (mount: string): readonly string[] => ['unshare', '-m', 'sh', '-c', `${mount} && exec "$@"`, 'sh']

const ways: Readonly<Record<string, Way>> = {
  'a bind mount of the file': {
    by: (log, home) => mounted(`touch ${home}/other/events.db && mount --bind ${log} ${home}/other/events.db`),
    path: (home) => join(home, 'other', 'events.db'),
  },
  'a bind mount of the file under another name': {
    by: (log, home) => mounted(`touch ${home}/other/log && mount --bind ${log} ${home}/other/log`),
    path: (home) => join(home, 'other', 'log'),
  },
  'a bind mount of its directory': {
    by: (_, home) => mounted(`mount --bind ${home}/data ${home}/other`),
    path: (home) => join(home, 'other', 'events.db'),
  },
  'a bind mount of the file, with a lock file at that path': {
    by: (log, home) =>
      mounted(
        `touch ${home}/other/events.db ${home}/other/events.db.lock && mount --bind ${log} ${home}/other/events.db`,
      ),
    path: (home) => join(home, 'other', 'events.db'),
  },
}

/** The reason why no mount namespace can be created; undefined if it can. */
const whyNoMounts = async (): Promise<string | undefined> => {
  if (process.platform !== 'linux') return 'mount namespaces need Linux'
  const child = spawn('unshare', ['-m', 'true'], { stdio: 'ignore' })
  const [code] = await once(child, 'exit').catch(() => [1])
  return code === 0 ? undefined : 'mount namespaces are not permitted here'
}

const notRun = (t: ExecutionContext, why: string): void => {
  t.log(`NOT RUN: ${why}`)
  t.pass()
}

/** A directory for a log and a second path to it. */
const aHome = async (t: ExecutionContext) => {
  const home = await aDirectory(t)
  mkdirSync(join(home, 'data'))
  mkdirSync(join(home, 'other'))
  return { home, log: join(home, 'data', 'events.db') }
}

for (const [what, { by, path }] of Object.entries(ways)) {
  test(`a second writer through ${what} is refused while the first writes, and the other way round`, async (t) => {
    const why = await whyNoMounts()
    if (why !== undefined) return notRun(t, why)
    const { home, log } = await aHome(t)
    const store = openStore(t, log)
    const stream = aStream()
    await append(store, stream, -1, someEvents(stream, 3))
    const { said } = await openInAnother(t, path(home), by(log, home))
    t.regex(said, new RegExp(`is held by process ${process.pid} on `))
    t.is(outcomeOf(await append(store, stream, 2, someEvents(stream, 1))), 'done')
    t.is((await readAll(store, stream)).length, 4)
    await store.close()
    // Once closed, the log can also be opened through that path.
    const { child, said: last } = await openInAnother(t, path(home), by(log, home))
    t.is(last, 'open\n')
    // And then keeps out the original path. The id of a process in another namespace would not help.
    const refused = t.throws(() => openStore(t, log, { limits: { busyTimeout: 10 } }), { name: 'LockTaken' })
    t.regex(refused.message, /is held by process \d+ on /)
    child.stdin?.end()
    await once(child, 'exit')
  })
}

test("a second writer is refused even if the first one's lock file was deleted or replaced", async (t) => {
  const { log } = await aHome(t)
  const store = openStore(t, log)
  await append(store, aStream(), -1, someEvents(aStream(), 1))
  for (const change of [() => rmSync(`${log}.lock`), () => writeFileSync(`${log}.lock`, '')]) {
    renameSync(`${log}.lock`, `${log}.kept`)
    writeFileSync(`${log}.lock`, '')
    change()
    t.regex((await openInAnother(t, log)).said, new RegExp(`is held by process ${process.pid} on `))
    renameSync(`${log}.kept`, `${log}.lock`)
  }
  t.is(outcomeOf(await append(store, aStream(), -1, someEvents(aStream(), 1))), 'done')
})

test('a start after kill -9 neither waits nor fails while others read', async (t) => {
  const { log } = await aHome(t)
  const { child } = await openInAnother(t, log)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const reader = openStore(t, log, { readOnly: true })
  const shell = new DatabaseSync(log, { readOnly: true })
  t.teardown(() => shell.close())
  shell.exec('BEGIN; SELECT count(*) FROM event')
  // A wait would last this long.
  const store = openStore(t, log, { limits: { busyTimeout: 600_000 } })
  const stream = aStream()
  t.is(outcomeOf(await append(store, stream, -1, someEvents(stream, 2))), 'done')
  t.is((await readAll(reader, stream)).length, 2)
})

test('a log can be opened after a kill during the WAL checkpoint', async (t) => {
  const { log, home } = await aHome(t)
  await openStore(t, log).close()
  // A new lock file makes the next opening claim the log again, so that this claim is not the first.
  writeFileSync(`${log}.other`, '')
  renameSync(`${log}.other`, `${log}.lock`)
  const store = openStore(t, log)
  const stream = aStream()
  await append(store, stream, -1, someEvents(stream, 200))
  // Copied by another process: closing a descriptor of the file here would drop its locks.
  execFileSync('cp', [log, `${log}-wal`, home])
  await store.close()
  const FIRST_PAGE = 4_096
  const complete = readFileSync(log).subarray(0, FIRST_PAGE)
  const killed = readFileSync(join(home, 'events.db'))
  t.notDeepEqual(killed.subarray(0, FIRST_PAGE), complete)
  // The first page is written first, and counts pages that the file does not have yet.
  writeFileSync(log, Buffer.concat([complete, killed.subarray(FIRST_PAGE)]))
  cpSync(join(home, 'events.db-wal'), `${log}-wal`)
  t.is((await readAll(openStore(t, log), stream)).length, 200)
})

test('an outdated WAL is not applied to the file', async (t) => {
  const { home, log } = await aHome(t)
  const stream = aStream()
  const store = openStore(t, log)
  await append(store, stream, -1, someEvents(stream, 1))
  cpSync(`${log}-wal`, join(home, 'journal'))
  await store.close()
  // The log has since been claimed and written through another path.
  renameSync(log, join(home, 'other', 'events.db'))
  const other = openStore(t, join(home, 'other', 'events.db'))
  await append(other, stream, 0, someEvents(stream, 5))
  await other.close()
  renameSync(join(home, 'other', 'events.db'), log)
  cpSync(join(home, 'journal'), `${log}-wal`)
  t.throws(() => openStore(t, log), { name: 'UnusableLog', message: /has been written through another path since/ })
  rmSync(`${log}-wal`)
  t.is((await readAll(openStore(t, log), stream)).length, 6)
})
