import * as E from 'fp-ts/lib/Either.js'
import { fits } from '../../domain/user/scope.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import { isOwnAddress } from '../../gateway/connections/addresses.ts'
import { probe } from '../../gateway/probe/probe.ts'
import { type Monitor, type MonitorOptions, makeMonitor } from '../../processes/monitoring/monitor.ts'
import type { Lab } from '../core/base.ts'
import { makeWarnOnce } from '../core/base.ts'

/**
 * Makes the function that finds the password of a SUT; undefined if it has none.
 *
 * @throws Unreadable for one that was altered, or whose key is missing
 */
export const makePasswordOf =
  ({ vault }: Pick<Lab, 'vault'>, Unreadable: new (why: string) => Error = Error) =>
  async (sutId: string): Promise<string | undefined> => {
    const password = await vault.passwordOf(sutId)
    if (E.isLeft(password)) throw new Unreadable(password.left)
    return password.right
  }

/**
 * A monitor that probes over the network with the vault's passwords. The signal also abandons probes in flight.
 *
 * @param ownPort of the service itself. Berth never connects to its own ports.
 */
export const openMonitor = (
  lab: Lab,
  options: Pick<MonitorOptions, 'instance' | 'useOf' | 'isServing' | 'signal'>,
  ownPort: number,
): Monitor => {
  const { config, log, clock, metrics, processClock } = lab
  const { signal } = options
  const { first, last } = config.listenPorts
  const isOwnPort = (port: number): boolean => port === ownPort || (port >= first && port <= last)
  const isOwn = (address: string, port: number): boolean => isOwnAddress(address, port, isOwnPort)
  const warnOnce = makeWarnOnce(log, clock)
  const passwordOf = makePasswordOf(lab, StoreUnavailable)
  return makeMonitor({
    ...{ ...lab, ...options, clock: processClock, onProbe: metrics.probed },
    isOurs: ({ tags }) => fits(tags, config.gateway.suts),
    probe: async ({ _id, address: host, port, sut_type }) => {
      const password = sut_type === 'vnc' ? await passwordOf(_id) : undefined
      const found = await probe({ host, port, sut_type, password }, { isOwn, signal })
      if (found?.reason !== undefined) {
        const facts = { sut: _id, why: found.cause, reason: found.reason }
        warnOnce(facts, 'a SUT refused a probe', `${_id} ${found.cause}`)
      }
      return found
    },
    onError: (error) => log.error({ err: error }, 'a SUT could not be probed; retrying'),
  })
}
