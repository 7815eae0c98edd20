import * as E from 'fp-ts/lib/Either.js'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type ServerMetadata,
} from 'openid-client'
import { type Claims, claimValuesOf, hasName, isElsewhere, isSubject, type Person, personOf } from './claims.ts'
import { readClientSecret } from './client-secret.ts'
import { describeFailure, isClientRefused, isKeyUnknown, isUnavailable, ProviderUnavailable } from './why-failed.ts'

/** Bytes of an answer of the provider, which is kept in memory and parsed at once. */
export const ANSWER_BYTES_MAX = 262_144

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Whether an address is encrypted or does not leave the machine. */
const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))

const readWhole = async (body: ReadableStream<Uint8Array>): Promise<Buffer<ArrayBuffer>> => {
  const pieces: Uint8Array[] = []
  let size = 0
  // Leaving the loop early cancels the stream.
  for await (const piece of body) {
    size += piece.length
    if (size > ANSWER_BYTES_MAX) throw new ProviderUnavailable(`the answer exceeds ${ANSWER_BYTES_MAX} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** Fetches from safe addresses only, and takes answers of limited size. The signal of each request limits its time. */
const limitedFetch: CustomFetch = async (address, options) => {
  if (!isSafe(new URL(address))) throw new ProviderUnavailable('the provider names an address that is not https')
  const { status, headers, body } = await fetch(address, options as RequestInit)
  return new Response(body && (await readWhole(body)), { status, headers })
}

/** How Berth shows a provider its secret (OpenID Connect Core 1.0, section 9). */
const METHODS = { client_secret_post: ClientSecretPost, client_secret_basic: ClientSecretBasic } as const
type AuthMethod = keyof typeof METHODS

/**
 * The method to try first. The body comes first where the provider takes it, because some providers do not
 * percent-decode the header. Metadata without a list mean the header.
 */
const methodFor = ({ token_endpoint_auth_methods_supported: listed = [] }: ServerMetadata): AuthMethod =>
  listed.includes('client_secret_post') ? 'client_secret_post' : 'client_secret_basic'

/** Random values of one sign-in, by which its end is known to belong to its beginning. */
export interface SignInChecks {
  readonly state: string
  readonly nonce: string
  /** Of PKCE (RFC 7636). */
  readonly verifier: string
}

/** What the provider sent the browser back with. */
export interface CallbackParameters {
  readonly code: string
  readonly state: string
  /** The issuer (RFC 9207). */
  readonly iss?: string | undefined
}

export type Provider = ReturnType<typeof makeProvider>

export interface ProviderOptions {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecretFile: string
  readonly claim: string
  readonly redirectUri: string
  /** Monotonic milliseconds. */
  readonly now?: () => number
}

/** Seconds for each request to the provider. */
const TIMEOUT = 10
/** Milliseconds after which a provider is discovered again. */
const KNOWN_FOR_MS = 600_000

const SCOPES = ['openid', 'profile', 'email'] as const

/** Scopes to ask for: those that the provider has, and the one named like the claim, which some providers have. */
const scopesFor = ({ scopes_supported }: { scopes_supported?: string[] }, claim: string): string => {
  const supported: readonly string[] = scopes_supported ?? SCOPES
  return ['openid', ...[...SCOPES.slice(1), claim].filter((scope) => supported.includes(scope))].join(' ')
}

const discover = async ({ issuer, clientId }: ProviderOptions, auth: ClientAuth): Promise<Configuration> => {
  // Not that all its addresses may be insecure: each is checked when it is fetched.
  const execute = issuer.startsWith('http:') ? [allowInsecureRequests] : []
  const options = { [customFetch]: limitedFetch, timeout: TIMEOUT, execute: [enableNonRepudiationChecks, ...execute] }
  const client = await discovery(new URL(issuer), clientId, {}, auth, options)
  const { issuer: named, authorization_endpoint: at } = client.serverMetadata()
  // Providers for many tenants name a pattern. Everybody's tenant could bring everybody's roles.
  if (new URL(named).href !== new URL(issuer).href) throw new ProviderUnavailable('the provider has another issuer')
  if (at === undefined || !isSafe(new URL(at)))
    throw new ProviderUnavailable('the provider has no safe sign-in address')
  return client
}

/** Adds what the provider says elsewhere, if the token leaves it out. The token counts first. */
const withUserInfo = async (found: Configuration, token: string, claims: Claims, claim: string): Promise<Claims> => {
  const isComplete = claimValuesOf(claims, claim) !== undefined && hasName(claims)
  const { sub } = claims
  if (isComplete || !isSubject(sub) || found.serverMetadata().userinfo_endpoint === undefined) return claims
  return { ...(await fetchUserInfo(found, token, sub)), ...claims }
}

/** How this client shows its secret: as the provider took it last, or else as it should by its metadata. */
const makeClientAuth = () => {
  let [secret, accepted]: [string, AuthMethod | undefined] = ['', undefined]
  const auth: ClientAuth = (...request) => METHODS[accepted ?? methodFor(request[0])](secret)(...request)
  return {
    auth,
    setSecret: (text: string): void => {
      secret = text
    },
    /** Does something, and once more in the other way if the provider refuses the client. */
    inEitherWay: async <A>(metadata: ServerMetadata, ask: () => Promise<A>): Promise<A> => {
      const first = accepted ?? methodFor(metadata)
      try {
        return await ask()
      } catch (error) {
        if (!(await isClientRefused(error))) throw error
        accepted = first === 'client_secret_post' ? 'client_secret_basic' : 'client_secret_post'
        return ask()
      }
    },
  }
}

const makeExchange =
  ({ redirectUri, claim }: ProviderOptions, { inEitherWay }: ReturnType<typeof makeClientAuth>) =>
  async (client: Configuration, { code, state, iss }: CallbackParameters, checks: SignInChecks): Promise<Claims> => {
    const metadata = client.serverMetadata()
    const sent = new URL(redirectUri)
    // There is one provider, so a client that leaves the issuer out cannot mix up two.
    for (const [name, value] of Object.entries({ code, state, iss: iss ?? metadata.issuer }))
      sent.searchParams.set(name, value)
    const { nonce: expectedNonce, state: expectedState, verifier: pkceCodeVerifier } = checks
    const expected = { expectedNonce, expectedState, pkceCodeVerifier, idTokenExpected: true }
    const tokens = await inEitherWay(metadata, () => authorizationCodeGrant(client, sent, expected))
    const claims = await withUserInfo(client, tokens.access_token, { ...tokens.claims() }, claim)
    if (!isElsewhere(claims, claim)) return claims
    throw new ProviderUnavailable(
      `the provider leaves out the claim ${claim}, which has too many values (_claim_names)`,
    )
  }

export const makeProvider = (options: ProviderOptions) => {
  const { redirectUri, claim, clientSecretFile, now = () => performance.now() } = options
  const clientAuth = makeClientAuth()
  const exchange = makeExchange(options, clientAuth)
  let known: { readonly client: Promise<Configuration>; readonly at: number } | undefined

  /** Discovers the provider when it is needed, and keeps what it says for a while. @throws ProviderUnavailable */
  const find = async (): Promise<Configuration> => {
    if (known === undefined || now() - known.at >= KNOWN_FOR_MS)
      known = { client: discover(options, clientAuth.auth), at: now() }
    const current = known
    try {
      return await current.client
    } catch (error) {
      if (known === current) known = undefined
      throw new ProviderUnavailable(await describeFailure(error))
    }
  }

  return {
    /** The address at which somebody signs in. @throws ProviderUnavailable */
    signInUrl: async ({ state, nonce, verifier }: SignInChecks): Promise<string> => {
      const client = await find()
      return buildAuthorizationUrl(client, {
        ...{ redirect_uri: redirectUri, scope: scopesFor(client.serverMetadata(), claim), state, nonce },
        ...{ code_challenge: await calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
      }).href
    },
    /** Who signed in. Left: why what came back proves nothing, for the log. @throws ProviderUnavailable */
    exchange: async (sent: CallbackParameters, checks: SignInChecks): Promise<E.Either<string, Person>> => {
      const client = await find()
      const secret = await readClientSecret(clientSecretFile)
      if (E.isLeft(secret)) throw new ProviderUnavailable(`the client secret ${secret.left}`)
      clientAuth.setSecret(secret.right)
      try {
        const person = personOf(await exchange(client, sent, checks), claim)
        return person === undefined ? E.left('the provider names no issuer or subject') : E.right(person)
      } catch (error) {
        const reason = await describeFailure(error)
        if (isKeyUnknown(error)) known = undefined
        if (isUnavailable(error)) throw new ProviderUnavailable(reason)
        return E.left(reason)
      }
    },
  }
}
