import test from 'ava'
import { startProtocolServer } from '../eventstoredb/protocol-server.ts'
import { storeContract } from './contract.ts'
import { openEventStoreDbSubject } from './eventstoredb-subject.ts'
import { SHARED_STORE } from './shared-store.ts'

// The same laws as over SQLite, over the protocol server or over a real one. That they are no empty words is shown there.
const server = SHARED_STORE === undefined ? await startProtocolServer() : undefined
test.after.always(() => server?.close())

storeContract(
  'EventStoreDB',
  openEventStoreDbSubject(() => server?.address ?? String(SHARED_STORE)),
)
