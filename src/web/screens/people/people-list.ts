import { hoursTextOf, type ListedUser, roleTextOf } from '../../features/people/user.ts'

/** The list of people: what a row says, and in what order they stand. Pure. */

export type Column = 'name' | 'role' | 'week' | 'open' | 'scope' | 'added'

export interface Order {
  readonly by: Column
  readonly isDescending: boolean
}

const keyOf = (user: ListedUser, by: Column): string | number | undefined => {
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

const compare = (a: string | number, b: string | number): number =>
  typeof a === 'number' && typeof b === 'number'
    ? a - b
    : String(a).localeCompare(String(b), undefined, { numeric: true })

/** People in order. Those that have nothing in the column come last, whatever the direction. */
export const ordered = (users: readonly ListedUser[], { by, isDescending }: Order): readonly ListedUser[] =>
  users.toSorted((a, b) => {
    const [left, right] = [keyOf(a, by), keyOf(b, by)]
    const byColumn =
      left === undefined || right === undefined
        ? Number(left === undefined) - Number(right === undefined)
        : compare(left, right) * (isDescending ? -1 : 1)
    return byColumn || compare(a.name, b.name) || compare(a._id, b._id)
  })

/** `31 of 40 h`, with what limits it in words where no number does. */
export const weekOf = ({ used }: ListedUser): { readonly text: string; readonly isLimited: boolean } => ({
  text: hoursTextOf(used),
  isLimited: used.quota !== null && used.quota.hours_per_week !== null,
})

export const tagsOfScope = (scope: string): readonly string[] => (scope === '' ? [] : scope.split(','))
