import { randomBytes } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import type { FirstUser } from '../../src/app/core/runtime.ts'
import { type Authentication, type AuthenticatorOptions, makeAuthenticator } from '../../src/users/authenticate.ts'
import type { Credential } from '../../src/users/load-users.ts'
import { type PasswordHash, parsePasswordHash, verifyPassword } from '../../src/users/passwords/password.ts'
import { anyCharacter } from '../characters.ts'
import { basic } from '../http/client.ts'
import { aUser, PASSWORDS_ONLY, RIGHT } from './builders.ts'

const credentialOf = ({ _id, name, role, password }: FirstUser): Credential => ({
  user: { _id, name, role, accessSince: 0 },
  hash: parsePasswordHash(password) as PasswordHash,
})

/** Users in memory and their authenticator. Records every password that is really verified. */
const given = async (records: readonly FirstUser[], more: Partial<AuthenticatorOptions> = {}) => {
  const byName = new Map(records.map((record) => [record.name, credentialOf(record)]))
  const users = {
    credentialOf: (name: string) => byName.get(name),
    isCurrent: (credential: Credential) => byName.get(credential.user.name) === credential,
    list: () => [...byName.values()].map(({ user }) => user),
  }
  const verified: string[] = []
  const verify: typeof verifyPassword = (hash, password) => {
    verified.push(password)
    return verifyPassword(hash, password)
  }
  const set = (record: FirstUser): void => void byName.set(record.name, credentialOf(record))
  const authenticator = makeAuthenticator({ ...PASSWORDS_ONLY, users, randomBytes, verify, ...more })
  return { byName, set, verified, ...authenticator }
}

const alice = () => aUser('alice', 'correct horse')
const asAlice = { kind: 'user', user: { _id: 'id-of-alice', name: 'alice', role: 'tester', accessSince: 0 } } as const
const wrong = { kind: 'wrong', name: 'alice' } as const

test('verified credentials are cached in any spelling of the header, and wrong ones never', async (t) => {
  const { authenticate, verified } = await given([await alice()])
  t.deepEqual(await authenticate(undefined), { kind: 'none' })
  const header = basic('alice', 'correct horse')
  t.true(authenticate(header) instanceof Promise)
  await authenticate(header)
  const digits = header.slice(6)
  t.regex(digits, /=$/)
  for (const same of [header, `basic ${digits}`, `BASIC    ${digits}`, `Basic ${digits.replace(/=+$/, '')}`])
    t.deepEqual(authenticate(same), asAlice)
  t.is(verified.length, 1)
  for (let n = 0; n < 3; n++) t.deepEqual(await authenticate(basic('alice', 'battery staple')), wrong)
  t.is(verified.length, 4)
})

test('simultaneous requests with the same credentials are verified once', async (t) => {
  const { authenticate, verified } = await given([await alice()])
  const same = Array.from({ length: 64 }, () => authenticate(basic('alice', 'correct horse')))
  const others = Array.from({ length: 64 }, () => authenticate(basic('alice', 'battery staple')))
  t.true((await Promise.all(same)).every(({ kind }) => kind === 'user'))
  t.true((await Promise.all(others)).every(({ kind }) => kind === 'wrong'))
  t.deepEqual([...verified].sort(), ['battery staple', 'correct horse'])
})

test('a changed password takes effect at once', async (t) => {
  const { authenticate, byName, set } = await given([await alice()])
  const ask = (password = 'correct horse') => authenticate(basic('alice', password))
  await ask()
  set(await aUser('alice', 'battery staple'))
  t.deepEqual([await ask(), await ask('battery staple')], [wrong, asAlice])
  byName.delete('alice')
  t.deepEqual(await ask('battery staple'), wrong)
  set(await aUser('alice', 'battery staple', { _id: 'another', role: 'auditor' }))
  const user = { _id: 'another', name: 'alice', role: 'auditor', accessSince: 0 } as const
  t.deepEqual(await ask('battery staple'), { kind: 'user', user })
})

test('a password that changes during its verification counts as changed', async (t) => {
  const changed = await aUser('alice', 'battery staple')
  let isChanged = false
  const { authenticate, set } = await given([await alice()], {
    verify: async (hash, password) => {
      const verified = await verifyPassword(hash, password)
      if (!isChanged) set(changed)
      isChanged = true
      return verified
    },
  })
  const old = authenticate(basic('alice', 'correct horse'))
  const late = authenticate(basic('alice', 'battery staple'))
  t.deepEqual([await old, await late], [wrong, asAlice])
})

test('a caller with fewer attempts is checked before a crowd with more', async (t) => {
  const { authenticate } = await given([await alice()], { limits: { runningMax: 1, rest: 0, waitingMax: 8 } })
  const askAs = (rank: number, password: string) =>
    authenticate(
      basic('alice', password),
      () => true,
      () => rank,
    )
  const crowd = Array.from({ length: 50 }, (_, i) => askAs(i, `wrong ${i}`))
  t.deepEqual(await askAs(50, 'correct horse'), { kind: 'overloaded' })
  t.deepEqual(await askAs(0, 'correct horse'), asAlice)
  const kinds = new Set((await Promise.all(crowd)).map(({ kind }) => kind))
  t.deepEqual(kinds, new Set(['wrong', 'overloaded']))
})

test('a failed hash computation rejects all waiting callers, and the next call retries', async (t) => {
  let calls = 0
  const { authenticate } = await given([await alice()], {
    verify: async () => {
      if (++calls === 1) throw new Error('out of memory')
      return RIGHT
    },
  })
  await t.throwsAsync(async () => authenticate(basic('alice', 'correct horse')), { message: 'out of memory' })
  t.deepEqual(await authenticate(basic('alice', 'correct horse')), asAlice)
})

test('of more verified credentials than are kept, the oldest are verified again', async (t) => {
  const credential = credentialOf(await alice())
  const { authenticate, verified } = await given([], {
    // Any spelling of a name is the same user.
    users: { credentialOf: () => credential, isCurrent: () => true, list: () => [credential.user] },
    rememberedMax: 2,
  })
  const counts: number[] = []
  for (const spelling of ['alice', 'Alice', 'alice', 'ALICE', 'Alice', 'alice']) {
    t.deepEqual(await authenticate(basic(spelling, 'correct horse')), asAlice)
    counts.push(verified.length)
  }
  t.deepEqual(counts, [1, 2, 2, 3, 3, 4])
})

test('no malformed header throws or authenticates, and no error repeats it', async (t) => {
  const password = 'CaNaRy0123456789'
  const right = Buffer.from(`alice:${password}`).toString('base64')
  const { authenticate } = await given([await aUser('alice', password)])
  const spoiled = fc
    .tuple(fc.nat(right.length), fc.string({ unit: anyCharacter, minLength: 1, maxLength: 3 }))
    .map(([at, more]) => `Basic ${right.slice(0, at)}${more}${right.slice(at)}`)
  const header = fc.oneof(
    fc.string(),
    fc.string({ unit: anyCharacter }),
    fc.string({ unit: anyCharacter }).map((text) => `Basic ${text}`),
    fc.base64String().map((text) => `Basic ${text}`),
    fc.uint8Array().map((bytes) => `basic ${Buffer.from(bytes).toString('base64')}`),
    fc.nat(right.length - 1).map((end) => `Basic ${right.slice(0, end)}`),
    spoiled,
  )
  await fc.assert(
    fc.asyncProperty(header, async (text) => {
      fc.pre(Buffer.from(text.replace(/^basic +/i, ''), 'base64').toString() !== `alice:${password}`)
      const result = await authenticate(text)
      return result.kind !== 'user' && !('detail' in result && result.detail.includes(password))
    }),
    { numRuns: 1000 },
  )
  t.is((await authenticate(`Basic ${right}`)).kind, 'user')
})

const TOKEN = 'berth_abc'
const TOKEN_USER = { _id: 'carol', name: 'carol', role: 'tester', accessSince: 0, token: 'abc' } as const

/** An authenticator that knows a token and a session, and users of these names, who all have the same password. */
const withTokens = async ({ isReady = true, names = ['alice'], recorded = [] as readonly string[] } = {}) => {
  const records = await Promise.all(names.map((name) => aUser(name, 'correct horse')))
  const later = await Promise.all(recorded.map((name) => aUser(name, 'correct horse')))
  const tried: string[] = []
  const { authenticate, set, ...others } = await given(records, {
    catchUpTokens: async () => later.forEach(set),
    sessions: {
      isSessionLike: (text) => text.includes('.'),
      isReady: () => isReady,
      userOf: (text) => (text === 'good.session' ? TOKEN_USER : text === 'old.session' ? 'ended' : 'wrong'),
    },
    tokens: {
      isTokenLike: (text) => /^berth_/i.test(text),
      isReady: () => isReady,
      userOf: (token) => (token === TOKEN ? TOKEN_USER : undefined),
    },
  })
  const whoIs = async (result: Authentication | Promise<Authentication>): Promise<string> => {
    const settled = await result
    return settled.kind === 'user' ? settled.user.name : settled.kind
  }
  return {
    ...others,
    tried,
    whoIs,
    ask: (header: string) => whoIs(authenticate(header, (name) => tried.push(name) > 0)),
  }
}

test('a wrong token costs no hashing and is no attempt at a name', async (t) => {
  const { ask, verified, tried } = await withTokens()
  const headers = ['Bearer berth_x', 'Bearer alice', `Bearer ${TOKEN}=`, basic('berth_x', ''), basic('BERTH_ABC', 'x')]
  for (const header of [...headers, 'Bearer forged.session']) t.is(await ask(header), 'wrong_token', header)
  t.deepEqual([verified, tried], [[], []])
})

test('an imported user whose name begins as a token signs in with its password, also just after the import', async (t) => {
  for (const known of [{ names: ['berth_robot'] }, { recorded: ['berth_robot'] }]) {
    const { ask, tried } = await withTokens(known)
    t.is(await ask(basic('berth_robot', 'correct horse')), 'berth_robot')
    t.is(await ask(basic('berth_robot', 'battery staple')), 'wrong')
    t.is(await ask(basic('berth_other', 'correct horse')), 'wrong_token')
    t.deepEqual(tried, ['berth_robot', 'berth_robot'])
  }
})
