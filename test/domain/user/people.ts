import fc from 'fast-check'
import type { DataOf, Event, Recorded } from '../../../src/domain/event.ts'
import type { AddUsers, NewUser } from '../../../src/domain/user/add-users.ts'
import type { UserCommand } from '../../../src/domain/user/decide.ts'
import type { NameClaim } from '../../../src/domain/user/names.ts'
import { QUOTA_DEFAULT } from '../../../src/domain/user/quota.ts'
import { arbitraryData } from '../arbitrary-events.ts'
import { administrator, alice, bob, clock, idOf, userAdded, userCredentials } from '../builders.ts'
import { at, recordedAt } from '../given-when-then.ts'

/** Ids of the secrets that the first users' names are among. */
export const [ADMIN_NAME, ALICE_NAME, BOB_NAME] = [idOf(1), idOf(2), idOf(3)]

/** An administrator, and the testers Alice and Bob. */
export const ADMIN = at('05:00', userAdded({ _id: administrator._id, role: 'administrator' }))
export const ALICE = at('05:01', userAdded({ _id: alice, credentials: userCredentials(2) }))
export const BOB = at('05:02', userAdded({ _id: bob, credentials: userCredentials(3) }))
export const PEOPLE = [ADMIN, ALICE, BOB] as const

export const QUOTA = { hours_per_week: 1.5, reservations_max: 20, priority_max: null } as const

/** A claim of a name by somebody who knows all names of `PEOPLE`, and perhaps more. */
export const claimOf = (folded: string, ...more: readonly (readonly [string, string])[]): NameClaim => {
  const first = [ADMIN_NAME, ALICE_NAME, BOB_NAME].map((id, n) => [id, ['admin', 'alice', 'bob'][n] as string] as const)
  return { folded, known: new Map([...first, ...more]) }
}

type Command<T extends UserCommand['type']> = Extract<UserCommand, { readonly type: T }>

type Adding = Partial<NewUser & Pick<AddUsers, 'identity' | 'quotaDefault'> & { readonly claim: NameClaim }>

/** Adds one user, who claims a name. */
export const add = ({ claim = claimOf('carol'), identity, quotaDefault, ...more }: Adding = {}): UserCommand => ({
  type: 'AddUsers',
  users: [{ _id: idOf(9), role: 'tester', credentials: userCredentials(9), folded: claim.folded, ...more }],
  ...{ known: claim.known, quotaDefault: quotaDefault ?? QUOTA_DEFAULT, ...(identity && { identity }) },
})
export const change = (more: Partial<Command<'ChangeUser'>>): UserCommand => ({
  ...{ type: 'ChangeUser', _id: alice, quotaDefault: QUOTA_DEFAULT },
  ...more,
})
export const remove = (_id = alice, reservations: 'keep' | 'cancel' = 'keep'): UserCommand => ({
  ...{ type: 'RemoveUser', _id, reservations },
})
export const restore = (_id = alice, claim = claimOf('alice')): UserCommand => ({ type: 'RestoreUser', _id, claim })
export const erase = (_id = alice): UserCommand => ({ type: 'EraseUser', _id })

/** The value of an idempotency key, as recorded. */
export const keyOf = (n: number, request = 'r'): string => `${`${n}k`.padEnd(22, 'k')}.${request.repeat(22)}`

const TYPES = ['UserAdded', 'UserChanged', 'UserRemoved', 'UserRestored', 'UserErased'] as const
const IDS = [alice, bob, 'Zoë 😀']
/** Events of users in any order, lawful or not. */
export const arbitraryUserLog = (): fc.Arbitrary<readonly Recorded[]> => {
  const one = fc.constantFrom(...TYPES).chain((type) =>
    fc.record({
      event: (arbitraryData[type] as fc.Arbitrary<DataOf<typeof type>>).chain((data) =>
        fc.constantFrom(...IDS).map((_id) => ({ type, data: { ...data, _id } }) as Event),
      ),
      keyed: fc.boolean(),
    }),
  )
  return fc
    .array(one, { maxLength: 30 })
    .map((all) =>
      all.map(({ event, keyed }, n) =>
        recordedAt(n, { time: clock('05:00') + n * 3_600_000, event, more: keyed ? { key: keyOf(n) } : {} }),
      ),
    )
}
