import { randomBytes } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import test from 'ava'
import { makeAuthenticator } from '../../../src/users/authenticate.ts'
import type { Credential } from '../../../src/users/load-users.ts'
import type { HashCost } from '../../../src/users/passwords/argon2.ts'
import {
  hashPassword,
  type PasswordHash,
  parsePasswordHash,
  verifyPassword,
} from '../../../src/users/passwords/password.ts'
import { basic } from '../../http/client.ts'
import type { Tidying } from '../../http/harness.ts'
import { aUser, PASSWORDS_ONLY } from '../builders.ts'

/** About five milliseconds, enough to be visible over everything else. */
const COST: HashCost = { memory: 8_192, passes: 1, parallelism: 1 }

type Options = Partial<Pick<Parameters<typeof makeAuthenticator>[0], 'wait' | 'limits'>>

/** Without rests, so that consecutive guesses take no longer. */
const WITHOUT_RESTS: Options = { limits: { runningMax: 2, rest: 0, waitMax: 2_000, waitingMax: 200 } }

/** Users with the password `correct horse`, and the milliseconds spent on checks. */
const given = async (names: readonly string[], options: Options = {}) => {
  const password = await hashPassword('correct horse', randomBytes(16), COST)
  const hash = parsePasswordHash(password) as PasswordHash
  const all = await Promise.all(
    names.map(async (name): Promise<Credential> => {
      const record = await aUser(name, '', { password })
      return { user: { _id: record._id, name, role: record.role, accessSince: 0 }, hash }
    }),
  )
  const byName = new Map(all.map((credential) => [credential.user.name, credential]))
  const work = { milliseconds: 0 }
  const authenticator = makeAuthenticator({
    ...PASSWORDS_ONLY,
    ...options,
    users: {
      credentialOf: (name: string) => byName.get(name),
      isCurrent: () => true,
      list: () => all.map(({ user }) => user),
    },
    randomBytes,
    verify: async (hash, password) => {
      const began = performance.now()
      const verified = await verifyPassword(hash, password)
      work.milliseconds += performance.now() - began
      return verified
    },
  })
  let guesses = 0
  const timed = async (name: string): Promise<number> => {
    const began = performance.now()
    await authenticator.authenticate(basic(name, `wrong ${guesses++}`))
    return performance.now() - began
  }
  return { ...authenticator, work, timed }
}

/** The probability that one of these takes longer than one of those: 0.5 if they are indistinguishable. */
const likelihoodOfLonger = (these: readonly number[], those: readonly number[]): number => {
  let longer = 0
  for (const one of these) for (const other of those) longer += one > other ? 1 : one === other ? 0.5 : 0
  return longer / (these.length * those.length)
}

const ROUNDS = 30

/** Guesses for a known and for an unknown name, in alternating order. */
const compare = async ({ timed }: Awaited<ReturnType<typeof given>>, rounds = ROUNDS): Promise<number> => {
  const [known, unknown]: [number[], number[]] = [[], []]
  await timed('alice')
  for (let n = 0; n < rounds; n++) {
    if (n % 2 === 0) known.push(await timed('alice'))
    unknown.push(await timed(`nobody ${n}`))
    if (n % 2 === 1) known.push(await timed('alice'))
  }
  return likelihoodOfLonger(known, unknown)
}

/** Keeps cores busy until the test ends. */
const burden = (t: Tidying, count: number): void => {
  for (let n = 0; n < count; n++) {
    const worker = new Worker('for (;;) Math.sqrt(2)', { eval: true })
    t.teardown(async () => {
      await worker.terminate()
    })
  }
}

test.serial('the time of a refusal does not reveal whether a name exists', async (t) => {
  // As many as show what a timer cuts off of a millisecond.
  const likelihood = await compare(await given(['alice'], WITHOUT_RESTS), 4 * ROUNDS)
  t.log(likelihood)
  t.true(likelihood > 0.3 && likelihood < 0.7)
})

test.serial('the time of a refusal does not reveal whether a name exists on a busy machine', async (t) => {
  burden(t, 2)
  // Checks give way to whatever keeps the cores busy, so they differ widely and take ten times as long.
  const likelihood = await compare(await given(['alice'], WITHOUT_RESTS), 25)
  t.log(likelihood)
  t.true(likelihood > 0.15 && likelihood < 0.85)
})

/** Simultaneous guesses, for known names and as many unknown ones. */
const TOGETHER = 6
const BATCHES = 6

test.serial('the time of a refusal does not reveal whether a name exists during a flood of names', async (t) => {
  const names = Array.from({ length: TOGETHER }, (_, n) => `user ${n}`)
  const attempts = await given(['alice', ...names])
  let isOver = false
  const flood = Array.from({ length: 20 }, async (_, n) => {
    for (let i = 0; !isOver; i++) await attempts.timed(n === 0 ? 'alice' : `nobody ${n} ${i}`)
  })
  const [known, unknown]: [number[], number[]] = [[], []]
  for (let batch = 0; batch < BATCHES; batch++) {
    const tried = names.flatMap((name, n) => (n % 2 === 0 ? [name, `no ${name}`] : [`no ${name}`, name]))
    const times = await Promise.all(tried.map(attempts.timed))
    for (const [n, name] of tried.entries()) (name.startsWith('no') ? unknown : known).push(times[n] as number)
  }
  isOver = true
  await Promise.all(flood)
  const likelihood = likelihoodOfLonger(known, unknown)
  t.log(likelihood)
  t.true(likelihood > 0.2 && likelihood < 0.8)
})
