import { randomBytes } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { FirstUser } from '../../src/app/core/base.ts'
import type { Quota } from '../../src/domain/events/user.ts'
import type { Credential } from '../../src/users/load-users.ts'
import type { HashCost } from '../../src/users/passwords/argon2.ts'
import {
  hashPassword,
  parsePasswordHash,
  SALT_BYTES,
  type VerifiedPassword,
} from '../../src/users/passwords/password.ts'

/** The result of a check of a right and a wrong password. */
export const RIGHT: VerifiedPassword = { fits: true, cpu: 1 }
export const WRONG: VerifiedPassword = { fits: false, cpu: 1 }

/** The lowest cost that argon2id accepts, to keep tests fast. */
export const CHEAP: HashCost = { memory: 8, passes: 1, parallelism: 1 }

export const cheapHash = (password: string): Promise<string> => hashPassword(password, randomBytes(SALT_BYTES), CHEAP)

const UNLIMITED: Quota = { hours_per_week: null, reservations_max: null, priority_max: null }

/** A user with a cheap hash, without limits. */
export const aUser = async (name: string, password: string, more: Partial<FirstUser> = {}): Promise<FirstUser> => ({
  _id: `id-of-${name}`,
  name,
  role: 'tester',
  password: await cheapHash(password),
  ...((more.role ?? 'tester') === 'tester' && { quota: UNLIMITED }),
  ...more,
})

/** What is known of a user who has a password. */
export const credentialOf = async (name: string, password: string): Promise<Credential> => {
  const { _id, role, password: hash } = await aUser(name, password)
  return { user: { _id, name, role, accessSince: 0 }, hash: parsePasswordHash(hash) }
}

export const rightOf = <L, A>(either: E.Either<L, A>): A => {
  if (E.isLeft(either)) throw new Error(`refused: ${JSON.stringify(either.left)}`)
  return either.right
}

export const leftOf = <L, A>(either: E.Either<L, A>): L => {
  if (E.isRight(either)) throw new Error(`not refused: ${JSON.stringify(either.right)}`)
  return either.left
}

/** A promise and its resolver, for tests that wait for a call. */
export const signal = <A>(): { readonly came: Promise<A>; readonly give: (value: A) => void } => {
  const { promise, resolve } = Promise.withResolvers<A>()
  return { came: promise, give: resolve }
}
