import { parseScope, type Scope } from '../../domain/user/scope.ts'
import { durationWithin, type ReadVariable, readHost, readOneOf, readWholeNumber } from './read.ts'

const upToTwoMinutes = durationWithin({ min: 'PT0.1S', max: 'PT2M' })

/** Reads the settings of the gateway. `host` is that of the service itself. Times are in milliseconds. */
export const readGateway = (read: ReadVariable, { host }: { readonly host: string }) => {
  const publicHost = read('BERTH_GATEWAY_PUBLIC_HOST', readHost, undefined)
  return {
    isOn: read('BERTH_GATEWAY', readOneOf('on', 'off'), 'on') === 'on',
    /** The address that the ports of reservations listen on. */
    host: read('BERTH_GATEWAY_HOST', readHost, host),
    /** What clients connect to, if it is another name or address. */
    ...(publicHost !== undefined && { publicHost }),
    /** Who may connect: only the address that a reservation is bound to, or anybody. */
    clients: read('BERTH_GATEWAY_CLIENTS', readOneOf('holder', 'any'), 'holder'),
    /** Bits of an IPv6 address that count as one client. */
    ipv6Prefix: read('BERTH_GATEWAY_IPV6_PREFIX', readWholeNumber(1, 128), 128),
    connectionsOfOneMax: read('BERTH_GATEWAY_CONNECTIONS_OF_ONE', readWholeNumber(1, 4_096), 64),
    connectionsMax: read('BERTH_GATEWAY_CONNECTIONS_MAX', readWholeNumber(1, 65_536), 4_096),
    connectTimeoutMs: read('BERTH_GATEWAY_CONNECT_TIMEOUT', upToTwoMinutes, 10_000),
    handshakeTimeoutMs: read('BERTH_GATEWAY_HANDSHAKE_TIMEOUT', upToTwoMinutes, 30_000),
    /** The tags that a SUT must have to be forwarded and probed by this instance; all SUTs if there are none. */
    suts: read<Scope, Scope>('BERTH_GATEWAY_SUTS', parseScope, {}),
  }
}

export type GatewayConfig = Readonly<ReturnType<typeof readGateway>>
