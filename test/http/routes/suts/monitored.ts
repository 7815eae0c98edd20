import type { Socket } from 'node:net'
import { startSut } from '../../../gateway/peers.ts'
import type { Answer } from '../../client.ts'
import type { Running, Setting, Tidying } from '../../harness.ts'
import { lab } from '../../lab.ts'
import { POLL_MAX, until } from '../../until.ts'

export const SOON = 10_000
export const MINUTE = 60_000
/** Seconds: an interval in which a test probes by itself alone. */
export const DAY = 86_400

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

interface Given {
  /** What the machine does with a connection, which it accepts unless told otherwise. */
  readonly handle?: (socket: Socket) => void
  readonly sut?: object
  readonly setting?: Setting
}

/** A service with a SUT that is a machine of this process, and short ways to ask about it. */
export const monitoredLab = async (t: Tidying, { handle, sut: fields, setting }: Given = {}) => {
  const machine = await startSut(t, handle ?? ((socket) => socket.resume()))
  const service = await lab(t, setting, { ...LOCAL, port: machine.port, ...fields })
  const { sut: id, clock } = service
  const description = async (): Promise<string> =>
    ((await read(service, id)).json.monitoring as { status_description: string }).status_description
  return {
    ...{ ...service, service, id, machine, admin: service.as('admin'), description },
    monitor: (body: object = { interval: DAY }, headers = {}) =>
      monitor(service, id, { enabled: true, ...body }, headers),
    read: (query = '') => read(service, id, query),
    status: async () => statusOf(await read(service, id)),
    check: () => check(service, id),
    /** A second later: a SUT is checked once in one. */
    checkLater: (): Promise<Answer> => {
      clock.set(new Date(clock.now() + 1_000).toISOString())
      return check(service, id)
    },
    update: (body: object, headers = {}) => service.as('admin').post(`/api/sut/${id}/update`, body, headers),
    becomes: (status: string) => becomes(service, id, status),
    pass: (milliseconds: number, what: string, holds: () => Promise<boolean>) =>
      passing(service, milliseconds, what, holds),
    /** Changes that probes found. */
    changes: async () => (await service.recorded()).filter(({ type }) => type.startsWith('SutWent')),
  }
}
