import test from 'ava'
import fc from 'fast-check'
import { makeNewEvents } from '../../src/commands/command-envelope.ts'
import { EVENT_TYPES, type Event } from '../../src/domain/event.ts'
import { toStorePosition } from '../../src/domain/values/position.ts'
import { decodeEvent, encodeEvent } from '../../src/event-store/stored-event.ts'
import { arbitraryData } from '../domain/arbitrary-events.ts'
import { randomHex } from '../event-store/new-events.ts'

const SENDER = {
  actor: { _id: '590780914445534540190000', role: 'tester', scope: '' },
  requestId: 'r',
  reason: 'why',
} as const

type Members = Readonly<Record<string, unknown>>
const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The same value, with the members of each object in any order. */
const inAnyOrder = (value: unknown): fc.Arbitrary<unknown> => {
  if (Array.isArray(value)) return fc.tuple(...value.map(inAnyOrder))
  if (!isMembers(value)) return fc.constant(value)
  const names = Object.keys(value)
  return fc
    .tuple(
      fc.shuffledSubarray(names, { minLength: names.length }),
      fc.tuple(...names.map((name) => inAnyOrder(value[name]))),
    )
    .map(([order, values]) => Object.fromEntries(order.map((name) => [name, values[names.indexOf(name)]])))
}

test('an event of any type is folded at once as it is read from the log, whatever the order of its members', (t) => {
  for (const type of EVENT_TYPES) {
    const shuffled = (arbitraryData[type] as fc.Arbitrary<object>).chain(inAnyOrder)
    const property = fc.property(shuffled, (data) => {
      const [event] = makeNewEvents([{ type, data } as Event], SENDER, Date.UTC(2030, 4, 2), randomHex)
      if (event === undefined) throw new Error('no event was made')
      const read = decodeEvent(encodeEvent('a-stream', 0, event), toStorePosition(0))
      // As text, since the order of members counts.
      t.is(JSON.stringify([event.data, event.metadata]), JSON.stringify([read.data, read.metadata]))
    })
    fc.assert(property, { numRuns: 50 })
  }
})
