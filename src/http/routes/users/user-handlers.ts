import { makeUserChanges, type UserDependencies } from './user-changes.ts'
import { makeUserImport, type UserImportDependencies } from './user-import.ts'
import { makeUserReads } from './user-reads.ts'
import { makeRemove, type RemovalDependencies } from './user-removal.ts'
import type { UserHandlers } from './user-routes.ts'
import { makeUserTokens, type TokenDependencies } from './user-tokens.ts'

export const makeUserHandlers = (
  dependencies: UserDependencies & UserImportDependencies & RemovalDependencies & TokenDependencies,
): UserHandlers => ({
  ...makeUserReads(dependencies),
  ...makeUserChanges(dependencies),
  import: makeUserImport(dependencies),
  remove: makeRemove(dependencies),
  tokens: makeUserTokens(dependencies),
})
