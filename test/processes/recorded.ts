/** What a log says of starts and ends. */

import type { Running } from '../http/harness.ts'
import { allEventsOf, type Event } from '../http/store/log-rows.ts'
import { until } from '../http/until.ts'

const NAMES = { ReservationStarted: 'start', ReservationEnded: 'end' } as const

export const isScheduled = ({ type }: Pick<Event, 'type'>): boolean => type in NAMES

/** Each start and end as `start 06:00:00.000Z` with the last digits of the id, in the order of the log. */
const describeScheduled = (events: readonly Pick<Event, 'type' | 'data'>[]): readonly string[] =>
  events.filter(isScheduled).map(({ type, data }) => {
    const { _id, due } = data as { _id: string; due: string }
    return `${NAMES[type as keyof typeof NAMES]} ${due.slice(11)} ${_id.slice(-4)}`
  })

/** Lets services look at the clock until their log has this many starts and ends, and a while longer. */
export const untilScheduled = async (
  services: readonly Running[],
  count: number,
  log: () => Promise<readonly Pick<Event, 'type' | 'data'>[]> = () => allEventsOf(services[0] as Running),
): Promise<readonly string[]> => {
  const tick = (): void => {
    for (const service of services) service.tick()
  }
  const enough = async (): Promise<boolean> => {
    tick()
    return (await log()).filter(isScheduled).length >= count
  }
  await until(`${count} starts and ends`, enough, 60_000)
  await settle(services)
  return describeScheduled(await log())
}

/** Lets services look at the clock often enough for anything that is due to be recorded. */
export const settle = async (services: readonly Running[]): Promise<void> => {
  for (const service of services) {
    for (let looks = 0; looks < 12; looks++) {
      service.tick()
      await service.anyone.get('/health/ready')
    }
  }
}
