import { copyFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import test from 'ava'
import { openSqliteStore } from '../../../src/event-store/sqlite/store.ts'
import { randomHex } from '../../event-store/new-events.ts'
import { makeNumbers } from '../../read-models/lists/many-reservations.ts'
import { rounds } from '../../thorough.ts'
import { writeStory } from './lawful-log.ts'
import { tamperAndVerify, verifyFile } from './tamper-and-verify.ts'
import { KINDS, rootOf, textsIn, writeBack } from './tampering.ts'

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
  test(`${kind}: tamperings, half with matching hashes, are found against checkpoints`, async (t) => {
    const tamperings = rounds(6, 150)
    const { counts, problems } = await tamperAndVerify(log, kind, makeNumbers(150), tamperings)
    t.deepEqual(problems, [])
    t.is(counts.tamperings, tamperings)
  })
}

test('an untouched log is sound, and so is one rewritten unchanged', async (t) => {
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

test('a log is sound at any moment while it is written', async (t) => {
  const written = join(directory, 'written.db')
  const store = openSqliteStore({ path: written, randomHex, onFatal })
  let isDone = false
  const story = writeStory(store, 9, 120).finally(() => {
    isDone = true
  })
  let checks = 0
  for (; !isDone; checks++) {
    t.deepEqual((await verifyFile(written, [])).findings, [])
    // Yield to the event loop, in which the store writes: reading a short log does not.
    await setImmediate()
  }
  await story
  t.true(checks > 3, `${checks} checks`)
  await store.close()
})
