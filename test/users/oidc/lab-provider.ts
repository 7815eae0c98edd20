import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import Provider, { type AccountClaims, type Configuration } from 'oidc-provider'
import { freePort } from '../../gateway/peers.ts'

export const CLIENT_ID = 'berth'
export const CLIENT_SECRET = 'a secret of the client, 42+%:/'

/** An answer of the provider, which may be replaced on its way. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: Buffer
}

/** Without the provider's warnings that it is not set up for production. */
const quietly = <A>(make: () => A): A => {
  const { warn } = console
  console.warn = () => undefined
  try {
    return make()
  } finally {
    console.warn = warn
  }
}

interface Sent {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}
export type ChangeRequest = (sent: Sent) => Sent

export type Forge = (path: string, answer: Answer) => Answer | undefined | Promise<Answer | undefined>

/** A real OpenID Connect provider on loopback, behind a server that can forge its answers. */
export interface LabProvider {
  readonly issuer: string
  /** What the provider says of the people who sign in, by the name that they log in with. */
  readonly people: Map<string, Omit<AccountClaims, 'sub'>>
  /** Replaces answers, until called without an argument. Undefined leaves an answer as it is. */
  readonly forge: (forge?: Forge) => void
  /** The key that the provider signs with now. */
  readonly key: () => SigningKey
  /** Paths of the requests so far. */
  readonly asked: readonly string[]
  /** The provider stops listening, and starts again on the same port. */
  readonly away: () => Promise<void>
  readonly back: () => Promise<void>
}

export interface SigningKey {
  readonly kid: string
  readonly key: KeyObject
}

export const makeSigningKey = (kid: string): SigningKey => ({
  kid,
  key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
})

/** What all providers of a process begin with. A new key takes a tenth of a second. */
let first: SigningKey | undefined
const firstKey = (): SigningKey => {
  first ??= makeSigningKey('first')
  return first
}

const jwkOf = ({ kid, key }: SigningKey) => ({
  ...key.export({ format: 'jwk' }),
  kid,
  use: 'sig',
  alg: 'RS256',
})

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token as the provider signs it. */
export const signToken = (claims: object, { kid, key }: SigningKey, header: object = {}): string => {
  const text = `${encode({ alg: 'RS256', kid, typ: 'JWT', ...header })}.${encode(claims)}`
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
}

const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

const configurationOf = (
  redirectUri: string,
  people: LabProvider['people'],
  key: SigningKey,
  more: Configuration,
): Configuration => ({
  clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, redirect_uris: [redirectUri] }],
  cookies: { keys: ['a key of cookies'] },
  jwks: { keys: [jwkOf(key)] } as Configuration['jwks'],
  claims: { openid: ['sub'], profile: ['preferred_username', 'groups'], email: ['email'] },
  ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
  findAccount: (_, id) => ({ accountId: id, claims: async () => ({ ...people.get(id), sub: id }) }),
  pkce: { required: () => true },
  ...more,
})

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

/** Sends a request on to the provider. */
const passOn = (from: IncomingMessage, port: number, change: ChangeRequest): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { method, url } = from
    const send = async (): Promise<void> => {
      const { headers, body } = change({ headers: from.headers, body: await buffer(from) })
      const onwards = request({ host: '127.0.0.1', port, method, path: url, headers, agent: false }, async (answer) => {
        const { statusCode = 0, headers: given } = answer
        resolve({ status: statusCode, headers: given as Answer['headers'], body: await buffer(answer) })
      })
      onwards.on('error', reject)
      onwards.end(body)
    }
    void send().catch(reject)
  })

interface Tidying {
  readonly teardown: (tidy: () => void | Promise<void>) => void
}

interface Options {
  readonly redirectUri: string
  /** Changes requests before the provider gets them. */
  readonly changeRequest?: ChangeRequest | undefined
  readonly configuration?: Configuration
}

export const startLabProvider = async (
  t: Tidying,
  { redirectUri, changeRequest = (sent) => sent, configuration = {} }: Options,
): Promise<LabProvider> => {
  const people: LabProvider['people'] = new Map()
  const asked: string[] = []
  const key = firstKey()
  let forge: Forge | undefined
  let inner = 0
  const handle = async (from: IncomingMessage, to: ServerResponse): Promise<void> => {
    const { pathname } = new URL(from.url ?? '/', 'http://provider')
    asked.push(pathname)
    const answer = await passOn(from, inner, changeRequest)
    const { status, headers, body } = (await forge?.(pathname, answer)) ?? answer
    const { 'content-length': _, 'transfer-encoding': __, ...kept } = headers
    to.writeHead(status, { ...kept, 'content-length': body.length }).end(body)
  }
  const makeFront = (): Server => createServer((from, to) => void handle(from, to).catch(() => to.destroy()))
  let front = makeFront()
  // One that nobody is given while it is away.
  const port = await listen(front, await freePort())
  const issuer = `http://127.0.0.1:${port}`
  const provider = quietly(() => new Provider(issuer, configurationOf(redirectUri, people, key, configuration)))
  const back = createServer(provider.callback())
  inner = await listen(back, 0)
  t.teardown(async () => {
    await close(front)
    await close(back)
  })
  return {
    issuer,
    people,
    asked,
    key: () => key,
    forge: (given) => {
      forge = given
    },
    away: () => close(front),
    back: async () => {
      front = makeFront()
      await listen(front, port)
    },
  }
}

/** Replaces the ID token of an answer to an exchange. */
export const forgeToken =
  (make: (claims: Record<string, unknown>, token: string) => string): Forge =>
  (path, answer) => {
    if (path !== '/token' || answer.status !== 200) return undefined
    const body = JSON.parse(answer.body.toString()) as { id_token: string }
    const id_token = make(claimsOf(body.id_token), body.id_token)
    return { ...answer, body: Buffer.from(JSON.stringify({ ...body, id_token })) }
  }
