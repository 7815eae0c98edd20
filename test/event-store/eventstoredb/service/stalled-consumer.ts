import { once } from 'node:events'
import { BEGINNING } from '../../../../src/event-store/event-store.ts'
import { readEventStoreDbAddress } from '../../../../src/event-store/eventstoredb/server/address.ts'
import { openEventStoreDb } from '../../../../src/event-store/eventstoredb/store.ts'
import { rightOf } from '../../../users/builders.ts'
import { randomHex } from '../../new-events.ts'

// Run by store-memory.ts with --expose-gc: a consumer that stalls after one batch until SIGUSR2.
const [address = '', count = '0'] = process.argv.slice(2)
const store = await openEventStoreDb({ address: rightOf(readEventStoreDbAddress(address)), randomHex })

const used = (): number => {
  global.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const before = used()
const batches = store.subscribe(BEGINNING, new AbortController().signal)[Symbol.asyncIterator]()
const released = once(process, 'SIGUSR2')
let seen = (await batches.next()).value?.events.length ?? 0
process.stdout.write('"stalled"\n')
// Measure once the server has stopped sending.
await released
process.stdout.write(`${JSON.stringify({ grown: Math.round((used() - before) / 1024) })}\n`)
// The remaining events still arrive.
while (seen < Number(count)) seen += (await batches.next()).value?.events.length ?? 0
process.stdout.write(`${JSON.stringify({ seen })}\n`)
await store.close()
