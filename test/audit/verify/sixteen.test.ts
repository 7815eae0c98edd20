import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'ava'
import { canonicalJson } from '../../../src/domain/values/canonical-json.ts'
import { leafHash } from '../../../src/event-store/stored-event.ts'
import { type } from '../../command-line/terminal.ts'
import { withoutTriggers } from '../../event-store/sqlite/without-triggers.ts'
import { idOf, start, temporaryData } from '../../http/harness.ts'
import { aReservation, createSut, reserved } from '../../http/requests.ts'

/**
 * What somebody with the `sqlite3` shell does to a copy of a log, and whether `verify` finds it: by itself, and against a
 * checkpoint that was kept. Only secrets and bookkeeping are outside of what a checkpoint signs; they are found without.
 */

interface Stored {
  readonly position: number
  readonly text: string
}
type Mutable = Record<string, unknown> & { data: Record<string, unknown>; metadata: Record<string, unknown> }

const NOW = '2030-05-02T05:58:11.400Z'

const events = (log: DatabaseSync): readonly Stored[] =>
  log.prepare('SELECT position, recorded AS text FROM event ORDER BY position').all() as unknown as readonly Stored[]

const first = (log: DatabaseSync, name: string): Stored =>
  events(log).find(({ text }) => text.includes(`"type":"${name}"`)) as Stored

/** Writes an event again, with the hash that belongs to it. */
const rehash = (log: DatabaseSync, { position, text }: Stored, change: (event: Mutable) => void): void => {
  const event = JSON.parse(text) as Mutable
  change(event)
  const written = canonicalJson(event)
  log
    .prepare('UPDATE event SET recorded = ?, leaf = ? WHERE position = ?')
    .run(written, new Uint8Array(leafHash(written)), position)
}

const lastOf = (log: DatabaseSync): Stored => events(log).at(-1) as Stored

/** Removes the last event as if it had never been, with all bookkeeping. */
const cutLast = (log: DatabaseSync): void => {
  const { position, text } = lastOf(log)
  const { stream, revision } = JSON.parse(text) as { readonly stream: string; readonly revision: number }
  const row = log.prepare('SELECT previous FROM event WHERE position = ?').get(position)
  log.prepare('DELETE FROM event WHERE position = ?').run(position)
  log.prepare('DELETE FROM head WHERE stream = ?').run(stream)
  const previous = (row as { readonly previous: number | null }).previous
  if (previous !== null) log.prepare('INSERT INTO head VALUES (?, ?, ?)').run(stream, revision - 1, previous)
  log.prepare("UPDATE meta SET value = ? WHERE name IN ('heads', 'end')").run(String(position - 1))
}

/** Adds a cancellation that nobody sent, with all bookkeeping. */
const forge = (log: DatabaseSync): void => {
  const { text } = first(log, 'ReservationCreated')
  const event = JSON.parse(text) as Mutable & { readonly stream: string }
  const { stream } = event
  const head = log.prepare('SELECT revision, position FROM head WHERE stream = ?').get(stream) as {
    readonly revision: number
    readonly position: number
  }
  const position = lastOf(log).position + 1
  const { _id } = event.data
  const forged = canonicalJson({
    ...event,
    ...{ id: crypto.randomUUID(), type: 'ReservationCancelled', revision: head.revision + 1, data: { _id } },
  })
  log
    .prepare('INSERT INTO event (position, previous, recorded, leaf) VALUES (?, ?, ?, ?)')
    .run(position, head.position, forged, new Uint8Array(leafHash(forged)))
  log.prepare('UPDATE head SET revision = ?, position = ? WHERE stream = ?').run(head.revision + 1, position, stream)
  log.prepare("UPDATE meta SET value = ? WHERE name IN ('heads', 'end')").run(String(position))
}

const swap = (log: DatabaseSync): void => {
  const [a, b] = [first(log, 'SutCreated'), first(log, 'ReservationCreated')]
  const put = log.prepare('UPDATE event SET recorded = ?, leaf = ? WHERE position = ?')
  put.run(b.text, new Uint8Array(leafHash(b.text)), a.position)
  put.run(a.text, new Uint8Array(leafHash(a.text)), b.position)
}

type Found = 'alone' | 'with a checkpoint'

const TAMPERINGS: Readonly<Record<string, readonly [(log: DatabaseSync) => void, Found]>> = {
  'a description is changed': [
    (log) => log.exec("UPDATE event SET recorded = replace(recorded, 'the old bench', 'the new bench')"),
    'alone',
  ],
  'a description is changed and hashed again': [
    (log) => rehash(log, first(log, 'SutCreated'), ({ data }) => Object.assign(data, { description: 'another' })),
    'with a checkpoint',
  ],
  'an actor is changed and hashed again': [
    (log) =>
      rehash(log, first(log, 'ReservationCreated'), ({ metadata }) =>
        Object.assign(metadata, { actor: 'f'.repeat(24) }),
      ),
    'alone',
  ],
  'a reason is changed and hashed again': [
    (log) =>
      rehash(log, first(log, 'ReservationReleased'), ({ metadata }) => Object.assign(metadata, { reason: 'another' })),
    'with a checkpoint',
  ],
  'a time is changed and hashed again': [
    (log) =>
      rehash(log, first(log, 'ReservationCreated'), ({ metadata }) =>
        Object.assign(metadata, { time: '2030-05-02T09:00:00.000Z' }),
      ),
    'alone',
  ],
  'an event is deleted': [
    (log) => log.prepare('DELETE FROM event WHERE position = ?').run(first(log, 'ReservationCreated').position),
    'alone',
  ],
  'events are swapped': [swap, 'alone'],
  'the last event is cut off, with all bookkeeping': [cutLast, 'with a checkpoint'],
  'the last event is cut off': [
    (log) => log.prepare('DELETE FROM event WHERE position = ?').run(lastOf(log).position),
    'alone',
  ],
  'an event is forged': [forge, 'alone'],
  'a hash is changed': [(log) => log.exec('UPDATE event SET leaf = zeroblob(32) WHERE position = 3'), 'alone'],
  'a password is changed': [(log) => log.exec('UPDATE vault SET ciphertext = zeroblob(40)'), 'alone'],
  'a password is removed': [(log) => log.exec('DELETE FROM vault'), 'alone'],
  'the note of the end is removed': [(log) => log.exec("DELETE FROM meta WHERE name = 'end'"), 'alone'],
  'heads of streams are removed': [(log) => log.exec('DELETE FROM head'), 'alone'],
  'a trigger is removed': [(log) => log.exec('DROP TRIGGER event_is_not_changed'), 'alone'],
}

test('sixteen ways to tamper with a log are found, those that change no rule against a checkpoint', async (t) => {
  const service = await start(t, { now: NOW, data: await temporaryData(t) })
  const [admin, alice] = [service.as('admin'), service.as('alice')]
  const sut = await createSut(admin, { description: 'the old bench', password: 'a secret' })
  const made = await reserved(alice, aReservation(sut))
  service.clock.set('2030-05-02T06:05:00.000Z')
  await alice.request('POST', `/api/sut_reservation/${made.json._id}/cancel`, { 'Berth-Reason': 'done' })
  await admin.post(`/api/user/${idOf('bob')}/update`, { role: 'auditor' })
  const checkpoint = join(await temporaryData(t), 'checkpoint')
  await writeFile(checkpoint, (await service.as('audrey').get('/api/audit/checkpoint')).text)
  await service.stop()
  const env = (data: string) => ({ BERTH_DATA: data })
  const outcomes: Record<string, Found | 'not found'> = {}
  for (const [what, [change]] of Object.entries(TAMPERINGS)) {
    const data = join(await temporaryData(t), 'data')
    // Without the views, which would show what is missing.
    await cp(service.data, data, { recursive: true, filter: (name) => !name.includes('views.db') })
    const log = new DatabaseSync(join(data, 'events.db'))
    if (what.includes('trigger')) change(log)
    else withoutTriggers(log, () => change(log))
    log.close()
    const alone = await type(['verify', '--vault'], env(data))
    const against = alone.code === 0 ? await type(['verify', '--against', checkpoint], env(data)) : alone
    outcomes[what] = alone.code !== 0 ? 'alone' : against.code !== 0 ? 'with a checkpoint' : 'not found'
  }
  t.is(Object.keys(outcomes).length, 16)
  t.deepEqual(outcomes, Object.fromEntries(Object.entries(TAMPERINGS).map(([what, [, found]]) => [what, found])))
})
