import { randomBytes } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import type { FirstUser } from '../../src/app/accounts/first-users.ts'
import { type Authentication, makeAuthenticator } from '../../src/users/authenticate.ts'
import type { Credential } from '../../src/users/load-users.ts'
import { type PasswordHash, parsePasswordHash, verifyPassword } from '../../src/users/passwords/password.ts'
import { anyCharacter } from '../characters.ts'
import { basic } from '../http/client.ts'
import { aUser, cheapHash, PASSWORDS_ONLY, RIGHT } from './builders.ts'

const credentialOf = (record: FirstUser): Credential => {
  const { _id, name, role } = record
  return { user: { _id, name, role, accessSince: 0 }, hash: parsePasswordHash(record.password) as PasswordHash }
}

/** Users in memory and their authenticator. Records every password that is really verified. */
const given = async (...records: readonly FirstUser[]) => {
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
  return {
    users,
    byName,
    set,
    verify,
    verified,
    ...makeAuthenticator({ ...PASSWORDS_ONLY, users, randomBytes, verify }),
  }
}

const alice = () => aUser('alice', 'correct horse')
const asAlice = { kind: 'user', user: { _id: 'id-of-alice', name: 'alice', role: 'tester', accessSince: 0 } } as const

test('a right password identifies the user, a wrong one is only reported as wrong', async (t) => {
  const { authenticate } = await given(await alice())
  t.deepEqual(await authenticate(basic('alice', 'correct horse')), asAlice)
  t.deepEqual(await authenticate(basic('alice', 'battery staple')), { kind: 'wrong', name: 'alice' })
  t.deepEqual(await authenticate(basic('mallory', 'correct horse')), { kind: 'wrong', name: 'mallory' })
  t.deepEqual(await authenticate(undefined), { kind: 'none' })
})

test('verified credentials are cached: the next check is synchronous and hashes nothing', async (t) => {
  const { authenticate, verified } = await given(await alice())
  const header = basic('alice', 'correct horse')
  t.true(authenticate(header) instanceof Promise)
  await authenticate(header)
  t.deepEqual(authenticate(header), asAlice)
  t.is(verified.length, 1)
})

test('cached credentials match in any equivalent spelling of the header', async (t) => {
  const { authenticate, verified } = await given(await alice())
  await authenticate(basic('alice', 'correct horse'))
  const digits = basic('alice', 'correct horse').slice(6)
  t.regex(digits, /=$/)
  for (const header of [`basic ${digits}`, `BASIC    ${digits}`, `Basic ${digits.replace(/=+$/, '')}`]) {
    t.deepEqual(authenticate(header), asAlice)
  }
  t.is(verified.length, 1)
})

test('a wrong password is never cached', async (t) => {
  const { authenticate, verified } = await given(await alice())
  for (let i = 0; i < 3; i++) await authenticate(basic('alice', 'battery staple'))
  t.is(verified.length, 3)
})

test('simultaneous requests with the same credentials are verified once', async (t) => {
  const { authenticate, verified } = await given(await alice())
  const same = Array.from({ length: 64 }, () => authenticate(basic('alice', 'correct horse')))
  const wrong = Array.from({ length: 64 }, () => authenticate(basic('alice', 'battery staple')))
  t.true((await Promise.all(same)).every(({ kind }) => kind === 'user'))
  t.true((await Promise.all(wrong)).every(({ kind }) => kind === 'wrong'))
  t.deepEqual([...verified].sort(), ['battery staple', 'correct horse'])
})

test('a changed password takes effect at once', async (t) => {
  const { authenticate, set } = await given(await alice())
  await authenticate(basic('alice', 'correct horse'))
  set(await aUser('alice', 'battery staple'))
  t.deepEqual(await authenticate(basic('alice', 'correct horse')), { kind: 'wrong', name: 'alice' })
  t.deepEqual(await authenticate(basic('alice', 'battery staple')), asAlice)
})

test('a removed user is refused at once, and a new user of that name is another user', async (t) => {
  const { authenticate, byName, set } = await given(await alice())
  await authenticate(basic('alice', 'correct horse'))
  byName.delete('alice')
  t.deepEqual(await authenticate(basic('alice', 'correct horse')), { kind: 'wrong', name: 'alice' })
  set(await aUser('alice', 'correct horse', { _id: 'another', role: 'auditor' }))
  const user = { _id: 'another', name: 'alice', role: 'auditor', accessSince: 0 } as const
  t.deepEqual(await authenticate(basic('alice', 'correct horse')), { kind: 'user', user })
})

test('a changed role takes effect at once', async (t) => {
  const record = await alice()
  const { authenticate, set } = await given(record)
  await authenticate(basic('alice', 'correct horse'))
  set({ ...record, role: 'administrator' })
  const user = { ...asAlice.user, role: 'administrator' } as const
  t.deepEqual(await authenticate(basic('alice', 'correct horse')), { kind: 'user', user })
})

test('a password that changes during its verification counts as changed', async (t) => {
  const { users, byName, set } = await given(await alice())
  const changed = await aUser('alice', 'battery staple')
  const verify: typeof verifyPassword = async (hash, password) => {
    const verified = await verifyPassword(hash, password)
    if (byName.get('alice')?.hash?.tag.join() !== parsePasswordHash(changed.password)?.tag.join()) set(changed)
    return verified
  }
  const { authenticate } = makeAuthenticator({ ...PASSWORDS_ONLY, users, randomBytes, verify })
  const old = authenticate(basic('alice', 'correct horse'))
  const late = authenticate(basic('alice', 'battery staple'))
  t.deepEqual(await old, { kind: 'wrong', name: 'alice' })
  t.deepEqual(await late, asAlice)
})

test('an unknown name is refused, even if every hash matches', async (t) => {
  const { users } = await given()
  const { authenticate } = makeAuthenticator({ ...PASSWORDS_ONLY, users, randomBytes, verify: async () => RIGHT })
  t.deepEqual(await authenticate(basic('mallory', 'correct horse')), { kind: 'wrong', name: 'mallory' })
})

test('a flood of wrong passwords for one name does not lock out another user', async (t) => {
  const { authenticate } = await given(await alice(), await aUser('bob', 'battery staple'))
  const ended: string[] = []
  const flood = Array.from({ length: 500 }, async (_, i) => {
    const { kind } = await authenticate(
      basic('bob', `wrong password ${i}`),
      () => true,
      () => i,
    )
    ended.push(kind)
    return kind
  })
  const { kind } = await authenticate(basic('alice', 'correct horse'))
  const checkedBefore = ended.filter((ending) => ending === 'wrong').length
  t.is(kind, 'user')
  t.true(checkedBefore < 8)
  const kinds = new Set(await Promise.all(flood))
  t.deepEqual(kinds, new Set(['wrong', 'overloaded']))
})

test('a locked-out check is neither made nor counted, and cached credentials skip the lockout', async (t) => {
  const { authenticate, verified } = await given(await alice())
  await authenticate(basic('alice', 'correct horse'))
  const consulted: string[] = []
  const mayTry = (name: string): boolean => {
    consulted.push(name)
    return false
  }
  t.deepEqual(authenticate(basic('alice', 'correct horse'), mayTry), asAlice)
  t.deepEqual(authenticate(basic('alice', 'battery staple'), mayTry), { kind: 'barred', name: 'alice' })
  t.deepEqual(consulted, ['alice'])
  t.is(verified.length, 1)
})

test('a lockout is consulted once for credentials that are being verified', async (t) => {
  const { authenticate, verified } = await given(await alice())
  const consulted: string[] = []
  const mayTry = (name: string): boolean => consulted.push(name) === 1
  const header = basic('alice', 'correct horse')
  const same = Array.from({ length: 64 }, () => authenticate(header, mayTry))
  t.true((await Promise.all(same)).every(({ kind }) => kind === 'user'))
  t.deepEqual(consulted, ['alice'])
  t.is(verified.length, 1)
})

test('a caller with fewer attempts is checked before a crowd with more', async (t) => {
  const { users, verify } = await given(await alice())
  const limits = { runningMax: 1, rest: 0, waitMax: 60_000, waitingMax: 8 }
  const { authenticate } = makeAuthenticator({ ...PASSWORDS_ONLY, users, randomBytes, verify, limits })
  const askAs = (rank: number, password: string) =>
    authenticate(
      basic('alice', password),
      () => true,
      () => rank,
    )
  await askAs(0, 'wrong')
  const crowd = Array.from({ length: 50 }, (_, i) => askAs(i, `wrong ${i}`))
  t.deepEqual(await askAs(50, 'correct horse'), { kind: 'overloaded' })
  t.deepEqual(await askAs(0, 'correct horse'), asAlice)
  await Promise.all(crowd)
})

test('a failed hash computation rejects all waiting callers, and the next call retries', async (t) => {
  const { users } = await given(await alice())
  let calls = 0
  const verify: typeof verifyPassword = async () => {
    if (++calls === 1) throw new Error('out of memory')
    return RIGHT
  }
  const { authenticate } = makeAuthenticator({ ...PASSWORDS_ONLY, users, randomBytes, verify })
  await t.throwsAsync(async () => authenticate(basic('alice', 'correct horse')), { message: 'out of memory' })
  t.deepEqual(await authenticate(basic('alice', 'correct horse')), asAlice)
})

test('names and passwords are UTF-8, separated by the first colon', async (t) => {
  const record = { ...(await aUser('x', 'x')), name: 'Zoë \u{1f511}', password: await cheapHash('pass:wörd:') }
  const { authenticate } = await given(record)
  t.is((await authenticate(basic('Zoë \u{1f511}', 'pass:wörd:'))).kind, 'user')
  t.is((await authenticate(basic('Zoe\u0308 \u{1f511}', 'pass:wörd:'))).kind, 'wrong')
})

const digits = Buffer.from('alice:correct horse').toString('base64')

const malformed: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['the scheme alone', 'Basic'],
  ['no blank after the scheme', `Basic${digits}`],
  ['a tab after the scheme', `Basic\t${digits}`],
  ['another scheme', `Digest ${digits}`],
  ['a token with a comma', 'Bearer berth_a,b'],
  ['a scheme of tokens alone', 'Bearer '],
  ['base64url', `Basic ${Buffer.from('alice:\u07ff\u07ff\u07ff').toString('base64url')}`],
  ['a blank inside', `Basic ${digits.slice(0, 8)} ${digits.slice(8)}`],
  ['trailing text', `Basic ${digits},`],
  ['too much padding', `Basic ${digits}=`],
  ['too little padding', `Basic ${Buffer.from('a:bcdefghi').toString('base64').slice(0, -1)}`],
  ['bits after the last byte', `Basic ${Buffer.from('a:bcdefghi').toString('base64').replace('Q==', 'R==')}`],
  ['a single digit', 'Basic Q'],
  ['no colon', `Basic ${Buffer.from('alice').toString('base64')}`],
  ['no name', `Basic ${Buffer.from(':correct horse').toString('base64')}`],
  ['bytes that are not UTF-8', `Basic ${Buffer.from([0x61, 0x3a, 0xff]).toString('base64')}`],
  ['an overlong encoding', `Basic ${Buffer.from([0x61, 0x3a, 0xc0, 0x80]).toString('base64')}`],
  ['a line break in the password', `Basic ${Buffer.from('alice:correct horse\n').toString('base64')}`],
  ['a null byte in the name', `Basic ${Buffer.from('alice\0:correct horse').toString('base64')}`],
  ['a name of 513 characters', `Basic ${Buffer.from(`${'x'.repeat(513)}:y`).toString('base64')}`],
  ['five thousand blanks', `Basic ${' '.repeat(5000)}${digits}`],
]

for (const [what, header] of malformed) {
  test(`an Authorization header with ${what} is malformed and costs no hashing`, async (t) => {
    const { authenticate, verified } = await given(await alice())
    const result = authenticate(header) as Authentication
    t.is(result.kind, 'malformed')
    t.is(verified.length, 0)
  })
}

test('no malformed header throws or authenticates, and no error repeats it', async (t) => {
  const password = 'CaNaRy0123456789'
  const right = Buffer.from(`alice:${password}`).toString('base64')
  const { authenticate } = await given(await aUser('alice', password))
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
  let seen = 0
  await fc.assert(
    fc.asyncProperty(header, async (text) => {
      fc.pre(Buffer.from(text.replace(/^basic +/i, ''), 'base64').toString() !== `alice:${password}`)
      seen++
      const result = await authenticate(text)
      return result.kind !== 'user' && !('detail' in result && result.detail.includes(password))
    }),
    { numRuns: 1000 },
  )
  t.true(seen >= 1000)
  t.is((await authenticate(`Basic ${right}`)).kind, 'user')
})
