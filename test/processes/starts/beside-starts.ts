import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { basic, connectTo } from '../../http/client.ts'
import type { Tidying } from '../../http/harness.ts'
import { aReservation, createSut, reserve } from '../../http/requests.ts'
import type { Part } from '../../long-parts.ts'

/** Latencies of creates without and beside thousands of starts in the same second. */

const SERVICE = fileURLToPath(new URL('starting-service.ts', import.meta.url))
const DUE = '2030-05-02T06:00:00.000Z'
const CLIENTS = 4
const SUTS = 16
const QUARTER = 900_000
/** Milliseconds of the measurement without starts. */
const ALONE = 4_000

const p99 = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * 0.99)] as number

/** Milliseconds until all starts were recorded, and 99th percentiles of creates without and beside them. */
const besideStarts = async (scope: Tidying, count: number) => {
  const service = fork(SERVICE, [String(count)])
  const ended = once(service, 'exit')
  scope.teardown(async () => {
    if (service.connected) service.disconnect()
    await ended
  })
  const [port] = (await once(service, 'message')) as [number]
  const connections = connectTo(port)
  scope.teardown(connections.close)
  const [admin, alice] = ['admin', 'alice'].map((name) => connections.client({ Authorization: basic(name) })) as [
    ReturnType<typeof connections.client>,
    ReturnType<typeof connections.client>,
  ]
  const suts = await Promise.all(Array.from({ length: SUTS }, () => createSut(admin)))
  let made = 0
  const create = async (): Promise<number> => {
    const sut = suts[made % SUTS] as string
    const start = Date.parse(DUE) + (1 + Math.floor(made++ / SUTS)) * QUARTER
    const window = { start_time: new Date(start).toISOString(), end_time: new Date(start + QUARTER).toISOString() }
    const begun = performance.now()
    const { status, text } = await reserve(alice, aReservation(sut, window))
    if (status !== 201) throw new Error(`${status}: ${text}`)
    return performance.now() - begun
  }
  const createWhile = async (goesOn: () => boolean): Promise<readonly number[]> => {
    const times: number[] = []
    const client = async (): Promise<void> => {
      while (goesOn()) times.push(await create())
    }
    await Promise.all(Array.from({ length: CLIENTS }, client))
    return times
  }
  const createFor = (milliseconds: number): Promise<readonly number[]> => {
    const end = performance.now() + milliseconds
    return createWhile(() => performance.now() < end)
  }
  const recorded = async (): Promise<number> => {
    const { text } = await admin.get('/metrics')
    return Number(/^berth_schedule_lag_seconds_count\{what="start"\} (\d+)$/m.exec(text)?.[1])
  }
  await createFor(ALONE / 2)
  const before = await createFor(ALONE)
  service.send(DUE)
  const begun = performance.now()
  let isDone = false
  const all = (async () => {
    while ((await recorded()) < count) await delay(50)
    isDone = true
    return performance.now() - begun
  })()
  const beside = await createWhile(() => !isDone)
  // Half before and half after, so that work of others on the machine disturbs both measurements alike.
  const alone = [...before, ...(await createFor(ALONE))]
  const [without, withThem] = [p99(alone), p99(beside)]
  return {
    starts: count,
    within: await all,
    creates: { alone: alone.length, beside: beside.length },
    alone: without,
    beside: withThem,
    ratio: withThem / without,
  }
}

export const starts: Part = {
  name: 'starts',
  what: '10,000 reservations begin in the same second, while others are made: all are recorded',
  run: async (scope, { count = 10_000 }) => {
    return { counts: await besideStarts(scope, count), problems: [] }
  },
}
