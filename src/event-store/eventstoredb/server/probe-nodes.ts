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

const tryToConnect = ({ address, port }: Host, tls: boolean, ca: Buffer | undefined): Promise<unknown> =>
  new Promise((resolve) => {
    const socket = tls
      ? connect({ host: address, port, servername: address, ALPNProtocols: ['h2'], ...(ca && { ca }) }, () => end())
      : connectPlainly(port, address, () => end())
    const end = (error?: unknown): void => {
      resolve(error)
      clearTimeout(late)
      socket.destroy()
    }
    const late = setTimeout(
      () => end(new Error(`no connection within ${CONNECT_TIMEOUT_MS / 1_000} s`)),
      CONNECT_TIMEOUT_MS,
    )
    socket.on('error', end)
  })

/** A host with several addresses fails with an error for each. */
const firstOf = (error: unknown): Error => (error instanceof AggregateError ? error.errors[0] : error) as Error

/**
 * Connects to each node that the address names and returns the failures. The vendor's client says of a cluster only that
 * it found no node.
 */
export const probeNodes = async ({ hosts, tls, caFile }: EventStoreDbAddress): Promise<readonly NodeFailure[]> => {
  const ca = caFile === undefined ? undefined : await readFile(caFile)
  const errors = await Promise.all(hosts.map((host) => tryToConnect(host, tls, ca)))
  return errors.flatMap((error, n) => {
    const host = hosts[n]
    if (error === undefined || host === undefined) return []
    const { message, code } = firstOf(error) as NodeJS.ErrnoException
    const reason = `${host.address}:${host.port}: ${message.split(';')[0]}`
    return [{ reason, isUntrusted: UNTRUSTED.includes(code) }]
  })
}
