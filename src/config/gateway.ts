import { parseScope, type Scope } from '../domain/user/scope.ts'
import { durationWithin, type ReadVariable, readHost, readOneOf, readWholeNumber } from './read.ts'

/** Settings of the gateway. */
export interface GatewayConfig {
  readonly isOn: boolean
  /** The address that the ports of reservations listen on. */
  readonly host: string
  /** What clients connect to, if it is another name or address. */
  readonly publicHost?: string
  /** Who may connect: only the address that a reservation is bound to, or anybody. */
  readonly clients: 'holder' | 'any'
  /** Bits of an IPv6 address that count as one client. */
  readonly ipv6Prefix: number
  readonly connectionsOfOneMax: number
  readonly connectionsMax: number
  /** Milliseconds. */
  readonly connectTimeoutMs: number
  readonly handshakeTimeoutMs: number
  readonly halfClosedTimeoutMs: number
  /** The tags that a SUT must have to be forwarded and probed by this instance; all SUTs if there are none. */
  readonly suts: Scope
}

const upToTwoMinutes = durationWithin({ min: 'PT0.1S', max: 'PT2M' })

/** Reads the variables of the gateway. `host` is that of the service itself. */
export const readGateway = (read: ReadVariable, { host }: { readonly host: string }): GatewayConfig => {
  const publicHost = read('BERTH_GATEWAY_PUBLIC_HOST', readHost, undefined)
  return {
    isOn: read('BERTH_GATEWAY', readOneOf('on', 'off'), 'on') === 'on',
    host: read('BERTH_GATEWAY_HOST', readHost, host),
    ...(publicHost !== undefined && { publicHost }),
    clients: read('BERTH_GATEWAY_CLIENTS', readOneOf('holder', 'any'), 'holder'),
    ipv6Prefix: read('BERTH_GATEWAY_IPV6_PREFIX', readWholeNumber(1, 128), 128),
    connectionsOfOneMax: read('BERTH_GATEWAY_CONNECTIONS_OF_ONE', readWholeNumber(1, 4_096), 64),
    connectionsMax: read('BERTH_GATEWAY_CONNECTIONS_MAX', readWholeNumber(1, 65_536), 4_096),
    connectTimeoutMs: read('BERTH_GATEWAY_CONNECT_TIMEOUT', upToTwoMinutes, 10_000),
    handshakeTimeoutMs: read('BERTH_GATEWAY_HANDSHAKE_TIMEOUT', upToTwoMinutes, 30_000),
    halfClosedTimeoutMs: read(
      'BERTH_GATEWAY_HALF_CLOSED_TIMEOUT',
      durationWithin({ min: 'PT1S', max: 'P1D' }),
      300_000,
    ),
    suts: read('BERTH_GATEWAY_SUTS', parseScope, {}),
  }
}
