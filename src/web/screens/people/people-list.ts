/** The list of people: in what order they stand, and what a file of them says. Pure. */

import { type ListedUser, roleTextOf } from '../../features/people/user.ts'
import { fold } from '../../format/format.ts'
import { type Order, orderedBy } from '../../parts/show/order.ts'

const VALUES = {
  name: ({ name }: ListedUser) => name,
  role: ({ role }: ListedUser) => roleTextOf(role),
  week: ({ role, used }: ListedUser) => (role === 'tester' ? used.hours : undefined),
  open: ({ role, used }: ListedUser) => (role === 'tester' ? used.reservations : undefined),
  scope: ({ role, scope }: ListedUser) => (role === 'tester' && scope !== '' ? scope : undefined),
  added: ({ created_at }: ListedUser) => Date.parse(created_at),
}
export type By = keyof typeof VALUES

export const ordered = (rows: readonly ListedUser[], order: Order<By>): readonly ListedUser[] =>
  orderedBy(rows, order, VALUES, ({ name, _id }) => [name, _id])

/** A text finds a name, a role, or a part of a scope. */
export const NO_FILTER = { text: '' }

export const matching = (rows: readonly ListedUser[], { text }: typeof NO_FILTER): readonly ListedUser[] => {
  const wanted = fold(text.trim())
  return rows.filter(({ name, role, scope }) => fold(`${name} ${roleTextOf(role)} ${scope}`).includes(wanted))
}

export const tagsOfScope = (scope: string): readonly string[] => (scope === '' ? [] : scope.split(','))

const LIMIT_NUMBER = /^\d+(\.\d+)?$/

/** A limit as the service takes it; other text as it stands, so that the service says what it must be. */
const toLimit = (text: string): string | number | null => {
  if (text === 'none') return null
  return LIMIT_NUMBER.test(text) ? Number(text) : text
}

/** `hours_per_week=40,reservations_max=none`. `default` is the quota of the service. */
const toQuota = (text: string): object | null =>
  text.trim() === 'default'
    ? null
    : Object.fromEntries(
        text.split(',').map((part) => {
          const [name = '', value = ''] = part.split('=', 2)
          return [name.trim(), toLimit(value.trim())]
        }),
      )

export const toUser = ({ quota, ...fields }: Readonly<Record<string, string>>): object => ({
  ...fields,
  ...(quota !== undefined && { quota: toQuota(quota) }),
})
