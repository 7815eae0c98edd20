import { copyFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { openSqliteStore } from '../../src/event-store/sqlite.ts'
import { randomHex } from '../event-store/new-events.ts'
import { makeNumbers } from '../read-models/many-reservations.ts'
import { writeStory } from './lawful-log.ts'
import { KINDS, rootOf, tamperAndVerify, textsIn, verifyFile, writeBack } from './tampering.ts'

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
