import { type Client, connectTo, passwordOf } from '../client.ts'
import type { Running, Tidying } from '../harness.ts'
import { type Asker, type Expected, FORBIDDEN, MAY, type ScopedAsker } from './askers.ts'
import type { Entry } from './roles.ts'

const FOR_METRICS = 'token for metrics'
/** Ways of signing in: with what a request is sent. */
export const WAYS = ['password', 'token', 'session', 'token of a tester', 'token of an auditor', FOR_METRICS] as const
export type Way = (typeof WAYS)[number]

/** Only administrators have tokens of other roles. */
const LOWER: Readonly<Partial<Record<Way, string>>> = {
  'token of a tester': 'a tester',
  'token of an auditor': 'an auditor',
}

const isScoped = (asker: Asker | ScopedAsker): asker is ScopedAsker => asker.startsWith('a tester with a scope')

const NOT_FOUND = [
  ['/api/sut_reservation/:id', 'reservation_not_found'],
  ['/api/sut_reservation_series/:id', 'series_not_found'],
  ['/api/sut_request/:id', 'request_not_found'],
  ['/api/sut/:id', 'sut_not_found'],
  ['/api/user/:id', 'user_not_found'],
] as const

/** What is outside a scope is answered like what does not exist. */
const expectedOutside = (route: string, inside: Expected): Expected => {
  if (inside === FORBIDDEN) return inside
  const [, code] = NOT_FOUND.find(([path]) => route.split(' ')[1]?.startsWith(path)) ?? []
  return code === undefined ? inside : [404, code]
}

const expectedOfScoped = (route: string, entry: Entry, asker: ScopedAsker, way: Way): Expected | undefined => {
  const [unscoped, outside] = asker.replace('a tester with a scope', 'a tester').split(' outside')
  const expected = expectedOf(route, entry, `${unscoped}${outside ?? ''}` as Asker, way)
  return outside === undefined || expected === undefined ? expected : expectedOutside(route, expected)
}

/** What is answered to an asker who signs in one way; undefined where nobody has such credentials. */
export const expectedOf = (route: string, entry: Entry, asker: Asker | ScopedAsker, way: Way): Expected | undefined => {
  if (isScoped(asker)) return expectedOfScoped(route, entry, asker, way)
  if (way === FOR_METRICS) {
    if (asker.startsWith('a tester')) return undefined
    if (entry.withoutCredentials !== undefined) return entry.expected[asker]
    return route === 'GET /metrics' ? MAY : FORBIDDEN
  }
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
    const scope = way === FOR_METRICS && { scope: 'metrics' }
    const { json } = await service.as(name).post('/api/user/me/token', { name: way, ...(role && { role }), ...scope })
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
