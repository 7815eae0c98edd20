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
import { KINDS, rootOf, rowsOf, tamper, textsIn, writeBack } from './tampering.ts'
import { verifyFile } from './verify-file.ts'

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
  test(`${kind}: each tampering, with matching hashes or not, is found at its place against checkpoints`, async (t) => {
    const [rows, number, copy] = [rowsOf(log), makeNumbers(150), `${log}.${KINDS.indexOf(kind)}`]
    const texts = rows.map(({ text }) => text)
    const sizes = [1, 2, 3].map((third) => Math.floor((texts.length * third) / 3))
    const against = sizes.map((size) => ({ name: `at ${size}`, size, root: rootOf(texts.slice(0, size)) }))
    for (let n = 0; n < rounds(6, 150); n++) {
      const isKnowing = n % 2 === 0
      copyFileSync(log, copy)
      const first = tamper(copy, rows, kind, number, isKnowing)
      const { findings, place } = await verifyFile(copy, against)
      const what = `at ${first} with ${isKnowing ? 'matching' : 'old'} hashes`
      t.true(place !== undefined && place.unchanged_up_to < first && first < place.differs_before, what)
      if (isKnowing || (kind !== 'value changed' && kind !== 'bytes edited')) continue
      t.true(
        findings.some(({ position, what }) => position === first && what.includes('its hash')),
        what,
      )
    }
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
