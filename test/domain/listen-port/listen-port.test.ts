import test from 'ava'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import type { Event } from '../../../src/domain/event.ts'
import { listenPortDecider, type PortRange } from '../../../src/domain/listen-port/decide.ts'
import { idOf } from '../builders.ts'
import { at, type Decision, decided, type Past, records, refusal, stories } from '../given-when-then.ts'

const { given } = stories(listenPortDecider)
const RANGE: PortRange = { first: 20000, last: 20003 }

const assign = (range = RANGE) => ({ type: 'AssignListenPorts' as const, range, randoms: ['aabbccddeeff0011'] })
const release = (n: number) => ({ type: 'ReleaseListenPort' as const, sut_id: idOf(n) })
const assigned = (n: number, listen_port: number): Event => ({
  type: 'ListenPortAssigned',
  data: { listen_port, sut_id: idOf(n) },
})
const released = (n: number, listen_port: number): Event => ({
  type: 'ListenPortReleased',
  data: { listen_port, sut_id: idOf(n) },
})
const portOf = (story: ReturnType<typeof given>, range = RANGE): number => {
  const { data } = decided(story.when(assign(range), '06:00'))
  return 'listen_port' in data ? data.listen_port : -1
}
const full = [20000, 20001, 20002, 20003].map((port, n): Past => at('05:00', assigned(n, port)))

test('a new SUT gets the first port of the range and an id with its creation time', (t) => {
  const id = '59081ff3aabbccddeeff0011'
  const event: Event = { type: 'ListenPortAssigned', data: { listen_port: 20000, sut_id: id } }
  t.deepEqual(given().when(assign(), '2017-05-02T05:58:11.400Z'), records(event))
})

test('several SUTs get as many ports at once, or none of them gets one', (t) => {
  const several = (count: number) => ({
    ...{ type: 'AssignListenPorts' as const, range: RANGE },
    randoms: Array.from({ length: count }, (_, n) => String(n).padStart(16, '0')),
  })
  const back = given(...full, at('05:01', released(2, 20002)), at('05:02', released(0, 20000)))
  const portsOf = (decision: Decision) =>
    E.isRight(decision) ? decision.right.map(({ data }) => ('listen_port' in data ? data.listen_port : -1)) : []
  t.deepEqual(portsOf(given(at('05:00', assigned(9, 20001))).when(several(2), '06:00')), [20000, 20002])
  t.deepEqual(portsOf(back.when(several(2), '06:00')), [20002, 20000])
  const { code, detail } = refusal(back.when(several(3), '06:00'))
  t.is(code, 'listen_ports_exhausted')
  t.regex(detail, /^These are 3 SUTs, and 2 of the listen_ports from 20000 to 20003 are free/)
})

test('of the released ports, the one longest free is assigned next', (t) => {
  const back = [at('05:01', released(2, 20002)), at('05:02', released(0, 20000)), at('05:03', released(3, 20003))]
  t.is(portOf(given(...full, ...back)), 20002)
  t.is(portOf(given(...full, ...back, at('05:04', assigned(7, 20002)))), 20000)
  const backAgain = [at('05:04', assigned(7, 20002)), at('05:05', released(7, 20002))]
  t.is(portOf(given(...full, ...back, ...backAgain)), 20000, 'a port released again has been free for less time')
})

test('an assignment records its time, which is the creation time of the SUT', (t) => {
  const { state } = given(at('2030-05-02T05:58:11.400Z', assigned(1, 20000)))
  t.deepEqual(state.assigned, [{ sut_id: idOf(1), listen_port: 20000, time: Date.parse('2030-05-02T05:58:11.400Z') }])
})

type Step = { readonly give: true; readonly range: PortRange } | { readonly give: false; readonly which: number }

const arbitrarySteps = (): fc.Arbitrary<readonly Step[]> => {
  const range = fc.record({ first: fc.integer({ min: 1, max: 8 }), size: fc.integer({ min: 0, max: 6 }) })
  const give = range.map(({ first, size }) => ({ give: true as const, range: { first, last: first + size } }))
  const back = fc.nat(20).map((which) => ({ give: false as const, which }))
  return fc.array(fc.oneof(give, back), { maxLength: 40 })
}

/** Assigned ports, and the release times of free ones; any other port was never used. */
type Model = { readonly taken: Map<number, number>; readonly freeSince: Map<number, number> }

const expectedPort = ({ taken, freeSince }: Model, { first, last }: PortRange): number | undefined =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i)
    .filter((port) => !taken.has(port))
    .sort((a, b) => (freeSince.get(a) ?? -1) - (freeSince.get(b) ?? -1) || a - b)[0]

test('property: the port longest free is assigned, and none twice', (t) => {
  const property = fc.property(arbitrarySteps(), (steps) => {
    const model: Model = { taken: new Map(), freeSince: new Map() }
    const past: Past[] = []
    for (const [n, step] of steps.entries()) {
      const story = given(...past)
      if (step.give) {
        const expected = expectedPort(model, step.range)
        if (expected === undefined) {
          t.is(refusal(story.when(assign(step.range), '06:00')).code, 'listen_ports_exhausted')
          continue
        }
        t.is(portOf(story, step.range), expected)
        past.push(at('05:00', assigned(n, expected)))
        model.taken.set(expected, n)
      } else {
        const held = [...model.taken].at(step.which % Math.max(model.taken.size, 1))
        if (held === undefined) continue
        const [port, sut] = held
        t.deepEqual(story.when(release(sut), '06:00'), records(released(sut, port)))
        past.push(at('05:00', released(sut, port)))
        model.taken.delete(port)
        model.freeSince.set(port, n)
      }
    }
  })
  fc.assert(property)
})
