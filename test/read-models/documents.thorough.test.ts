import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { idOf, reservationCreated, reservationExtended, sutUpdated, wall } from '../domain/builders.ts'
import { at, recordedAt } from '../domain/given-when-then.ts'
import { story } from './setting.ts'

const CHILD = fileURLToPath(new URL('documents-in-child.ts', import.meta.url))

/** Includes windows in several offsets, and tags whose order depends on the language. */
const log = [
  ...story,
  ...[
    reservationCreated(idOf(90), wall('08:00', '+05:45'), wall('09:00', '-03:30')),
    reservationExtended(idOf(90), wall('10:00', '+14:00')),
    sutUpdated({ name: 'Ärger im Labor İ', tags: { z: 'z', i: 'i', I: 'I', a: 'ä', Z: 'Z', '10': '10', '9': '9' } }),
  ].map((event, n) => recordedAt(story.length + n, at('18:00', event))),
]

interface Folded {
  readonly documents: readonly string[]
  readonly ofThisMachine: string
}

const foldedUnder = (TZ: string, language: string): Folded => {
  const env = { PATH: process.env.PATH, TZ, LANG: language, LC_ALL: language }
  const { stdout, stderr, status } = spawnSync(process.execPath, [CHILD], {
    env,
    input: JSON.stringify(log),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as Folded
}

test('documents are the same, byte for byte, in any time zone and language', (t) => {
  const here = foldedUnder('UTC', 'en_US.UTF-8')
  const elsewhere = [foldedUnder('Asia/Kathmandu', 'de_DE.UTF-8'), foldedUnder('America/St_Johns', 'tr_TR.UTF-8')]
  t.true(here.documents.length > log.length)
  for (const { documents, ofThisMachine } of elsewhere) {
    t.deepEqual(documents, here.documents)
    // The control: a value from the machine's settings differs.
    t.not(ofThisMachine, here.ofThisMachine)
  }
})
