import type { Scope } from '../../domain/user/scope.ts'
import type { RunQuery } from '../../files/sqlite.ts'
import { CURRENT } from '../tables/schema.ts'
import { and, type Condition, condition } from './page.ts'

/** What a user sees: objects of the SUTs in its scope, and its own. */
export interface Visibility {
  readonly scope: Scope
  readonly user_id: string
}

/** Whether a SUT has tags. Their names contain no character that is special within a quoted JSON path. */
export const hasTags = (tags: Readonly<Record<string, string>>): readonly Condition[] =>
  Object.entries(tags).map(([name, value]) => condition('tags ->> ? = ?', `$."${name}"`, value))

/** Whether a row is about a SUT that is in a scope now, retired or not. */
export const isInScope = (scope: Scope): Condition => {
  const tags = and(hasTags(scope))
  return condition(`sut IN (SELECT id FROM sut WHERE ${CURRENT}${tags.sql})`, ...tags.values)
}

/** Whether a user sees a row that has a `user` and a `sut`. */
export const isVisible = (visibility: Visibility | undefined): readonly Condition[] => {
  if (visibility === undefined) return []
  const { sql, values } = isInScope(visibility.scope)
  return [condition(`(user = ? OR ${sql})`, visibility.user_id, ...values)]
}

export const isSutIn = (ask: RunQuery, scope: Scope, sutId: string): boolean => {
  const tags = and(hasTags(scope))
  return ask(`SELECT 1 FROM sut WHERE id = ? AND ${CURRENT}${tags.sql}`, sutId, ...tags.values).length > 0
}
