import type { DatabaseSync } from 'node:sqlite'
import type { Scope } from '../../domain/user/scope.ts'
import type { RunQuery } from '../../files/sqlite.ts'
import type { IdKeys } from '../tables/id-keys.ts'
import { RESERVATION_LISTED } from '../tables/reservation-table.ts'
import { type Condition, condition, rowsFrom } from './conditions.ts'

/** Selects the keys of the SUTs in a scope, which has tags. */
export const sutsIn = (scope: Scope): Condition => {
  const [, ...others] = Object.keys(scope)
  const further = others.map(
    () => ' AND EXISTS (SELECT 1 FROM sut_tag o WHERE o.sut = t.sut AND o.name = ? AND o.value = ?)',
  )
  return condition(
    `SELECT t.sut FROM sut_tag t WHERE t.name = ? AND t.value = ?${further.join('')}`,
    ...Object.entries(scope).flat(),
  )
}

/** Whether a column with the key of a SUT has one of those. */
export const isInScope = (scope: Scope, column = 'r.sut'): Condition => {
  const { sql, values } = sutsIn(scope)
  return condition(`${column} IN (${sql})`, ...values)
}

export interface Scopes {
  readonly hasSut: (scope: Scope, sut: number) => boolean
}

export const makeScopes = (db: DatabaseSync): Scopes => {
  const tag = db.prepare('SELECT 1 FROM sut_tag WHERE sut = ? AND name = ? AND value = ?')
  return {
    hasSut: (scope, sut) => Object.entries(scope).every(([name, value]) => tag.get(sut, name, value) !== undefined),
  }
}

/** Where the listed reservations are, by segment, newest first. */
export const listedThrough = (
  index: string,
  conditions: readonly Condition[],
  isListed = RESERVATION_LISTED,
): Condition =>
  rowsFrom(`segment s CROSS JOIN reservation r INDEXED BY ${index}`, [
    condition(`r.segment = s.n AND ${isListed}`),
    ...conditions,
  ])

/** The users that hold or held a listed reservation of a SUT in a scope. */
export const makeHolders =
  (ask: RunQuery) =>
  (scope: Scope): readonly string[] => {
    const held = listedThrough('reservation_by_sut', [isInScope(scope)])
    return ask<{ id: string }>(`SELECT id FROM name WHERE key IN (SELECT r.user ${held.sql})`, ...held.values).map(
      ({ id }) => id,
    )
  }

/** Whether a user is one of them. */
export const makeIsHolder =
  (ask: RunQuery, names: IdKeys) =>
  (scope: Scope, userId: string): boolean => {
    const user = names.find(userId)
    if (user === undefined) return false
    const held = listedThrough('reservation_by_user', [condition('r.user = ?', user), isInScope(scope)])
    return ask(`SELECT 1 ${held.sql} LIMIT 1`, ...held.values).length > 0
  }
