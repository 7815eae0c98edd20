import test from 'ava'
import { storeContract } from '../contract/contract.ts'
import { SHARED_STORE } from '../shared-store.ts'
import { startProtocolServer } from './protocol/protocol-server.ts'
import { openEventStoreDbSubject } from './subject.ts'

// The same laws as for SQLite, on the protocol server or a real one.
const server = SHARED_STORE === undefined ? await startProtocolServer() : undefined
test.after.always(() => server?.close())

storeContract(
  'EventStoreDB',
  openEventStoreDbSubject(() => server?.address ?? String(SHARED_STORE)),
  [
    'a subscriber slower than 3,000 new events gets each once, as read back',
    'any sequence of valid, invalid and repeated appends matches a simple model',
    'records are returned in canonical form, the input of leaf hashes, up to the end of the log',
    'streams and logs longer than a page are read completely',
    'the secrets encrypted with a key are listed once each, by SUT and field, in pages',
  ],
)
