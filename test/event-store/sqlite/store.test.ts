import { contractControls, storeContract } from '../contract/contract.ts'
import { openSqliteSubject } from './subject.ts'

storeContract('SQLite', openSqliteSubject({}))
// Whatever comes together is split over several batches, and every subscriber falls behind.
storeContract('SQLite with small limits', openSqliteSubject({ batchMax: 3, tail: 2 }))
// As the service has it.
storeContract('SQLite that syncs behind', openSqliteSubject({}, { isSyncDeferred: true }))
contractControls('SQLite', openSqliteSubject({}))
