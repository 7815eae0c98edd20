import { copyFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import test from 'ava'
import { judgeBeside } from '../../../src/command-line/log/verify-beside.ts'
import { openSqliteStore } from '../../../src/event-store/sqlite/store.ts'
import { randomHex } from '../../event-store/new-events.ts'
import { makeNumbers } from '../../read-models/lists/many-reservations.ts'
import { writeStory } from '../rules/lawful-log.ts'
import { tamperAndVerify, verifyFile } from './tamper-and-verify.ts'
import { KINDS, rootOf, rowsOf, tamper, textsIn, writeBack } from './tampering.ts'

const onFatal = (error: Error): never => {
  throw error
}

const directory = await mkdtemp(join(tmpdir(), 'berth-'))
const log = join(directory, 'events.db')
test.before(async () => {
  const store = openSqliteStore({ path: log, randomHex, onFatal })
  await writeStory(store, 7, 450)
  await store.close()
})
test.after.always(() => rm(directory, { recursive: true }))

for (const kind of KINDS) {
  test(`${kind}: 150 tamperings are found against a checkpoint of the head, half by one who mends the hashes`, async (t) => {
    const { counts, problems } = await tamperAndVerify(log, kind, makeNumbers(150), 150)
    t.deepEqual(problems, [])
    t.is(counts.tamperings, 150)
  })
}

test('a log that nobody has touched is sound, and so is one that was written anew as it was', async (t) => {
  const texts = textsIn(log)
  t.true(texts.length > 200, `${texts.length} events`)
  const against = [{ name: 'head', size: texts.length, root: rootOf(texts) }]
  const copy = join(directory, 'copy.db')
  copyFileSync(log, copy)
  for (const change of [() => undefined, () => writeBack(copy)]) {
    change()
    const { found, findings, place, events } = await verifyFile(copy, against)
    t.deepEqual([found, findings, place, events], [0, [], undefined, texts.length])
  }
})

test('on a thread of its own the same is found, and a thread that fails is told', async (t) => {
  const copy = join(directory, 'judged.db')
  for (const kind of ['value changed', 'event removed', 'events swapped'] as const) {
    copyFileSync(log, copy)
    tamper(copy, rowsOf(log), kind, makeNumbers(3), false)
    const here = await verifyFile(copy, [])
    t.true(here.found > 0)
    t.deepEqual(await verifyFile(copy, [], judgeBeside), here)
  }
  await t.throwsAsync(
    verifyFile(log, [], () => judgeBeside(join(directory, 'none.db'))),
    { message: /none\.db/ },
  )
})

test('a log that is being written is sound at any moment', async (t) => {
  const written = join(directory, 'written.db')
  const store = openSqliteStore({ path: written, randomHex, onFatal })
  let isDone = false
  const story = writeStory(store, 9, 120).finally(() => {
    isDone = true
  })
  let looks = 0
  for (; !isDone; looks++) {
    t.deepEqual((await verifyFile(written, [])).findings, [])
    // The store writes between turns of the event loop, of which a short log needs none to be read.
    await setImmediate()
  }
  await story
  t.true(looks > 3, `${looks} looks`)
  await store.close()
})
