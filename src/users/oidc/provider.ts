import * as E from 'fp-ts/lib/Either.js'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type ServerMetadata,
} from 'openid-client'
import { type Claims, claimValuesOf, hasName, isElsewhere, isSubject, type Person, personOf } from './claims.ts'
import { followClientSecret } from './client-secret.ts'
import { AddressNotSafe, isSafe, makeLimitedFetch } from './limited-fetch.ts'
import { describeFailure, isClientRefused, isKeyUnknown, isUnavailable, ProviderUnavailable } from './why-failed.ts'

/** How Berth shows a provider its secret (OpenID Connect Core 1.0, section 9). */
const METHODS = { client_secret_post: ClientSecretPost, client_secret_basic: ClientSecretBasic } as const
type AuthMethod = keyof typeof METHODS

/** The secret is read for each request. */
const authWith =
  (method: AuthMethod, secret: () => string): ClientAuth =>
  (...request) =>
    METHODS[method](secret())(...request)

/**
 * Methods in the order in which to try them. The body comes first where the provider takes it, because some providers
 * do not percent-decode the header. Metadata without a list mean the header.
 *
 * @param accepted the method with which the provider accepted this client last
 */
const authMethods = (
  { token_endpoint_auth_methods_supported: listed = ['client_secret_basic'] }: ServerMetadata,
  accepted: AuthMethod | undefined,
): readonly [AuthMethod, AuthMethod] => {
  const first = accepted ?? (listed.includes('client_secret_post') ? 'client_secret_post' : 'client_secret_basic')
  return [first, first === 'client_secret_post' ? 'client_secret_basic' : 'client_secret_post']
}

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

/** The OpenID Connect provider. */
export interface Provider {
  /** The address at which somebody signs in. @throws ProviderUnavailable */
  readonly signInUrl: (checks: SignInChecks) => Promise<string>
  /** Who signed in. Left: why what came back proves nothing, for the log. @throws ProviderUnavailable */
  readonly exchange: (sent: CallbackParameters, checks: SignInChecks) => Promise<E.Either<string, Person>>
  readonly close: () => void
}

export interface ProviderOptions {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecretFile: string
  readonly claim: string
  readonly redirectUri: string
  readonly log: Record<'warn', (facts: object, sentence: string) => void>
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

/** The provider, with a configuration for each way to show it the secret. */
interface Known {
  readonly metadata: ReturnType<Configuration['serverMetadata']>
  readonly clients: Readonly<Record<AuthMethod, Configuration>>
}

interface DiscoverOptions extends Pick<ProviderOptions, 'issuer' | 'clientId'> {
  readonly secret: () => string
  /** Ends requests to the provider. */
  readonly stop: AbortSignal
}

const discover = async ({ issuer, clientId, secret, stop }: DiscoverOptions): Promise<Known> => {
  const limitedFetch = makeLimitedFetch(stop)
  // Not that all its addresses may be insecure: each is checked when it is fetched.
  const execute = issuer.startsWith('http:') ? [allowInsecureRequests] : []
  const options = { [customFetch]: limitedFetch, timeout: TIMEOUT, execute }
  const metadata = (await discovery(new URL(issuer), clientId, {}, undefined, options)).serverMetadata()
  const { issuer: named, authorization_endpoint: at } = metadata
  // Providers for many tenants name a pattern. Everybody's tenant could bring everybody's roles.
  if (new URL(named).href !== new URL(issuer).href) throw new ProviderUnavailable('the provider has another issuer')
  if (at === undefined || !isSafe(new URL(at))) throw new AddressNotSafe('the provider has no safe sign-in address')
  const clientWith = (method: AuthMethod): Configuration => {
    const client = new Configuration(metadata, clientId, {}, authWith(method, secret))
    client[customFetch] = limitedFetch
    client.timeout = TIMEOUT
    for (const extend of [enableNonRepudiationChecks, ...execute]) extend(client)
    return client
  }
  const [client_secret_post, client_secret_basic] = [
    clientWith('client_secret_post'),
    clientWith('client_secret_basic'),
  ]
  return { metadata, clients: { client_secret_post, client_secret_basic } }
}

/** Discovers the provider when it is needed, and keeps what it says for a while. */
const makeKnown = (options: DiscoverOptions, now: () => number) => {
  let last: { readonly provider: Promise<Known>; readonly at: number } | undefined
  return {
    /** @throws ProviderUnavailable */
    known: async (): Promise<Known> => {
      if (last === undefined || now() - last.at >= KNOWN_FOR_MS) last = { provider: discover(options), at: now() }
      const asked = last
      try {
        return await asked.provider
      } catch (error) {
        if (last === asked) last = undefined
        throw new ProviderUnavailable(await describeFailure(error))
      }
    },
    /** Call if what is known turned out to be out of date. */
    forget: (): void => {
      last = undefined
    },
  }
}

/** Adds what the provider says elsewhere, if the token leaves it out. The token counts first. */
const withUserInfo = async (found: Configuration, token: string, claims: Claims, claim: string): Promise<Claims> => {
  const isComplete = claimValuesOf(claims, claim) !== undefined && hasName(claims)
  const { sub } = claims
  if (isComplete || !isSubject(sub) || found.serverMetadata().userinfo_endpoint === undefined) return claims
  return { ...(await fetchUserInfo(found, token, sub)), ...claims }
}

/** Exchanges codes. If the provider refuses the client, shows the secret in the other way, and remembers what worked. */
const makeGrant = () => {
  let accepted: AuthMethod | undefined
  return async ({ metadata, clients }: Known, sent: URL, checks: Parameters<typeof authorizationCodeGrant>[2]) => {
    const [first, other] = authMethods(metadata, accepted)
    const grantWith = async (method: AuthMethod) => {
      const tokens = await authorizationCodeGrant(clients[method], sent, checks)
      accepted = method
      return { tokens, client: clients[method] }
    }
    try {
      return await grantWith(first)
    } catch (error) {
      if (!(await isClientRefused(error))) throw error
      return await grantWith(other)
    }
  }
}

const makeExchange = ({ redirectUri, claim }: ProviderOptions) => {
  const grant = makeGrant()
  return async (found: Known, { code, state, iss }: CallbackParameters, checks: SignInChecks): Promise<Claims> => {
    const sent = new URL(redirectUri)
    // There is one provider, so a client that leaves the issuer out cannot mix up two.
    for (const [name, value] of Object.entries({ code, state, iss: iss ?? found.metadata.issuer }))
      sent.searchParams.set(name, value)
    const { nonce: expectedNonce, state: expectedState, verifier: pkceCodeVerifier } = checks
    const expected = { expectedNonce, expectedState, pkceCodeVerifier, idTokenExpected: true }
    const { tokens, client } = await grant(found, sent, expected)
    const claims = await withUserInfo(client, tokens.access_token, { ...tokens.claims() }, claim)
    if (!isElsewhere(claims, claim)) return claims
    throw new ProviderUnavailable(
      `the provider leaves out the claim ${claim}, which has too many values (_claim_names)`,
    )
  }
}

export const openProvider = (options: ProviderOptions): Provider => {
  const { redirectUri, claim, log, now = () => performance.now() } = options
  const stopping = new AbortController()
  let secret: string | undefined
  const readSecret = followClientSecret(options.clientSecretFile, (problem) =>
    log.warn({ problem }, 'the client secret cannot be used; the last one stays in use'),
  )
  const discovering = { ...options, secret: () => secret ?? '', stop: stopping.signal }
  const { known, forget } = makeKnown(discovering, now)
  const exchange = makeExchange(options)
  return {
    signInUrl: async ({ state, nonce, verifier }) => {
      const { metadata, clients } = await known()
      return buildAuthorizationUrl(clients.client_secret_post, {
        ...{ redirect_uri: redirectUri, scope: scopesFor(metadata, claim), state, nonce },
        ...{ code_challenge: await calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
      }).href
    },
    exchange: async (sent, checks) => {
      const found = await known()
      secret = await readSecret()
      if (secret === undefined) throw new ProviderUnavailable('there is no client secret')
      try {
        const person = personOf(await exchange(found, sent, checks), claim)
        return person === undefined ? E.left('the provider names no issuer or subject') : E.right(person)
      } catch (error) {
        const reason = await describeFailure(error)
        if (isKeyUnknown(error)) forget()
        if (isUnavailable(error)) throw new ProviderUnavailable(reason)
        return E.left(reason)
      }
    },
    close: () => stopping.abort(),
  }
}
