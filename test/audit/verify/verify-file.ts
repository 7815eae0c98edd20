import type { SignedHead } from '../../../src/audit/verify/checkpoints.ts'
import { type Verified, verifyLog } from '../../../src/audit/verify/verify.ts'
import { BEGINNING } from '../../../src/event-store/event-store.ts'
import { openLinks } from '../../../src/event-store/sqlite/copy.ts'
import { openSqliteStore } from '../../../src/event-store/sqlite/store.ts'

/** Runs the checks of `verify` in this process. */
export const verifyFile = async (path: string, against: readonly SignedHead[]): Promise<Verified> => {
  const onFatal = (error: Error): never => {
    throw error
  }
  const store = openSqliteStore({ path, readOnly: true, randomHex: () => '', onFatal })
  const links = openLinks(path)
  try {
    return await verifyLog({ records: store.records(BEGINNING), links, against })
  } finally {
    links.close()
    await store.close()
  }
}
