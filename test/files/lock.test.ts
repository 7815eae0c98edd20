import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { acquireLock, LockTaken } from '../../src/files/lock.ts'

const aDirectory = async (t: ExecutionContext): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-'))
  t.teardown(() => rm(directory, { recursive: true }))
  return directory
}

const anotherProcess = async (t: ExecutionContext, path: string): Promise<ChildProcess> => {
  const holder = fileURLToPath(new URL('lock-holder.ts', import.meta.url))
  const child = spawn(process.execPath, ['--expose-gc', holder, path], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  const [word] = await once(child.stdout, 'data')
  t.is(String(word), 'held\n')
  return child
}

test('acquiring a held lock is refused, naming its holder and since when', async (t) => {
  const path = join(await aDirectory(t), 'berth.lock')
  const lock = acquireLock(path)
  const error = t.throws(() => acquireLock(path), { instanceOf: LockTaken })
  t.true(error.message.includes(`is held by process ${process.pid} on ${hostname()} since 20`))
  lock.release()
  acquireLock(path).release()
})

test('releasing a lock twice does not release it for its next holder', async (t) => {
  const path = join(await aDirectory(t), 'berth.lock')
  const first = acquireLock(path)
  first.release()
  const second = acquireLock(path)
  first.release()
  t.throws(() => acquireLock(path), { instanceOf: LockTaken })
  t.true(existsSync(`${path}.owner`))
  second.release()
  t.false(existsSync(`${path}.owner`))
})

test("another process's lock is refused with its id, and free once the process is killed", async (t) => {
  const path = join(await aDirectory(t), 'berth.lock')
  const child = await anotherProcess(t, path)
  const error = t.throws(() => acquireLock(path), { instanceOf: LockTaken })
  t.true(error.message.includes(`process ${child.pid} `))
  child.kill('SIGKILL')
  await once(child, 'exit')
  const lock = acquireLock(path)
  const mine = t.throws(() => acquireLock(path), { instanceOf: LockTaken })
  t.true(mine.message.includes(`process ${process.pid} `))
  lock.release()
})

test('a lock in a missing directory or in another kind of file is a clear error', async (t) => {
  const directory = await aDirectory(t)
  t.throws(() => acquireLock(join(directory, 'missing', 'berth.lock')), { code: 'ENOENT', message: /missing/ })
  const path = join(directory, 'notes')
  writeFileSync(path, 'not a lock at all')
  t.throws(() => acquireLock(path), { message: /notes cannot be locked: file is not a database/ })
})
