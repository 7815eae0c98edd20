/** Helpers to simulate and measure store outages. */

import type { ExecutionContext } from 'ava'
import type { Answer, Client } from '../../../http/client.ts'
import { type Line, type Running, start, temporaryData } from '../../../http/harness.ts'
import { aSut, NOW } from '../../../http/requests.ts'
import type { Event } from '../../../http/store/log-rows.ts'
import { stopwatch, until } from '../../../http/until.ts'
import type { ProtocolServer, ProtocolServerOptions } from '../protocol/protocol-server.ts'
import { aServer } from '../server-and-client.ts'
import { AUDIT_KEY, addressOf, aVaultKey, eventsIn } from './instances.ts'

/** Maximum recovery time after the store's return, in milliseconds. */
export const AGAIN_WITHIN = 2_000

const escaped: unknown[] = []
process.on('unhandledRejection', (error) => escaped.push(error))
process.on('uncaughtException', (error) => escaped.push(error))

/** Unhandled errors of the whole test file. */
export const escapedErrors = (): readonly unknown[] => escaped

export interface Starting {
  readonly server: ProtocolServer
  readonly data: string
  readonly log: readonly Line[]
  /** Starts the service, which may wait for the store. Every call uses the same data and key. */
  readonly begin: (signal?: AbortSignal) => Promise<Running>
}

/** A store, and everything a service needs to start over it. */
export const aStarting = async (
  t: ExecutionContext,
  options: ProtocolServerOptions & { readonly address?: string; readonly addressAt?: (port: number) => string } = {},
): Promise<Starting> => {
  const server = await aServer(t, options)
  const data = await temporaryData(t)
  const address = options.address ?? options.addressAt?.(server.endpoint.port) ?? addressOf(server, 1)
  const environment = { ...AUDIT_KEY, BERTH_EVENT_STORE: address, BERTH_VAULT_KEY: aVaultKey() }
  const log: Line[] = []
  const begin: Starting['begin'] = (signal) => start(t, { data, now: NOW, environment, log, ...(signal && { signal }) })
  return { server, data, log, begin }
}

export const readinessOf = async ({ anyone }: Running): Promise<Answer> => anyone.get('/health/ready')

export const ready = (service: Running, within = 20_000): Promise<void> =>
  until('ready', async () => (await readinessOf(service)).status === 200, within)

/** A ready service with its own store. */
export const aReadyService = async (t: ExecutionContext, options?: Parameters<typeof aStarting>[1]) => {
  const starting = await aStarting(t, options)
  const service = await starting.begin()
  await ready(service)
  return { ...starting, service }
}

/** The service creates and reads again within the time that it may take. */
export const isAgainInTime = async (t: ExecutionContext, service: Running): Promise<void> => {
  const taken = stopwatch()
  await until('service again', () => isServed(service.as('admin')), 30_000)
  const gap = taken()
  t.true(gap < AGAIN_WITHIN, `${gap} ms`)
}

const isServed = async (client: Client): Promise<boolean> => {
  const made = await client.post('/api/sut/create', aSut())
  return made.status === 201 && (await client.get(`/api/sut/${made.json._id}`)).status === 200
}

/** The stored events of a type. */
export const recordedOf = async (
  t: ExecutionContext,
  server: ProtocolServer,
  type: string,
): Promise<readonly Event[]> => {
  return (await eventsIn(t, server)).filter((event) => event.type === type)
}

export const sentencesOf = (log: readonly Line[]): readonly string[] => log.map(({ sentence }) => sentence)
