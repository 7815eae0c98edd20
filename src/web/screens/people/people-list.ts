/** The list of people: what a row says, and in what order they stand. Pure. */

import { hoursTextOf, type ListedUser, roleTextOf } from '../../features/people/user.ts'
import { fold } from '../../format/format.ts'
import { type Order, orderedBy } from '../../parts/show/order.ts'

export type By = 'name' | 'role' | 'week' | 'open' | 'scope' | 'added'

const keyOf = (user: ListedUser, by: By): string | number | undefined => {
  const isTester = user.role === 'tester'
  switch (by) {
    case 'name':
      return user.name
    case 'role':
      return roleTextOf(user.role)
    case 'week':
      return isTester ? user.used.hours : undefined
    case 'open':
      return isTester ? user.used.reservations : undefined
    case 'scope':
      return isTester && user.scope !== '' ? user.scope : undefined
    case 'added':
      return Date.parse(user.created_at)
  }
}

export const ordered = (rows: readonly ListedUser[], order: Order<By>): readonly ListedUser[] =>
  orderedBy(rows, order, keyOf, ({ name, _id }) => [name, _id])

/** A text finds a name, a role, or a part of a scope. */
export const NO_FILTER = { text: '' }

export const matching = (rows: readonly ListedUser[], { text }: typeof NO_FILTER): readonly ListedUser[] => {
  const wanted = fold(text.trim())
  return rows.filter(({ name, role, scope }) => fold(`${name} ${roleTextOf(role)} ${scope}`).includes(wanted))
}

/** `31 of 40 h`, with what limits it in words where no number does. */
export const weekOf = ({ used }: ListedUser): { readonly text: string; readonly isLimited: boolean } => ({
  text: hoursTextOf(used),
  isLimited: used.quota !== null && used.quota.hours_per_week !== null,
})

export const tagsOfScope = (scope: string): readonly string[] => (scope === '' ? [] : scope.split(','))
