import { BEGINNING } from '../../../../src/event-store/event-store.ts'
import { readEventStoreDbAddress } from '../../../../src/event-store/eventstoredb/server/address.ts'
import { openEventStoreDb } from '../../../../src/event-store/eventstoredb/store.ts'
import { rightOf } from '../../../users/builders.ts'
import { append, aStream, randomHex, readLog, someEvents } from '../../new-events.ts'

// Run by traps.test.ts: uses every function of a store, and closes it unless called with `open`.
const [address = '', how] = process.argv.slice(2)
const store = await openEventStoreDb({ address: rightOf(readEventStoreDbAddress(address)), randomHex })
const stream = aStream()
await append(store, stream, -1, someEvents(stream, 3))
await readLog(store, -1)
const live = store.subscribe(BEGINNING, new AbortController().signal)[Symbol.asyncIterator]()
await live.next()
process.stdout.write('used\n')
if (how !== 'open') await store.close()
