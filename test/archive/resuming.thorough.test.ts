import test from 'ava'
import { sutStream } from '../../src/domain/values/ids.ts'
import { toStorePosition } from '../../src/domain/values/position.ts'
import type { EventStore } from '../../src/event-store/event-store.ts'
import { idOf } from '../domain/builders.ts'
import { startProtocolServer } from '../event-store/eventstoredb/protocol/protocol-server.ts'
import { aVaultKey } from '../event-store/eventstoredb/service/instances.ts'
import { aLogOn } from '../event-store/eventstoredb/subject.ts'
import { start } from '../http/harness.ts'
import { aTarget, copied, fails, prepared } from './copying.ts'
import { anEmbeddedLog, notes, record, textsOf } from './histories.ts'

const server = await startProtocolServer()
test.after.always(server.close)

/** A target that fails from the nth append. For odd n the events are written and only the answer is lost. */
const failing = (target: EventStore, after: number): EventStore => {
  let count = 0
  return {
    ...target,
    append: async (...given) => {
      if (count++ < after) return target.append(...given)
      if (after % 2 === 0) return { _tag: 'Left', left: 'unavailable' }
      await target.append(...given)
      return { _tag: 'Left', left: 'unknown' }
    },
  }
}

const UNFINISHED = {
  message: /^the event store contains an unfinished copy of the log [0-9a-f]{24}: run "copy" again$/,
}

test('a copy interrupted after any append is completed by a second run, without duplicates', async (t) => {
  const runs = Array.from({ length: 9 }, (_, n) => notes(sutStream(idOf(n % 3)), 1 + (n % 2), `run ${n}`))
  const { store: source } = await anEmbeddedLog(t)
  await record(source, runs)
  const texts = await textsOf(source)
  for (let after = 0; after < runs.length; after++) {
    const address = aLogOn(server.address)
    const target = await aTarget(t, source, address)
    const why = /^stopped after event -?\d+: the target .*; once it .*, run the copy again to resume$/
    await fails(t, source, failing(target, after), why)
    const there = await textsOf(target)
    t.deepEqual(there, texts.slice(0, there.length))
    await target.close()
    if (after === 4) {
      const environment = { BERTH_EVENT_STORE: address, BERTH_VAULT_KEY: aVaultKey() }
      await t.throwsAsync(start(t, { environment }), UNFINISHED, 'no service starts on it')
      const { store: other } = await anEmbeddedLog(t)
      await t.throwsAsync(aTarget(t, other, address), undefined, 'a copy of another log is refused')
    }
    const again = await aTarget(t, source, address)
    t.is((await copied(source, again)).found, there.length)
    t.deepEqual(await textsOf(again), texts)
  }
})

test('a source changed since the start of the copy is detected, and nothing is appended', async (t) => {
  const { source, target } = await prepared(t, server.address, [notes(sutStream(idOf(1)), 4, 'first')])
  await copied(source, target)
  const before = await textsOf(target)
  const changed: Readonly<Record<string, (texts: readonly string[]) => readonly string[]>> = {
    'an event was altered': (texts) => texts.map((text, n) => (n === 2 ? text.replace('first', 'other') : text)),
    'it is shorter': (texts) => texts.slice(0, 3),
    'events were swapped': (texts) => [texts[0], texts[2], texts[1], texts[3]] as string[],
  }
  for (const [what, change] of Object.entries(changed)) {
    const texts = change(before)
    const other: EventStore = {
      ...source,
      async *records(after) {
        yield texts
          .map((text, n) => ({ text, storePosition: toStorePosition(n) }))
          .filter(({ storePosition }) => storePosition > after)
      },
    }
    await fails(t, other, target, /^the target is not empty: its event [123] is not in the source$/, what)
    t.deepEqual(await textsOf(target), before)
  }
})

test('new events of the source are copied by a second run', async (t) => {
  const { source, target } = await prepared(t, server.address, [notes(sutStream(idOf(1)), 4, 'first')])
  await copied(source, target)
  await record(source, [notes(sutStream(idOf(1)), 2, 'second'), notes(sutStream(idOf(2)), 1, 'third')])
  const { events, found } = await copied(source, target)
  t.deepEqual([events, found], [7, 4])
  t.deepEqual(await textsOf(target), await textsOf(source))
})
