import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { NOTHING_TO_CATCH_UP } from '../../../src/users/catch-up.ts'
import type { Credential } from '../../../src/users/load-users.ts'
import { makePasswordCheck } from '../../../src/users/password-check.ts'
import { type PasswordHash, parsePasswordHash, type VerifiedPassword } from '../../../src/users/passwords/password.ts'
import { aUser, CHEAP, WRONG } from '../builders.ts'

/** Milliseconds that each check waits for a core. After it, or the CPU time, a rest outlasts what the next one waits. */
const WAITED = 20
const LIMITS = { runningMax: 1, rest: 100, timeoutMs: 500 }

const credentialOf = async (password: string): Promise<Credential> => {
  const { _id, name, role, password: hash } = await aUser('alice', password)
  return { user: { _id, name, role, accessSince: 0 }, hash: parsePasswordHash(hash) as PasswordHash }
}

/** Alice, and one check at a time with a given result. The second attempt is `full` if the slot rests. */
const twoAttempts = async (verified: VerifiedPassword): Promise<readonly unknown[]> => {
  const alice = await credentialOf('correct horse')
  const { name } = alice.user
  const check = makePasswordCheck({
    users: { credentialOf: () => alice, list: () => [alice.user] },
    catchUpNames: NOTHING_TO_CATCH_UP,
    randomBytes,
    verify: () => delay(WAITED, verified),
    limits: LIMITS,
  })
  const outcomes: unknown[] = []
  for (let n = 0; n < 2; n++) {
    const found = await check({ name, password: `${n}`, canonical: `${n}` }, 0)
    outcomes.push(found === alice ? name : found)
  }
  return outcomes
}

test('a wrong password makes its slot rest for the CPU time that it took, and a right one never', async (t) => {
  t.deepEqual(await twoAttempts({ fits: false, cpu: 10 }), ['wrong', 'full'])
  t.deepEqual(await twoAttempts({ fits: false, cpu: 0 }), ['wrong', 'wrong'], 'it only waited for a core')
  t.deepEqual(await twoAttempts({ fits: true, cpu: 10 }), ['alice', 'alice'])
})

/** A check of a password of Alice, whose credential another instance changes before this one catches up. */
const checkOnceRecorded = async (before: string | undefined, recorded: string | undefined, sent: string) => {
  const [known, next] = await Promise.all([before, recorded].map((password) => password && credentialOf(password)))
  let current = known || undefined
  const check = makePasswordCheck({
    users: { credentialOf: () => current, list: () => [] },
    catchUpNames: async () => {
      await delay(0)
      current = next || undefined
    },
    randomBytes,
  })
  const found = await check({ name: 'alice', password: sent, canonical: '' }, 0)
  return typeof found === 'string' ? found : found === next && 'the recorded one'
}

test('a name or password that another instance has just recorded is accepted, and one that none has is refused', async (t) => {
  t.deepEqual(await checkOnceRecorded('correct horse', 'battery staple', 'battery staple'), 'the recorded one')
  t.deepEqual(await checkOnceRecorded(undefined, 'correct horse', 'correct horse'), 'the recorded one')
  t.deepEqual(await checkOnceRecorded(undefined, 'correct horse', 'battery staple'), 'wrong')
  t.deepEqual(await checkOnceRecorded(undefined, undefined, 'correct horse'), 'wrong')
})

test('refusals of known and unknown names alike cost one check, and then wait for what others recorded', async (t) => {
  for (const known of [await credentialOf('correct horse'), undefined]) {
    const steps: string[] = []
    const check = makePasswordCheck({
      users: { credentialOf: () => known, list: () => [] },
      catchUpNames: async () => void steps.push('catch up'),
      randomBytes,
      verify: async () => {
        steps.push('check')
        return WRONG
      },
    })
    t.is(await check({ name: 'alice', password: 'battery staple', canonical: '' }, 0), 'wrong')
    t.deepEqual(steps, ['check', 'catch up'])
  }
})

test('an unknown name costs the check of some user, always the same one', async (t) => {
  const [alice, bob] = [await credentialOf('correct horse'), await credentialOf('battery staple')]
  const dear = { user: { ...bob.user, name: 'bob' }, hash: { ...(bob.hash as PasswordHash), memory: 16 } }
  const byName = new Map([alice, dear].map((credential) => [credential.user.name, credential]))
  const costs: number[] = []
  const check = makePasswordCheck({
    users: { credentialOf: (name) => byName.get(name), list: () => [alice.user, dear.user] },
    catchUpNames: NOTHING_TO_CATCH_UP,
    randomBytes,
    verify: async ({ memory }) => ({ fits: false, cpu: costs.push(memory) * 0 }),
  })
  const costsOf = async (names: readonly string[]): Promise<ReadonlySet<number>> => {
    costs.length = 0
    for (const name of names) t.is(await check({ name, password: 'x', canonical: '' }, 0), 'wrong')
    return new Set(costs)
  }
  t.deepEqual([...(await costsOf(Array.from({ length: 40 }, (_, n) => `nobody ${n}`)))].sort(), [16, CHEAP.memory])
  t.is((await costsOf(Array(8).fill('mallory'))).size, 1)
})

test('an accepted password waits for no other instance', async (t) => {
  const known = await credentialOf('correct horse')
  const check = makePasswordCheck({
    users: { credentialOf: () => known, list: () => [] },
    catchUpNames: async () => t.fail(),
    randomBytes,
  })
  t.is(await check({ name: 'alice', password: 'correct horse', canonical: '' }, 0), known)
})
