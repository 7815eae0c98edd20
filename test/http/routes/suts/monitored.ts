import type { Answer } from '../../client.ts'
import type { Running } from '../../harness.ts'
import { POLL_MAX, until } from '../../until.ts'
import '../../documents/fit-answers.ts'

export const SOON = 10_000
export const MINUTE = 60_000

/** What a SUT's `monitoring` says. */
export const statusOf = ({ json }: Answer): string => (json.monitoring as { status: string }).status

export const monitor = (service: Running, id: string, body: object, headers = {}): Promise<Answer> =>
  service.as('admin').post(`/api/sut/${id}/monitoring`, body, headers)

export const read = (service: Running, id: string, query = ''): Promise<Answer> =>
  service.as('admin').get(`/api/sut/${id}${query}`)

/**
 * Moves the clock by a second at a time and lets Berth look at it, until something holds. That is asked before each
 * second: another one could bring another probe.
 */
export const passing = async (
  service: Running,
  milliseconds: number,
  what: string,
  holds: () => Promise<boolean>,
): Promise<void> => {
  const end = service.clock.now() + milliseconds
  await until(
    what,
    async () => {
      if (await holds()) return true
      service.clock.set(new Date(Math.min(end, service.clock.now() + 1_000)).toISOString())
      service.tick()
      return false
    },
    SOON + (milliseconds / 1_000) * POLL_MAX,
  )
}
export const becomes = (service: Running, id: string, status: string): Promise<void> =>
  passing(service, MINUTE, status, async () => statusOf(await read(service, id)) === status)

export const check = (service: Running, id: string): Promise<Answer> =>
  service.as('admin').post(`/api/sut/${id}/check`, {})

export const LOCAL = { address: '127.0.0.1', sut_type: 'tcp' }
