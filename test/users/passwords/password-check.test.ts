import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import type { Credential } from '../../../src/users/load-users.ts'
import { makePasswordCheck } from '../../../src/users/password-check.ts'
import { type PasswordHash, parsePasswordHash, type VerifiedPassword } from '../../../src/users/passwords/password.ts'
import { aUser } from '../builders.ts'

/** Milliseconds that each check waits for a core. After it, or the CPU time, a rest outlasts what the next one waits. */
const WAITED = 20
const LIMITS = { runningMax: 1, rest: 100, waitMax: 100, waitingMax: 8 }

/** Alice, and one check at a time with a given result. The second attempt is `full` if the slot rests. */
const twoAttempts = async (verified: VerifiedPassword): Promise<readonly unknown[]> => {
  const { _id, name, role, password } = await aUser('alice', 'correct horse')
  const alice: Credential = {
    user: { _id, name, role, accessSince: 0 },
    hash: parsePasswordHash(password) as PasswordHash,
  }
  const check = makePasswordCheck({
    users: { credentialOf: () => alice, list: () => [alice.user] },
    randomBytes,
    verify: () => delay(WAITED, verified),
    limits: LIMITS,
    wait: async () => undefined,
  })
  const outcomes: unknown[] = []
  for (let n = 0; n < 2; n++) {
    const found = await check({ name, password: `${n}`, canonical: `${n}` }, 0)
    outcomes.push(found === alice ? name : found)
  }
  return outcomes
}

test('a wrong password that took CPU time makes its slot rest', async (t) => {
  t.deepEqual(await twoAttempts({ fits: false, cpu: 10 }), ['wrong', 'full'])
})

test('a wrong password that only waited for a core makes its slot rest no longer', async (t) => {
  t.deepEqual(await twoAttempts({ fits: false, cpu: 0 }), ['wrong', 'wrong'])
})

test('a right password makes its slot rest no longer, whatever it took', async (t) => {
  t.deepEqual(await twoAttempts({ fits: true, cpu: 10 }), ['alice', 'alice'])
})
