import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EventStoreDBClient, jsonEvent, START, streamNameFilter } from '@eventstore/db-client'
import * as E from 'fp-ts/lib/Either.js'
import { projections } from '../../../projections/index.ts'
import {
  type EventStoreDbAddress,
  readEventStoreDbAddress,
} from '../../../src/event-store/eventstoredb/server/address.ts'
import { openEventStoreDb } from '../../../src/event-store/eventstoredb/store.ts'
import { openViews } from '../../../src/read-models/views.ts'

/**
 * The references for Berth over an EventStoreDB, on the same core and started over HTTP: bare appends of the vendor's
 * client, a subscription that only counts, and the catch-up of the views.
 */

const [address = '', prefix = ''] = process.argv.slice(2)
const STREAMS = 500
const parsed = readEventStoreDbAddress(`${address}&streamPrefix=${prefix}`)
if (E.isLeft(parsed)) throw new Error(parsed.left.join())
const settings: EventStoreDbAddress = parsed.right
const [endpoint] = settings.hosts
if (endpoint === undefined) throw new Error('no host')
const credentials = settings.credentials ?? { username: 'berth', password: 'berth' }
const connect = (): EventStoreDBClient =>
  new EventStoreDBClient({ endpoint }, { insecure: !settings.tls }, settings.credentials)
const client = connect()
const run = randomUUID().slice(0, 8)
const revisions = new Map<string, number>()

type Sample = { readonly done: number; readonly microseconds: number }

const timed = async (work: () => Promise<number>): Promise<Sample> => {
  const begun = performance.now()
  const done = await work()
  return { done, microseconds: (performance.now() - begun) * 1_000 }
}

/** Appends single events with `atOnce` concurrent appends, each to its own stream. */
const append = (
  seconds: number,
  atOnce: number,
  { data, metadata }: { data: Record<string, string>; metadata: Record<string, string> },
) =>
  timed(async () => {
    const end = performance.now() + seconds * 1_000
    let done = 0
    let next = 0
    const one = async (): Promise<void> => {
      while (performance.now() < end) {
        const stream = `bare-${run}-${next++ % STREAMS}`
        const last = revisions.get(stream)
        revisions.set(stream, (last ?? -1) + 1)
        await client.appendToStream(
          stream,
          jsonEvent({ id: randomUUID(), type: 'ReservationCreated', data, metadata }),
          {
            expectedRevision: last === undefined ? 'no_stream' : BigInt(last),
            credentials,
          },
        )
        done++
      }
    }
    await Promise.all(Array.from({ length: atOnce }, one))
    return done
  })

/** Reads `events` events with a subscription to the same streams as the views. */
const count = (events: number) =>
  timed(async () => {
    const bare = connect()
    const filter = streamNameFilter({ prefixes: [`${prefix}sut-`, `${prefix}listenPorts`] })
    const subscription = bare.subscribeToAll({ fromPosition: START, filter, credentials })
    subscription.on('error', () => undefined)
    let seen = 0
    for await (const _ of subscription) if (++seen === events) break
    await subscription.unsubscribe()
    await bare.dispose()
    return seen
  })

const catchUp = () =>
  timed(async () => {
    const directory = mkdtempSync(join(tmpdir(), 'berth-bench-views-'))
    const fail = (error: unknown): never => {
      throw error
    }
    const store = await openEventStoreDb({ address: settings, randomHex: () => '', isReadOnly: true })
    const views = await openViews({
      path: join(directory, 'views.db'),
      store,
      projections,
      onAlarm: (what) => fail(new Error(what)),
      onRecovery: () => undefined,
      onFatal: fail,
    })
    await views.waitForStorePosition(await store.head(), 600_000)
    const folded = views.position() + 1
    await views.close()
    await store.close()
    rmSync(directory, { recursive: true })
    return folded
  })

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

const server = createServer(async (request, response) => {
  const asked = new URL(request.url ?? '/', 'http://bench')
  const number = (name: string): number => Number(asked.searchParams.get(name))
  const answers: Record<string, () => Promise<Sample>> = {
    '/append': async () => append(number('seconds'), number('connections'), JSON.parse(await bodyOf(request))),
    '/count': () => count(number('events')),
    '/catch-up': catchUp,
  }
  response.end(JSON.stringify(await answers[asked.pathname]?.()))
})
server.requestTimeout = 0
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })}\n`)
})
