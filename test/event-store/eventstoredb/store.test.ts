import test from 'ava'
import { storeContract } from '../contract/contract.ts'
import { SHARED_STORE } from '../shared-store.ts'
import { startProtocolServer } from './protocol/protocol-server.ts'
import { openEventStoreDbSubject } from './subject.ts'

// The same laws as for SQLite, on the protocol server or a real one. The controls run for SQLite only.
const server = SHARED_STORE === undefined ? await startProtocolServer() : undefined
test.after.always(() => server?.close())

storeContract(
  'EventStoreDB',
  openEventStoreDbSubject(() => server?.address ?? String(SHARED_STORE)),
)
