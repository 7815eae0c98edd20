import * as E from 'fp-ts/lib/Either.js'
import { parseAuditKey } from '../../../audit/audit-key.ts'
import { parseVaultKeys } from '../../../vault/keys.ts'
import type { KeyChecks } from '../config.ts'

/** Checks the variables that hold keys together with all others, before anything is created. */
export const keyChecks: KeyChecks = {
  vaultKeys: (value) =>
    E.bimap(
      (problems: readonly string[]) => `cannot be used: ${problems.join('; ')}`,
      () => value,
    )(parseVaultKeys(value)),
  auditKey: (value) => E.map(() => value)(parseAuditKey(value)),
}
