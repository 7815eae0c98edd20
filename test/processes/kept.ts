import type { Running } from '../http/harness.ts'
import { allEventsOf } from '../http/store/log-rows.ts'
import { until } from '../http/until.ts'
import { settle } from './recorded.ts'

/** Seconds that the clock moves at a time. More than ten would be a break, as a suspension is. */
const STEP = 5
const LONG_STEP = 9

const advance = (services: readonly Running[], seconds: number): void => {
  for (const { clock } of services) clock.set(new Date(clock.now() + seconds * 1000).toISOString())
}

/** Lets time pass at services, and lets them act on it every few seconds of it. */
export const pass = async (services: readonly Running[], seconds: number): Promise<void> => {
  for (let left = seconds; left > 0; left -= STEP) {
    advance(services, Math.min(STEP, left))
    await settle(services)
  }
}

/** The same, for a time in which they only look at the clock, and act at its end. */
export const passIdle = async (services: readonly Running[], seconds: number): Promise<void> => {
  for (let left = seconds; left > 0; left -= LONG_STEP) {
    advance(services, Math.min(LONG_STEP, left))
    for (const { tick, anyone } of services) {
      tick()
      await anyone.get('/health/live')
    }
  }
  await settle(services)
}

/** Sets the clock, and lets a service notice. */
export const jumpTo = async (service: Running, time: string): Promise<void> => {
  service.clock.set(time)
  await settle([service])
}

interface Logged {
  readonly type: string
  readonly data: object
  readonly metadata: { readonly actor: string; readonly time: string }
}
type Log = () => Promise<readonly Logged[]>

/** What kept reservations alive and what released them, as `kept alice 06:00:31.000` in the order of the log. */
export const keptAndReleased = async (log: Log): Promise<readonly string[]> =>
  (await log()).flatMap(({ type, data, metadata }) => {
    const time = metadata.time.slice(11, -1)
    if (type === 'ReservationKept') return [`kept by ${metadata.actor} ${time}`]
    if (type !== 'ReservationReleased') return []
    return [`released by ${metadata.actor} ${time} ${(data as { cause?: string }).cause ?? ''}`.trimEnd()]
  })

/** Lets services look at the clock until something is in the log, and a while longer. */
export const untilKeptOrReleased = async (
  services: readonly Running[],
  count: number,
  log: Log = () => allEventsOf(services[0] as Running),
): Promise<readonly string[]> => {
  const isThere = async (): Promise<boolean> => {
    for (const service of services) service.tick()
    return (await keptAndReleased(log)).length >= count
  }
  await until(`${count} records`, isThere, 20_000)
  await settle(services)
  return keptAndReleased(log)
}
