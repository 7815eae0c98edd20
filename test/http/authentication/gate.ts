import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import { makeGate } from '../../../src/http/authentication/gate.ts'
import { makeClientAddresses } from '../../../src/http/protocol/client-address.ts'
import { NOTHING_TO_CATCH_UP } from '../../../src/users/catch-up.ts'
import type { Credential } from '../../../src/users/load-users.ts'
import { verifyPassword } from '../../../src/users/passwords/password.ts'
import { makeToken, makeTokens } from '../../../src/users/tokens.ts'
import { credentialOf } from '../../users/builders.ts'
import { basic, passwordOf } from '../client.ts'

export const HERE = '192.0.2.7'
export const ELSEWHERE = '198.51.100.1'
export const PROXY = '10.0.0.1'
export const ALICE = basic('alice')

export const by = (client: string) => ({ 'x-forwarded-for': client })
export const times = (count: number, answer: string): string[] => Array.from({ length: count }, () => answer)
export const wrongToken = (): string => `Bearer ${makeToken(randomBytes).token}`

/** Tokens and sessions of a user. */
const credentialsFor = (user: Credential['user'], clock: () => number) => {
  const { _id, token, hash } = makeToken(randomBytes)
  const known = { _id, hash, user_id: user._id, role: user.role, created_at: '', expires_at: null, revoked_at: null }
  const sessionOf = (text: string) => {
    if (text === 'a.session') return { ...user, session: { _id: 'x', epoch: 'e', renewableUntil: 0 } }
    return text === 'an.old.session' ? 'ended' : 'wrong'
  }
  return {
    token,
    sessions: { userOf: sessionOf } as const,
    tokens: makeTokens({
      ...{ find: (id) => (id === _id ? known : undefined), clock },
      users: { byId: (id) => (id === user._id ? user : undefined) },
    }),
  }
}

interface Options {
  readonly verify?: typeof verifyPassword
  readonly others?: readonly string[]
  /** Users that another instance has just recorded. */
  readonly recorded?: readonly string[]
}

/**
 * A gate for Alice, Bob and others with a stopped clock. Alice also has a token and a session. `ask` returns a name, or
 * a code with Retry-After.
 */
export const given = async ({ verify = verifyPassword, others = [], recorded = [] }: Options = {}) => {
  const byName = new Map<string, Credential>()
  const set = async (name: string, password = passwordOf(name)): Promise<void> => {
    byName.set(name, await credentialOf(name, password))
  }
  for (const name of ['alice', 'bob', ...others]) await set(name)
  const users = {
    credentialOf: (name: string) => byName.get(name),
    isCurrent: (credential: Credential) => byName.get(credential.user.name) === credential,
    list: () => [...byName.values()].map(({ user }) => user),
  }
  const clock = { now: Date.parse('2030-05-02T05:58:11.400Z') }
  const verified: string[] = []
  /** Of each request, whether its answer had to be waited for. */
  const waited: boolean[] = []
  let isReady = true
  const { user } = byName.get('alice') as Credential
  const { token, ...credentials } = credentialsFor(user, () => clock.now)
  const { admit } = makeGate({
    ...{ ...credentials, users, randomBytes, limits: { rest: 0, timeoutMs: 300_000 } },
    addresses: makeClientAddresses([{ family: 'ipv4', address: PROXY, prefix: 32 }]),
    isUpToDate: () => true,
    isReady: () => isReady,
    catchUp:
      recorded.length === 0
        ? NOTHING_TO_CATCH_UP
        : async () => void (await Promise.all(recorded.map((name) => set(name)))),
    clock: () => clock.now,
    verify: (hash, password) => {
      verified.push(password)
      return verify(hash, password)
    },
  })
  const proxied = { remoteAddress: PROXY }
  /** The proxy has a single connection. Others open a new one for each request. */
  const ask = async (remoteAddress: string, authorization?: string, more: object = {}): Promise<string> => {
    const headers = { ...(authorization !== undefined && { authorization }), ...more }
    const socket = remoteAddress === PROXY ? proxied : { remoteAddress }
    const admitting = admit({ headers, socket } as unknown as IncomingMessage)
    waited.push(admitting instanceof Promise)
    const admitted = await admitting
    if (E.isRight(admitted)) return admitted.right.name
    const { code, retryAfter } = admitted.left
    return retryAfter === undefined ? code : `${code} ${retryAfter}`
  }
  let guesses = 0
  const guess = (address: string, name = 'alice', more: object = {}): Promise<string> =>
    ask(address, basic(name, `wrong ${guesses++}`), more)
  const askOften = async (count: number, asking: (n: number) => Promise<string>): Promise<string[]> => {
    const answers: string[] = []
    for (let n = 0; n < count; n++) answers.push(await asking(n))
    return answers
  }
  return {
    ...{
      clock,
      verified,
      waited,
      token,
      set,
      remove: (name: string) => byName.delete(name),
      ask,
      guess,
      askOften,
    },
    guessOften: (count: number, address: string, name?: string, more?: object) =>
      askOften(count, () => guess(address, name, more)),
    setReady: (to: boolean): void => {
      isReady = to
    },
  }
}
