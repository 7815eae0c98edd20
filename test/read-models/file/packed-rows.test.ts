import assert from 'node:assert/strict'
import test from 'ava'
import fc from 'fast-check'
import { projections } from '../../../projections/index.ts'
import type { Recorded } from '../../../src/domain/event.ts'
import { makeEventId } from '../../../src/domain/values/ids.ts'
import { packRows, unpackRows } from '../../../src/read-models/file/packed-rows.ts'
import { openViewsFile, type ViewsFile } from '../../../src/read-models/file/views-file.ts'
import { makePending } from '../../../src/read-models/projector/pending.ts'
import { ID_BYTES, idBytes } from '../../../src/read-models/tables/log-index.ts'
import { idOf, reservationCreated, sutCreated, sutUpdated } from '../../domain/builders.ts'
import { at, recordedAt } from '../../domain/given-when-then.ts'
import { logged, randomHex } from '../../event-store/new-events.ts'
import { story } from '../setting.ts'

/** Every row of every table. */
const contents = (file: ViewsFile): readonly string[] =>
  file.tables.flatMap(({ name, rows }) => [...rows()].map((row) => JSON.stringify({ name, ...row })))

/** What rows fill when they are staged here, and when they are passed to another thread. */
const bothWays = (events: readonly Recorded[]) => {
  const [here, there] = [openViewsFile(':memory:', projections), openViewsFile(':memory:', projections)]
  const pending = makePending(projections, here)
  for (const [n, event] of events.entries()) pending.fold(logged(event), n)
  const rows = pending.takeUnstaged()
  here.stage(rows)
  there.stage(unpackRows(structuredClone(packRows(rows))))
  const filled = [here, there].map((file) => {
    file.settle()
    const all = contents(file)
    file.close()
    return all
  })
  return { here: filled[0] ?? [], there: filled[1] ?? [] }
}

test('rows passed to another thread fill the same tables, even with an invalid event id', (t) => {
  const { here, there } = bothWays(
    story.map((event, n) => ({ ...event, id: n === 3 ? 'z'.repeat(36) : makeEventId(n, randomHex(10)) })),
  )
  t.true(here.length > 2 * story.length)
  t.deepEqual(there, here)
})

test('another thread numbers SUTs and users in the order in which the log names them', (t) => {
  const other = sutCreated({ _id: idOf(99) })
  const events = [
    sutCreated(),
    other,
    reservationCreated(idOf(1), '08:00', '09:00'),
    sutUpdated({ tags: { rack: '4' } }),
  ]
  const tagged = { type: 'SutUpdated', data: { _id: idOf(99), tags: { rack: '4' } } } as const
  const { here, there } = bothWays([...events, tagged].map((event, n) => recordedAt(n, at('05:00', event))))
  t.is(here.filter((row) => row.includes('"name":"rack"')).length, 2)
  t.deepEqual(there, here)
})

test('the ids of any number of events are packed into bytes in order', (t) => {
  const ids = Array.from({ length: 400_000 }, () => makeEventId(0, '0'.repeat(20)))
  ids[ids.length - 1] = makeEventId(1, 'f'.repeat(20))
  const bytes = idBytes(ids)
  t.is(bytes.length, ids.length * ID_BYTES)
  t.true(bytes.subarray(-ID_BYTES).equals(idBytes(ids.slice(-1))))
})

test('each id is packed into 16 bytes, and an invalid one does not affect the others', (t) => {
  const digits = fc.stringMatching(/^[\da-f-]{28,40}$/)
  const edited = fc.tuple(fc.uuid(), fc.nat(35), fc.constantFrom('-', 'z', 'é', '', '0')).map(([id, at, put]) => {
    return id.slice(0, at) + put + id.slice(at + 1)
  })
  const eachAlone = fc.property(fc.array(fc.oneof(fc.uuid(), digits, edited), { minLength: 1 }), (ids) => {
    const alone = ids.map((id) => idBytes([id]))
    for (const bytes of alone) assert.equal(bytes.length, ID_BYTES)
    assert.ok(idBytes(ids).equals(Buffer.concat(alone)))
  })
  t.notThrows(() => fc.assert(eachAlone, { numRuns: 300 }))
  const id = '01bb4b2f-1ec8-7235-bc1b-209714e3cd93'
  t.is(idBytes([id]).toString('hex'), id.replaceAll('-', ''))
  const [long, short] = [`${id.slice(0, 35)}-a7`, `${id.slice(0, 34)}-`]
  t.true(idBytes([long, short]).equals(Buffer.concat([idBytes([long]), idBytes([short])])))
})
