import { type Answer, type Client, type Headers, passwordOf } from '../client.ts'
import type { Running } from '../harness.ts'

/** Signs in with the password that every user of these tests has. */
export const login = (
  { anyone }: Pick<Running, 'anyone'>,
  name: string,
  password = passwordOf(name),
): Promise<Answer> => anyone.post('/api/login', { name, password })

export const sessionOf = ({ json, status, text }: Answer): string => {
  if (status !== 200) throw new Error(text)
  return String(json.session)
}

export const begin = async (service: Pick<Running, 'anyone'>, name: string): Promise<string> =>
  sessionOf(await login(service, name))

export const bearer = (session: string): Headers => ({ Authorization: `Bearer ${session}` })

/** A client with a session. */
export const within = ({ anyone }: Pick<Running, 'anyone'>, session: string): Pick<Client, 'get' | 'post'> => ({
  get: (path, headers = {}) => anyone.get(path, { ...bearer(session), ...headers }),
  post: (path, body, headers = {}) => anyone.post(path, body, { ...bearer(session), ...headers }),
})

/** The status of a request with a session. */
export const statusWith = async (service: Pick<Running, 'anyone'>, session: string): Promise<number> =>
  (await within(service, session).get('/api/user/me')).status
