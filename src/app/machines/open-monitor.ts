import * as E from 'fp-ts/lib/Either.js'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import { probe } from '../../gateway/probe/probe.ts'
import { type Monitor, type MonitorOptions, makeMonitor } from '../../processes/monitoring/monitor.ts'
import type { Opened } from '../accounts/opened.ts'
import { makeLogOnce } from './reports.ts'

export interface OpenMonitorOptions extends Omit<MonitorOptions, 'probe' | 'onError'>, Pick<Opened, 'vault' | 'log'> {
  /** Unix milliseconds. */
  readonly now: () => number
  /** Whether an address and port are Berth's own. Berth never connects to those. */
  readonly isOwn: (address: string, port: number) => boolean
}

/**
 * Makes the function that finds the password of a SUT; undefined if it has none.
 *
 * @throws Unreadable for one that was altered, or whose key is missing
 */
export const makePasswordOf =
  (vault: Opened['vault'], Unreadable: new (why: string) => Error = Error) =>
  async (sutId: string): Promise<string | undefined> => {
    const revealed = await vault.reveal(sutId)
    if (E.isLeft(revealed)) throw new Unreadable(revealed.left)
    return revealed.right.password || undefined
  }

/** A monitor that probes over the network with the vault's passwords. The signal also abandons probes in flight. */
export const openMonitor = (options: OpenMonitorOptions): Monitor => {
  const { vault, log, now, isOwn, signal } = options
  const logOnce = makeLogOnce(log, now)
  const passwordOf = makePasswordOf(vault, StoreUnavailable)
  return makeMonitor({
    ...options,
    probe: async ({ _id, address: host, port, sut_type }) => {
      const password = sut_type === 'vnc' ? await passwordOf(_id) : undefined
      const found = await probe({ host, port, sut_type, password }, { isOwn, signal })
      if (found?.reason !== undefined) logOnce({ sut: _id }, found.cause, 'a SUT refused a probe', found.reason)
      return found
    },
    onError: (error) => log.error({ err: error }, 'a SUT could not be probed; retrying'),
  })
}
