import { randomBytes } from 'node:crypto'
import test from 'ava'
import { type Authentication, makeAuthenticator } from '../../src/users/authenticate.ts'
import type { Credential } from '../../src/users/load-users.ts'
import { type PasswordHash, parsePasswordHash, verifyPassword } from '../../src/users/passwords/password.ts'
import { basic } from '../http/client.ts'
import { ALONE, cheapHash } from './builders.ts'

/** Tokens in Authorization headers, beside names and passwords. */

/** Where these texts are tokens of a user. */
const tokensOf = (good: string, isReady = true) => ({
  isTokenLike: (text: string) => /^berth_/i.test(text),
  isReady: () => isReady,
  userOf: (token: string) => (token === good ? TOKEN_USER : undefined),
})
/** Where these texts are a session of a user, which one that is over was too. */
const SESSIONS = {
  isSessionLike: (text: string) => text.includes('.'),
  userOf: (text: string) => (text === 'good.session' ? TOKEN_USER : text === 'old.session' ? 'ended' : 'wrong'),
} as const
const TOKEN = 'berth_abc'
const TOKEN_USER = { _id: 'carol', name: 'carol', role: 'tester', accessSince: 0, token: 'abc' } as const

const PASSWORD = 'correct horse'

interface Known {
  readonly isReady?: boolean
  readonly names?: readonly string[]
  /** Known once this instance has caught up with the others. */
  readonly recorded?: string
}

/** An authenticator with that token, and with users of these names, who all have the same password. */
const withTokens = async ({ isReady = true, names = ['alice'], recorded }: Known = {}) => {
  const hash = parsePasswordHash(await cheapHash(PASSWORD)) as PasswordHash
  const credentialOf = (name: string): Credential => ({
    user: { _id: name, name, role: 'tester', accessSince: 0 },
    hash,
  })
  const byName = new Map(names.map((name) => [name, credentialOf(name)]))
  const [verified, tried]: [string[], string[]] = [[], []]
  const { authenticate, signIn } = makeAuthenticator({
    ...ALONE,
    catchUpTokens: async () => {
      if (recorded !== undefined) byName.set(recorded, credentialOf(recorded))
    },
    sessions: { ...SESSIONS, isReady: () => isReady },
    tokens: tokensOf(TOKEN, isReady),
    users: {
      credentialOf: (name) => byName.get(name),
      isCurrent: () => true,
      list: () => [...byName.values()].map(({ user }) => user),
    },
    randomBytes,
    verify: (of, password) => {
      verified.push(password)
      return verifyPassword(of, password)
    },
  })
  const mayTry = (name: string): boolean => tried.push(name) > 0
  return { verified, tried, signIn, authenticate: (header: string) => authenticate(header, mayTry) }
}

/** The name that a password was right for, or the kind of the refusal. */
const whoIs = async (result: Authentication | Promise<Authentication>): Promise<string> => {
  const settled = await result
  return settled.kind === 'user' ? settled.user.name : settled.kind
}

test('a token counts as Bearer, and as a user name with any password, and costs no hashing', async (t) => {
  const { authenticate, verified, tried } = await withTokens()
  const headers = [`Bearer ${TOKEN}`, `bearer  ${TOKEN}`, basic(TOKEN, ''), basic(TOKEN, 'x'), basic(TOKEN, 'y:z')]
  for (const header of headers) t.deepEqual(authenticate(header) as Authentication, { kind: 'user', user: TOKEN_USER })
  t.deepEqual([verified, tried], [[], []])
})

test('a wrong token costs no hashing and is no attempt at a name', async (t) => {
  const { authenticate, verified, tried } = await withTokens()
  const headers = ['Bearer berth_x', 'Bearer alice', `Bearer ${TOKEN}=`, basic('berth_x', ''), basic('BERTH_ABC', 'x')]
  for (const header of headers) t.deepEqual(await authenticate(header), { kind: 'wrong_token' }, header)
  t.deepEqual([verified, tried], [[], []])
  t.is(await whoIs(authenticate(basic('alice', PASSWORD))), 'alice')
})

test('while tokens are unknown passwords work and tokens do not', async (t) => {
  const { authenticate } = await withTokens({ isReady: false })
  for (const header of [`Bearer ${TOKEN}`, 'Bearer berth_x', basic(TOKEN, '')])
    t.deepEqual(authenticate(header) as Authentication, { kind: 'unready' })
  t.is(await whoIs(authenticate(basic('alice', PASSWORD))), 'alice')
})

test('an imported user whose name begins as a token signs in with its password', async (t) => {
  const { authenticate, tried } = await withTokens({ names: ['berth_robot'] })
  t.is(await whoIs(authenticate(basic('berth_robot', PASSWORD))), 'berth_robot')
  t.is(await whoIs(authenticate(basic('berth_robot', 'battery staple'))), 'wrong')
  t.is(await whoIs(authenticate(basic('berth_other', PASSWORD))), 'wrong_token')
  t.is(await whoIs(authenticate('Bearer berth_robot')), 'wrong_token')
  t.deepEqual(tried, ['berth_robot', 'berth_robot'])
})

test('such a user that another instance has just imported signs in with its password', async (t) => {
  const { authenticate, tried } = await withTokens({ recorded: 'berth_robot' })
  t.is(await whoIs(authenticate(basic('berth_robot', PASSWORD))), 'berth_robot')
  t.deepEqual(tried, ['berth_robot'])
})

test('a session counts as Bearer only, and costs no hashing', async (t) => {
  const { authenticate, verified, tried } = await withTokens()
  t.deepEqual(authenticate('Bearer good.session') as Authentication, { kind: 'user', user: TOKEN_USER })
  t.deepEqual(authenticate('Bearer old.session') as Authentication, { kind: 'ended_session' })
  t.deepEqual(authenticate('Bearer forged.session') as Authentication, { kind: 'wrong_token' })
  t.deepEqual([verified, tried], [[], []])
  t.is(await whoIs(authenticate(basic('good.session', ''))), 'wrong')
})

test('while ended sessions are unknown no session counts', async (t) => {
  const { authenticate } = await withTokens({ isReady: false })
  for (const session of ['good.session', 'old.session', 'forged.session'])
    t.deepEqual(authenticate(`Bearer ${session}`) as Authentication, { kind: 'unready' })
})

test('one signs in with a name and a password, not with a token in place of the name', async (t) => {
  const { signIn, authenticate } = await withTokens()
  t.is(await whoIs(signIn({ name: 'alice', password: PASSWORD })), 'alice')
  t.is(await whoIs(signIn({ name: 'alice', password: 'battery staple' })), 'wrong')
  for (const password of ['', PASSWORD]) t.is(await whoIs(signIn({ name: TOKEN, password })), 'wrong')
  t.is(await whoIs(authenticate(basic(TOKEN, PASSWORD))), TOKEN_USER.name)
})
