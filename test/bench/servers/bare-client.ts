import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import { readEventStoreDbAddress } from '../../../src/event-store/eventstoredb/server/address.ts'
import { rightOf } from '../../users/builders.ts'

/** The reference for Berth over an EventStoreDB, on the same core and started over HTTP: bare appends of the client. */

const [address = '', prefix = ''] = process.argv.slice(2)
const STREAMS = 500
const settings = rightOf(readEventStoreDbAddress(`${address}&streamPrefix=${prefix}`))
const [endpoint] = settings.hosts
if (endpoint === undefined) throw new Error('no host')
const credentials = settings.credentials ?? { username: 'berth', password: 'berth' }
const client = new EventStoreDBClient({ endpoint }, { insecure: !settings.tls }, settings.credentials)
const run = randomUUID().slice(0, 8)
const revisions = new Map<string, number>()

/** Appends single events with `atOnce` concurrent appends, each to its own stream. Returns how many. */
const append = async (
  seconds: number,
  atOnce: number,
  { data, metadata }: { data: Record<string, string>; metadata: Record<string, string> },
): Promise<number> => {
  const end = performance.now() + seconds * 1_000
  let done = 0
  let next = 0
  const one = async (): Promise<void> => {
    while (performance.now() < end) {
      const stream = `bare-${run}-${next++ % STREAMS}`
      const last = revisions.get(stream)
      revisions.set(stream, (last ?? -1) + 1)
      const event = jsonEvent({ id: randomUUID(), type: 'ReservationCreated', data, metadata })
      const expectedRevision = last === undefined ? 'no_stream' : BigInt(last)
      await client.appendToStream(stream, event, { expectedRevision, credentials })
      done++
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  return done
}

const server = createServer(async (request, response) => {
  const { searchParams } = new URL(request.url ?? '/', 'http://bench')
  const [seconds, connections] = ['seconds', 'connections'].map((name) => Number(searchParams.get(name)))
  const event = (await json(request)) as Parameters<typeof append>[2]
  const begun = performance.now()
  const done = await append(seconds as number, connections as number, event)
  response.end(JSON.stringify({ done, microseconds: (performance.now() - begun) * 1_000 }))
})
server.requestTimeout = 0
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })}\n`)
})
