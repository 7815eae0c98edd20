import { storeContract } from '../contract/contract.ts'
import { openSqliteSubject } from './subject.ts'

storeContract('SQLite', openSqliteSubject({}))
// Concurrent appends are split into several batches, and every subscriber falls behind the tail buffer.
storeContract('SQLite with small limits', openSqliteSubject({ batchMax: 3, tail: 2 }))
// As used by the service.
storeContract('SQLite with deferred fsync', openSqliteSubject({}, { isSyncDeferred: true }))
