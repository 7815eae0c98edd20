import * as E from 'fp-ts/lib/Either.js'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
} from 'openid-client'
import { type Claims, hasName, isSubject, type Person, personOf, valuesOf } from './claims.ts'
import { followClientSecret } from './client-secret.ts'
import { type Discovery, startDiscovery } from './discovery.ts'
import { AddressNotSafe, isSafe, makeLimitedFetch } from './limited-fetch.ts'
import { describeFailure, isKeyUnknown, isUnavailable, ProviderUnavailable } from './why-failed.ts'

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
  readonly log: Record<'info' | 'warn', (facts: object, sentence: string) => void>
}

/** Seconds for each request to the provider. */
const TIMEOUT = 10

const SCOPES = ['openid', 'profile', 'email'] as const

/** Scopes to ask for: those that the provider has, and the one named like the claim, which some providers have. */
const scopesFor = ({ scopes_supported }: { scopes_supported?: string[] }, claim: string): string => {
  const supported: readonly string[] = scopes_supported ?? SCOPES
  return ['openid', ...[...SCOPES.slice(1), claim].filter((scope) => supported.includes(scope))].join(' ')
}

/** How the provider wants the secret: in the header unless it only takes it in the body. */
const authenticate = (methods: readonly string[] | undefined, secret: string): ClientAuth =>
  methods === undefined || methods.includes('client_secret_basic')
    ? ClientSecretBasic(secret)
    : ClientSecretPost(secret)

interface DiscoverOptions extends Pick<ProviderOptions, 'issuer' | 'clientId'> {
  readonly secret: () => string
  /** Ends requests to the provider. */
  readonly stop: AbortSignal
}

const discover = async ({ issuer, clientId, secret, stop }: DiscoverOptions): Promise<Configuration> => {
  const auth: ClientAuth = (server, ...rest) =>
    authenticate(server.token_endpoint_auth_methods_supported, secret())(server, ...rest)
  const execute = [enableNonRepudiationChecks]
  // Not that all its addresses may be insecure: each is checked when it is fetched.
  if (issuer.startsWith('http:')) execute.push(allowInsecureRequests)
  const options = { [customFetch]: makeLimitedFetch(stop), timeout: TIMEOUT, execute }
  const found = await discovery(new URL(issuer), clientId, {}, auth, options)
  const { issuer: named, authorization_endpoint: at } = found.serverMetadata()
  // Providers for many tenants name a pattern. Everybody's tenant could bring everybody's roles.
  if (new URL(named).href !== new URL(issuer).href) throw new ProviderUnavailable('the provider has another issuer')
  if (at === undefined || !isSafe(new URL(at))) throw new AddressNotSafe('the provider has no safe sign-in address')
  return found
}

/** Adds what the provider says elsewhere, if the token leaves it out. The token counts first. */
const withUserInfo = async (found: Configuration, token: string, claims: Claims, claim: string): Promise<Claims> => {
  const isComplete = valuesOf(claims, claim) !== undefined && hasName(claims)
  const { sub } = claims
  if (isComplete || !isSubject(sub) || found.serverMetadata().userinfo_endpoint === undefined) return claims
  return { ...(await fetchUserInfo(found, token, sub)), ...claims }
}

const makeExchange = (options: ProviderOptions, provider: Discovery<Configuration>) => {
  const { redirectUri, claim } = options
  return async ({ code, state, iss }: CallbackParameters, checks: SignInChecks): Promise<Claims> => {
    const found = await provider.known()
    const sent = new URL(redirectUri)
    // There is one provider, so a client that leaves the issuer out cannot mix up two.
    for (const [name, value] of Object.entries({ code, state, iss: iss ?? found.serverMetadata().issuer }))
      sent.searchParams.set(name, value)
    const { nonce: expectedNonce, state: expectedState, verifier: pkceCodeVerifier } = checks
    const expected = { expectedNonce, expectedState, pkceCodeVerifier, idTokenExpected: true }
    const tokens = await authorizationCodeGrant(found, sent, expected)
    return withUserInfo(found, tokens.access_token, { ...tokens.claims() }, claim)
  }
}

/** Follows the provider: discovers it in the background, and keeps what is known while it cannot be reached. */
export const openProvider = (options: ProviderOptions): Provider => {
  const { redirectUri, claim, log } = options
  const stopping = new AbortController()
  let secret: string | undefined
  const readSecret = followClientSecret(options.clientSecretFile, (problem) =>
    log.warn({ problem }, 'the client secret cannot be used; the last one stays in use'),
  )
  const provider = startDiscovery({
    discover: () => discover({ ...options, secret: () => secret ?? '', stop: stopping.signal }),
    onFailure: (error) =>
      log.warn({ reason: describeFailure(error) }, 'the provider of single sign-on is unavailable; retrying'),
    onRecovered: () => log.info({}, 'the provider of single sign-on is available again'),
  })
  const known = async (): Promise<Configuration> => {
    try {
      return await provider.known()
    } catch (error) {
      throw new ProviderUnavailable(describeFailure(error))
    }
  }
  const exchange = makeExchange(options, provider)
  return {
    signInUrl: async ({ state, nonce, verifier }) => {
      const found = await known()
      return buildAuthorizationUrl(found, {
        ...{ redirect_uri: redirectUri, scope: scopesFor(found.serverMetadata(), claim), state, nonce },
        ...{ code_challenge: await calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
      }).href
    },
    exchange: async (sent, checks) => {
      await known()
      secret = await readSecret()
      if (secret === undefined) throw new ProviderUnavailable('there is no client secret')
      try {
        const person = personOf(await exchange(sent, checks), claim)
        return person === undefined ? E.left('the provider names no issuer or subject') : E.right(person)
      } catch (error) {
        const reason = describeFailure(error)
        if (isKeyUnknown(error)) provider.forget()
        if (isUnavailable(error)) throw new ProviderUnavailable(reason)
        return E.left(reason)
      }
    },
    close: () => {
      provider.stop()
      stopping.abort()
    },
  }
}
