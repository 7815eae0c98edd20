import test from 'ava'
import { storeContract } from '../contract/contract.ts'
import { SHARED_STORE } from '../shared-store.ts'
import { startProtocolServer } from './protocol/protocol-server.ts'
import { openEventStoreDbSubject } from './subject.ts'

// The same laws as over SQLite, over the protocol server or over a real one. That they are no empty words is shown there.
const server = SHARED_STORE === undefined ? await startProtocolServer() : undefined
test.after.always(() => server?.close())

storeContract(
  'EventStoreDB',
  openEventStoreDbSubject(() => server?.address ?? String(SHARED_STORE)),
)
