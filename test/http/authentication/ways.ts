import { type Client, connectTo, passwordOf } from '../client.ts'
import type { Running, Tidying } from '../harness.ts'
import type { Asker, Entry, Expected } from './roles.ts'

/** Ways of signing in: with what a request is sent. */
export const WAYS = ['password', 'token', 'session', 'token of a tester', 'token of an auditor'] as const
export type Way = (typeof WAYS)[number]

/** Only administrators have tokens of other roles. */
const LOWER: Readonly<Partial<Record<Way, string>>> = {
  'token of a tester': 'a tester',
  'token of an auditor': 'an auditor',
}

/** What is answered to an asker who signs in one way; undefined where nobody has such credentials. */
export const expectedOf = (entry: Entry, asker: Asker, way: Way): Expected | undefined => {
  const lower = LOWER[way]
  if (lower !== undefined && !asker.startsWith('an administrator')) return undefined
  const judged = lower === undefined ? asker : (asker.replace('an administrator', lower) as Asker)
  const more = { password: undefined, session: entry.withSession, token: entry.withToken }
  const [kind = 'token'] = way.split(' ') as (keyof typeof more)[]
  return more[kind]?.[judged] ?? entry.expected[judged]
}

/** Clients of users who have signed in, by name and way. */
export interface SignedIn {
  readonly client: (name: string, way: Way) => Promise<Client>
  /** Sessions have ended: sign in again. */
  readonly forget: () => void
}

export const makeSignedIn = (t: Tidying, service: Running): SignedIn => {
  const connections = connectTo(service.port)
  t.teardown(connections.close)
  const known = new Map<string, string>()
  const signIn = async (name: string, way: Way): Promise<string> => {
    if (way === 'session') {
      const { json } = await service.anyone.post('/api/login', { name, password: passwordOf(name) })
      return String(json.session)
    }
    const role = / of an? (.*)$/.exec(way)?.[1]
    const { json } = await service.as(name).post('/api/user/me/token', { name: way, ...(role && { role }) })
    return String(json.token)
  }
  return {
    client: async (name, way) => {
      if (way === 'password') return service.as(name)
      const key = `${name}, ${way}`
      const credentials = known.get(key) ?? (await signIn(name, way))
      known.set(key, credentials)
      return connections.client({ Authorization: `Bearer ${credentials}` })
    },
    forget: () => known.clear(),
  }
}
