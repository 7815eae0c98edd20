import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { NOTHING_TO_CATCH_UP } from '../../../src/users/catch-up.ts'
import type { Credential } from '../../../src/users/load-users.ts'
import { makePasswordCheck, type PasswordCheckOptions } from '../../../src/users/password-check.ts'
import { type PasswordHash, type VerifiedPassword, verifyPassword } from '../../../src/users/passwords/password.ts'
import { CHEAP, credentialOf, RIGHT, WRONG } from '../builders.ts'

/** Milliseconds that each check waits for a core. After it, or the CPU time, a rest outlasts what the next one waits. */
const WAITED = 20
const LIMITS = { runningMax: 1, rest: 100, timeoutMs: 500 }

const alices = (password: string): Promise<Credential> => credentialOf('alice', password)

/** Checks the passwords of one user, unless another one is given. */
const checkOf = (credential: () => Credential | undefined, more: Partial<PasswordCheckOptions> = {}) => {
  const { check, known } = makePasswordCheck({
    users: {
      credentialOf: credential,
      isCurrent: (one) => one === credential(),
      list: () => [credential() ?? []].flat().map(({ user }) => user),
    },
    ...{ catchUp: NOTHING_TO_CATCH_UP, randomBytes, ...more },
  })
  const credentialsOf = (password: string, name = 'alice') => ({ name, password, canonical: `${name}:${password}` })
  return {
    check: (password: string, { rank = 0, name = 'alice' } = {}) => check(credentialsOf(password, name), rank),
    isKnown: (password: string, name?: string) => known(credentialsOf(password, name)) !== undefined,
  }
}

/** Alice, and one check at a time with a given result. The second attempt is `full` if the slot rests. */
const twoAttempts = async (verified: VerifiedPassword): Promise<readonly unknown[]> => {
  const alice = await alices('correct horse')
  const { name } = alice.user
  const { check } = checkOf(() => alice, { verify: () => delay(WAITED, verified), limits: LIMITS })
  const outcomes: unknown[] = []
  for (let n = 0; n < 2; n++) {
    const checked = await check(`${n}`)
    outcomes.push(checked === alice.user ? name : checked)
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
  const [known, next] = await Promise.all([before, recorded].map((password) => password && alices(password)))
  let current = known || undefined
  const { check } = checkOf(() => current, {
    catchUp: async () => {
      await delay(0)
      current = next || undefined
    },
  })
  const checked = await check(sent)
  return typeof checked === 'string' ? checked : next && checked === next.user && 'the recorded one'
}

test('a name or password that another instance has just recorded is accepted, and one that none has is refused', async (t) => {
  t.deepEqual(await checkOnceRecorded('correct horse', 'battery staple', 'battery staple'), 'the recorded one')
  t.deepEqual(await checkOnceRecorded(undefined, 'correct horse', 'correct horse'), 'the recorded one')
  t.deepEqual(await checkOnceRecorded(undefined, 'correct horse', 'battery staple'), 'wrong')
  t.deepEqual(await checkOnceRecorded(undefined, undefined, 'correct horse'), 'wrong')
})

test('refusals of known and unknown names alike cost one check, and then wait for what others recorded', async (t) => {
  for (const known of [await alices('correct horse'), undefined]) {
    const steps: string[] = []
    const { check } = checkOf(() => known, {
      catchUp: async () => void steps.push('catch up'),
      verify: async () => {
        steps.push('check')
        return WRONG
      },
    })
    t.is(await check('battery staple'), 'wrong')
    t.deepEqual(steps, ['check', 'catch up'])
  }
})

test('an unknown name costs the check of some user, always the same one', async (t) => {
  const [alice, bob] = [await alices('correct horse'), await alices('battery staple')]
  const dear = { user: { ...bob.user, name: 'bob' }, hash: { ...(bob.hash as PasswordHash), memory: 16 } }
  const byName = new Map([alice, dear].map((credential) => [credential.user.name, credential]))
  const costs: number[] = []
  const { check } = checkOf(() => undefined, {
    users: { credentialOf: (name) => byName.get(name), isCurrent: () => true, list: () => [alice.user, dear.user] },
    verify: async ({ memory }) => ({ fits: false, cpu: costs.push(memory) * 0 }),
  })
  const costsOf = async (names: readonly string[]): Promise<ReadonlySet<number>> => {
    costs.length = 0
    for (const name of names) t.is(await check('x', { name }), 'wrong')
    return new Set(costs)
  }
  t.deepEqual([...(await costsOf(Array.from({ length: 40 }, (_, n) => `nobody ${n}`)))].sort(), [16, CHEAP.memory])
  t.is((await costsOf(Array(8).fill('mallory'))).size, 1)
})

test('an accepted password waits for no other instance', async (t) => {
  const known = await alices('correct horse')
  const { check } = checkOf(() => known, { catchUp: async () => t.fail() })
  t.is(await check('correct horse'), known.user)
})

test('a password that changes during its verification counts as changed', async (t) => {
  const [old, changed] = [await alices('correct horse'), await alices('battery staple')]
  let current = old
  const { check } = checkOf(() => current, {
    verify: async (hash, password) => {
      const verified = await verifyPassword(hash, password)
      current = changed
      return verified
    },
  })
  t.deepEqual(await Promise.all([check('correct horse'), check('battery staple')]), ['wrong', changed.user])
})

test('a caller with fewer attempts is checked before a crowd with more', async (t) => {
  const alice = await alices('correct horse')
  const { check } = checkOf(() => alice, { limits: { runningMax: 1, rest: 0, waitingMax: 8 } })
  const crowd = Array.from({ length: 50 }, (_, rank) => check(`wrong ${rank}`, { rank }))
  t.is(await check('correct horse', { rank: 50 }), 'full')
  t.is(await check('correct horse'), alice.user)
  t.deepEqual(new Set(await Promise.all(crowd)), new Set(['wrong', 'full']))
})

test('a failed hash computation rejects its check, and the next one tries again', async (t) => {
  const alice = await alices('correct horse')
  let calls = 0
  const { check, isKnown } = checkOf(() => alice, {
    verify: async () => {
      if (++calls === 1) throw new Error('out of memory')
      return RIGHT
    },
  })
  await t.throwsAsync(check('correct horse'), { message: 'out of memory' })
  t.false(isKnown('correct horse'))
  t.is(await check('correct horse'), alice.user)
})

test('of more verified credentials than are kept, the oldest are verified again', async (t) => {
  // Any spelling of a name is the same user.
  const alice = await alices('correct horse')
  const { check, isKnown } = checkOf(() => alice, { rememberedMax: 2 })
  const checked: string[] = []
  for (const name of ['alice', 'Alice', 'alice', 'ALICE', 'Alice', 'alice']) {
    if (isKnown('correct horse', name)) continue
    t.is(await check('correct horse', { name }), alice.user)
    checked.push(name)
  }
  t.deepEqual(checked, ['alice', 'Alice', 'ALICE', 'alice'])
})
