import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { TooManyCalls } from '../../src/concurrency/calls.ts'
import { openThread, ThreadEnded, type ThreadOptions } from '../../src/concurrency/thread.ts'
import type { TestThread } from './worker.ts'

const module = new URL('./worker.ts', import.meta.url)

const given = (t: ExecutionContext, options: Partial<ThreadOptions> = {}) => {
  const thread = openThread<TestThread>({ module, callsMax: 8, ...options })
  t.teardown(thread.terminate)
  return thread
}

test('the first call starts the thread with its data, and each call gets its own answer', async (t) => {
  const { call, underWay } = given(t, { start: { workerData: { some: 'data' } } })
  const answers = await Promise.all([call('later', [20, 'late']), call('later', [0, 'soon']), call('who', [])])
  t.deepEqual(answers.slice(0, 2), ['late', 'soon'])
  const [id, data] = answers[2] ?? []
  t.deepEqual(data, { some: 'data' })
  t.deepEqual((await call('who', []))[0], id, 'the same thread')
  t.is(underWay(), 0)
})

test('one call too many is refused, and others are made again once there is room', async (t) => {
  const { call } = given(t, { callsMax: 2 })
  const both = [call('later', [0, 'a']), call('later', [0, 'b'])]
  await t.throwsAsync(call('who', []), { instanceOf: TooManyCalls })
  t.deepEqual(await Promise.all(both), ['a', 'b'])
  await call('who', [])
})

test('errors come back with their members and causes, and those of JavaScript with their class', async (t) => {
  const { call } = given(t)
  const refused = await t.throwsAsync(call('refuse', ['class']), { message: 'not now' })
  t.like(refused, { name: 'StoreUnavailable', exitCode: 1, sentences: ['not now'] })
  t.like(refused?.cause, { message: 'why' })
  t.regex(refused?.stack ?? '', /worker\.ts/)
  t.like(await t.throwsAsync(call('refuse', ['members'])), { message: 'broken', errcode: 11 })
  await t.throwsAsync(call('refuse', ['type']), { instanceOf: TypeError })
  t.is(await call('refuse', ['value']).catch((error: unknown) => error), 'text')
  await t.throwsAsync(call('refuse', ['function']), { message: /could not be cloned/ })
  t.is(await call('later', [0, 'on']), 'on', 'the thread goes on')
})

test('a thread that ends rejects all open calls, and is replaced at the next one if it may be', async (t) => {
  for (const isReplaced of [true, false]) {
    const ends: unknown[] = []
    const onEnded = ({ cause }: ThreadEnded): void => void ends.push(cause)
    const { call, tell } = given(t, { isReplaced, onEnded })
    const [id] = await call('who', [])
    const open = [call('later', [60_000, 'never']), call('later', [60_000, 'never'])]
    tell('die', ['error'])
    for (const each of open) {
      const ended = await t.throwsAsync(each, { instanceOf: ThreadEnded, message: 'the thread is broken' })
      t.like(ended?.cause, { name: 'StoreUnavailable' })
    }
    t.like(ends, [{ name: 'StoreUnavailable' }])
    if (isReplaced) t.not((await call('who', []))[0], id)
    else await t.throwsAsync(call('who', []), { instanceOf: ThreadEnded, message: 'the thread is broken' })
  }
})

test('a thread that exits or cannot start rejects its calls too', async (t) => {
  const exiting = given(t)
  await t.throwsAsync(exiting.call('die', ['exit']), { instanceOf: ThreadEnded, message: 'the thread has ended' })
  const missing = given(t, { module: new URL('file:///none.ts') })
  await t.throwsAsync(missing.call('who', []), { instanceOf: ThreadEnded, message: /none\.ts/ })
})

test('after an error of a thread whose errors are fatal, nothing that was sent later is run', async (t) => {
  const { call, tell } = given(t, { start: { workerData: { isFatal: true } }, isReplaced: true })
  const failed = call('note', ['fatal'])
  tell('note', ['later'])
  const later = call('notes', [])
  await t.throwsAsync(failed, { instanceOf: ThreadEnded, message: 'not noted' })
  await t.throwsAsync(later, { instanceOf: ThreadEnded })
  t.deepEqual(await call('notes', []), [])
})

test('the thread may call this one, and takes messages without an answer in order', async (t) => {
  const { call, tell } = given(t, { local: { double: (value: number) => 2 * value } })
  t.is(await call('twice', [21]), 42)
  tell('note', ['a'])
  tell('note', ['b'])
  t.deepEqual(await call('notes', []), ['a', 'b'])
})

test('a thread is closed after what it was sent, and terminated at once', async (t) => {
  const closed = new Int32Array(new SharedArrayBuffer(4))
  const closing = given(t, { start: { workerData: { closed } } })
  const answers = [closing.call('who', []), closing.call('notes', [])]
  await closing.close()
  t.is((await Promise.all(answers)).length, 2)
  t.is(Atomics.load(closed, 0), 1)
  await t.throwsAsync(closing.call('who', []), { instanceOf: ThreadEnded })
  const ended = given(t)
  const never = ended.call('later', [60_000, 'never'])
  await Promise.all([ended.terminate(), t.throwsAsync(never, { instanceOf: ThreadEnded })])
  const unused = given(t, { module: new URL('file:///none.ts') })
  await unused.close()
})

test('a process lives while a call waits for its answer, and no longer', (t) => {
  const script = fileURLToPath(new URL('./one-call.ts', import.meta.url))
  const { stdout, status } = spawnSync(process.execPath, [script], { encoding: 'utf8' })
  t.deepEqual([stdout, status], ['answered', 0])
})
