import { type Client, connectTo } from '../client.ts'
import type { Running, Tidying } from '../harness.ts'
import { begin } from '../logins/login.ts'
import { LOWER, type Way } from './roles.ts'

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
    if (way === 'session') return begin(service, name)
    const [role, scope] = [LOWER[way], way === 'token for metrics' && { scope: 'metrics' }]
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
