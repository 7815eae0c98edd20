import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect as connectPlainly } from 'node:net'
import { connect } from 'node:tls'
import type { EventStoreDbAddress } from './address.ts'

const CONNECT_TIMEOUT_MS = 2_000

/** OpenSSL's reasons that only another authority in the configuration, or another certificate, remedies. */
const UNTRUSTED: readonly unknown[] = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
]

type Host = EventStoreDbAddress['hosts'][number]

/** Why no connection to a node succeeds, if none does. */
interface NodeFailure {
  /** Like `one.lab.example:2113: connect ECONNREFUSED 192.0.2.1:2113`. */
  readonly reason: string
  readonly isUntrusted: boolean
}

/** Why no connection succeeds; undefined if one does. */
const whyUnreachable = async ({ address, port }: Host, tls: boolean, ca: Buffer | undefined) => {
  const socket = tls
    ? connect({ host: address, port, servername: address, ALPNProtocols: ['h2'], ...(ca && { ca }) })
    : connectPlainly(port, address)
  const timeout = AbortSignal.timeout(CONNECT_TIMEOUT_MS)
  try {
    await once(socket, tls ? 'secureConnect' : 'connect', { signal: timeout })
    return undefined
  } catch (error) {
    if (timeout.aborted) return new Error(`no connection within ${CONNECT_TIMEOUT_MS / 1_000} s`)
    // A host with several addresses fails with an error for each.
    return (error instanceof AggregateError ? error.errors[0] : error) as NodeJS.ErrnoException
  } finally {
    socket.on('error', () => undefined).destroy()
  }
}

/**
 * Connects to each node that the address names and returns the failures. The vendor's client says of a cluster only that
 * it found no node.
 */
export const probeNodes = async ({ hosts, tls, caFile }: EventStoreDbAddress): Promise<readonly NodeFailure[]> => {
  const ca = caFile === undefined ? undefined : await readFile(caFile)
  const failureOf = async (host: Host): Promise<readonly NodeFailure[]> => {
    const error: NodeJS.ErrnoException | undefined = await whyUnreachable(host, tls, ca)
    if (error === undefined) return []
    const reason = `${host.address}:${host.port}: ${error.message.split(';')[0]}`
    return [{ reason, isUntrusted: UNTRUSTED.includes(error.code) }]
  }
  return (await Promise.all(hosts.map(failureOf))).flat()
}
