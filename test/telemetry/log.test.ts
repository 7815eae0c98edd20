import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { makeLog, openLineWriter } from '../../src/telemetry/log.ts'

const aDirectory = async (t: ExecutionContext): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-'))
  t.teardown(() => rm(directory, { recursive: true }))
  return directory
}

const opened = (t: ExecutionContext, path: string, flags: number | string): number => {
  const fd = openSync(path, flags)
  t.teardown(() => closeSync(fd))
  return fd
}

interface Pipe {
  readonly writer: number
  /** Everything written since the last read. */
  readonly read: () => string
  readonly closeReader: () => void
}

/** A non-blocking pipe, like standard output: a write that does not fit fails. */
const aPipe = async (t: ExecutionContext): Promise<Pipe> => {
  const path = join(await aDirectory(t), 'pipe')
  execFileSync('mkfifo', [path])
  let reader: number | undefined = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const closeReader = (): void => {
    if (reader !== undefined) closeSync(reader)
    reader = undefined
  }
  t.teardown(closeReader)
  const bytes = Buffer.alloc(1 << 20)
  const read = (): string => {
    try {
      return bytes.subarray(0, readSync(reader as number, bytes)).toString()
    } catch {
      return ''
    }
  }
  return { writer: opened(t, path, constants.O_WRONLY | constants.O_NONBLOCK), read, closeReader }
}

/** Resolves when a condition holds. */
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise(setImmediate)
}

const numbered = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `line ${n}\n`)

test('every line is written once, whole and in order, however many are logged at once', async (t) => {
  const path = join(await aDirectory(t), 'log')
  const lines = openLineWriter(opened(t, path, 'w'))
  const written = numbered(50_000)
  for (const [n, line] of written.entries()) {
    lines.write(line, n % 1000 === 0)
    if (n % 5000 === 0) await lines.flush(10_000)
  }
  await lines.flush(10_000)
  t.is(readFileSync(path, 'utf8'), written.join(''))
  t.is(lines.lost(), 0)
})

test('a line is flushed after a moment, and an urgent one at once with the lines before it', async (t) => {
  const path = join(await aDirectory(t), 'log')
  const lines = openLineWriter(opened(t, path, 'w'))
  lines.write('one\n')
  t.is(readFileSync(path, 'utf8'), '')
  await until(() => readFileSync(path, 'utf8') === 'one\n')
  await lines.flush(10_000)
  lines.write('two\n')
  lines.write('three\n', true)
  await until(() => readFileSync(path, 'utf8') === 'one\ntwo\nthree\n')
  t.pass()
})

test('buffered lines are written when the process ends abruptly', async (t) => {
  const path = join(await aDirectory(t), 'log')
  const lines = openLineWriter(opened(t, path, 'w'))
  for (const line of numbered(10)) lines.write(line)
  lines.flushNow()
  t.is(readFileSync(path, 'utf8'), numbered(10).join(''))
})

test('a slow reader gets every line in the end, and the buffer for one that never reads is bounded', async (t) => {
  const { writer, read, closeReader } = await aPipe(t)
  const lines = openLineWriter(writer)
  const written = Array.from({ length: 3000 }, (_, n) => `${n}`.padEnd(199, '.').concat('\n'))
  for (const line of written) lines.write(line)
  await lines.flush(1)
  let all = ''
  while (all.length < 600_000) {
    all += read()
    await new Promise(setImmediate)
  }
  t.is(all, written.join(''))
  t.is(lines.lost(), 0)
  for (let n = 0; n < 30_000; n++) lines.write(written[0] as string)
  t.true(lines.lost() > 5_000)
  // Stopping does not wait forever.
  await lines.flush(1)
  lines.flushNow()
  // It tries again until then: the number of a file that is closed may be another file's a moment later.
  closeReader()
  await lines.flush(10_000)
})

test('an error is logged with its message and stack, and without properties added to it', (t) => {
  const written: string[] = []
  const lines = { ...openLineWriter(1), write: (line: string) => written.push(line) }
  const cause = Object.assign(new Error('no space'), { code: 'ENOSPC', path: 'CaNaRy', errno: -28 })
  const error = Object.assign(new Error('it failed', { cause }), { secret: 'CaNaRy', code: 5 })
  const log = makeLog('warn', lines)
  log.error({ err: error }, 'a request failed')
  log.error({ err: 'CaNaRy' }, 'something else was thrown')
  log.info({}, 'not logged at this level')
  const [first, second, ...more] = written.map((line) => JSON.parse(line))
  t.deepEqual(more, [])
  t.deepEqual([first.level, first.msg, first.err.message], [50, 'a request failed', 'it failed'])
  t.regex(first.err.stack, /log\.test\.ts/)
  t.is(first.err.cause.code, 'ENOSPC')
  t.deepEqual(Object.keys(second.err), ['message'])
  t.false(written.join('').includes('CaNaRy'))
})
