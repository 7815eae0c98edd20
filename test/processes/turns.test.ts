/** Thousands of SUTs, sessions or reservations hold no request up: a few are looked at in a turn of the event loop. */

import { setImmediate as turn } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { makeForwarded } from '../../src/processes/forwarded.ts'
import { makeForwarding } from '../../src/processes/forwarding.ts'
import { makeMonitor } from '../../src/processes/monitoring/monitor.ts'
import { followMonitored } from '../../src/processes/monitoring/monitored.ts'
import { makeUpcomingReservations } from '../../src/processes/upcoming.ts'
import type { Views } from '../../src/read-models/views.ts'
import { clock, idOf, reservationExtended, wall } from '../domain/builders.ts'
import { fakeViews, rowOf } from './fake-views.ts'

const MANY = 1_500
/** Documents looked up in a turn. A hundred items need up to four each. */
const IN_A_TURN = 500

/** Counts calls by turns of the event loop. */
const countByTurns = () => {
  let [all, here, most] = [0, 0, 0]
  return {
    called: (): void => {
      all++
      most = Math.max(most, ++here)
    },
    during: async (act: () => Promise<unknown>): Promise<{ readonly all: number; readonly most: number }> => {
      let isDone = false
      const acting = act().finally(() => {
        isDone = true
      })
      while (!isDone) {
        here = 0
        await turn()
      }
      await acting
      return { all, most }
    },
  }
}

/** Views whose lists have one page after the other of as many documents. */
const manyDocuments = (documentOf: (kind: string, n: number) => object, called: () => void) => {
  const read = (async (_: string, query: { readonly createdBefore?: number; readonly limit: number }) => {
    const from = query.createdBefore ?? MANY
    const documents = Array.from({ length: Math.min(query.limit, from) }, (_, n) =>
      JSON.stringify(documentOf('listed', from - 1 - n)),
    )
    return { position: 0, listed: { documents, count: MANY } }
  }) as unknown as Views['read']
  const newest = ((kind: string, id: string) => {
    called()
    const n = Number.parseInt(id, 16)
    const internal = JSON.stringify({ status: 'unknown', settings: { monitoring_interval: 60 } })
    return { document: JSON.stringify(documentOf(kind, n)), internal, ended: null, created: n, observed: 0 }
  }) as unknown as Views['newest']
  return { read, newest, watch: () => () => undefined }
}

test('reading which SUTs are monitored looks at a few in a turn', async (t) => {
  const { called, during } = countByTurns()
  const documentOf = (_: string, n: number): object => ({ _id: idOf(n) })
  const suts = followMonitored({
    views: manyDocuments(documentOf, called),
    sinceBoot: () => 0,
    onChanged: () => undefined,
  })
  const { all, most } = await during(suts.load)
  t.is(suts.size(), MANY)
  t.true(all > MANY && most <= IN_A_TURN, `${all} documents, ${most} in a turn`)
})

/** Forwards as many reservations from 06:00 to 07:00. */
const forwardingMany = async (t: ExecutionContext, isOurs: boolean) => {
  const { fake, views } = fakeViews()
  fake.rows = Array.from({ length: MANY }, (_, n) => rowOf(idOf(n), '06:00', '07:00'))
  const { called, during } = countByTurns()
  const time = { now: clock('06:10') }
  const upcoming = makeUpcomingReservations({ views, clock: () => time.now })
  const stop = new AbortController()
  const [opened, closed] = [new Set<string>(), [] as string[]]
  const forwarding = makeForwarding({
    ...{ upcoming, views, accessSince: () => 0, signal: stop.signal, onError: (error) => t.fail(String(error)) },
    forwarded: makeForwarded({ clock: () => time.now, alarms: { raise: t.fail, clear: t.fail } }),
    gateway: {
      open: async ({ reservationId }) => {
        opened.add(reservationId)
        return true
      },
      close: (id) => {
        opened.delete(id)
        closed.push(id)
      },
      cut: () => undefined,
      reconsider: () => undefined,
    },
    clock: { now: () => time.now, mayAct: () => true },
    targetOf: () => {
      called()
      return { host: '127.0.0.1', port: 1, protocol: 'tcp', isOurs }
    },
  })
  await upcoming.load()
  t.teardown(() => stop.abort())
  return { fake, time, opened, closed, forwarding, during }
}

for (const [what, isOurs] of [
  ['reservations that begin at once are forwarded a few in a turn', true],
  ['reservations that another instance forwards are looked at a few in a turn', false],
] as const) {
  test(what, async (t) => {
    const { time, opened, forwarding, during } = await forwardingMany(t, isOurs)
    const { all, most } = await during(async () => {
      await forwarding.tick()
      t.is(opened.size, isOurs ? MANY : 0)
      // A second later, those that are not forwarded are looked at again.
      time.now += 1_000
      await forwarding.tick()
    })
    t.true(all >= 2 * MANY && most <= IN_A_TURN, `${all} SUTs, ${most} in a turn`)
  })
}

test('a reservation whose extension is seen while others end stays open', async (t) => {
  const { fake, time, opened, closed, forwarding } = await forwardingMany(t, true)
  await forwarding.tick()
  time.now = clock('07:00')
  const ending = forwarding.tick()
  await turn()
  t.true(closed.length > 0 && closed.length < MANY, `${closed.length} have ended`)
  const last = [...opened].at(-1)
  fake.tell('06:59', reservationExtended(String(last), wall('08:00')))
  await ending
  t.deepEqual([...opened], [last])
  t.is(closed.length, MANY - 1)
})

test('due SUTs that another instance probes are looked at a few in a turn, also while all slots are taken', async (t) => {
  const { called, during } = countByTurns()
  const documentOf = (_: string, n: number): object => ({ _id: idOf(n) })
  const stop = new AbortController()
  const [looked, ours] = [new Set<string>(), new Set<string>()]
  const { promise: answered, resolve: answer } = Promise.withResolvers<'unanswered'>()
  const monitor = makeMonitor({
    ...{ views: { ...manyDocuments(documentOf, called), waitForStorePosition: async () => true }, instance: 'a' },
    ...{ runner: { run: () => t.fail() as never }, sinceBoot: () => 0, signal: stop.signal, isServing: () => true },
    clock: { now: () => 0, mayAct: () => true, mayRecord: () => true, confirm: () => undefined },
    probe: () => t.fail() as never,
    useOf: () => answered,
    isOurs: ({ _id }) => {
      called()
      looked.add(_id)
      if (ours.size < 64) ours.add(_id)
      return ours.has(_id)
    },
    makeRequestId: () => '',
    onProbe: () => undefined,
    onError: (error) => t.fail(String(error)),
  })
  const { most } = await during(async () => {
    for (; looked.size < MANY; await turn()) await monitor.tick()
    answer('unanswered')
    await turn()
  })
  t.true(most <= IN_A_TURN, `${most} in a turn`)
})
