import { ClientError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client'

/** The provider could not be asked, or does not serve this client. The message has nothing of what it answered. */
export class ProviderUnavailable extends Error {
  override name = 'ProviderUnavailable'
}

/** Codes of openid-client for answers that are not those of a provider that works. */
const NO_ANSWER = [
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
]

/** The code for a signing key that is not among those known. */
const NO_KEY = 'OAUTH_KEY_SELECTION_FAILED'

/** The code for a token that is not valid yet, or no longer. */
const NOT_NOW = 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED'

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? '')

/** An error and its causes, the outermost first. */
const chainOf = (error: unknown): readonly Error[] => {
  const chain: Error[] = []
  for (let each = error; each instanceof Error && chain.length < 5; each = each.cause) chain.push(each)
  return chain
}

/** What openid-client says about its innermost error. */
const factsOf = (error: unknown): Readonly<Record<string, unknown>> => ({ ...Object(chainOf(error).at(-1)?.cause) })

/** What is wrong with the provider's settings or its clock, although what the browser sent was good. */
const faultOfProvider = (error: unknown): string | undefined => {
  const { alg, header, claims, claim, now } = factsOf(error)
  const algorithm = String(alg ?? (header as { alg?: unknown } | undefined)?.alg)
  // Made with the client secret, so that nobody else can check it.
  if (/^HS\d{3}$/.test(algorithm))
    return `the provider signs ID tokens with ${algorithm}; set it to RS256 or another algorithm with a public key`
  const named = (claims as Readonly<Record<string, unknown>> | undefined)?.[String(claim)]
  const isUntimely = chainOf(error).some((each) => codeOf(each) === NOT_NOW)
  if (!isUntimely || typeof now !== 'number' || typeof named !== 'number') return undefined
  const seconds = Math.round(now - named)
  const when = seconds >= 0 ? `expired ${seconds} s ago` : `is valid in ${-seconds} s only`
  return `the provider's ID token ${when}; compare its clock with this machine's`
}

/**
 * The error code of an OAuth 2.0 answer (RFC 6749, section 5.2), which has only these characters. With a challenge it is
 * in the body that was not read, or in the challenge itself (RFC 6750, section 3).
 */
const answeredError = async (error: unknown): Promise<string | undefined> => {
  const isChallenge = error instanceof WWWAuthenticateChallengeError
  if (!isChallenge && !(error instanceof ResponseBodyError)) return undefined
  const inBody =
    isChallenge && !error.response.bodyUsed
      ? await error.response
          .clone()
          .json()
          .catch(() => undefined)
      : error
  const inChallenge = isChallenge ? error.cause.map(({ parameters }) => parameters.error) : []
  const code = [Object(inBody).error as unknown, ...inChallenge].find((each) => each !== undefined)
  return typeof code === 'string' && /^[\x20-\x7e]{1,64}$/.test(code) ? code : undefined
}

/** Whether the provider did not accept how the client showed its secret. */
export const isClientRefused = async (error: unknown): Promise<boolean> =>
  (await answeredError(error)) === 'invalid_client'

/** Why a sign-in failed, for the log: fixed texts, codes and numbers, nothing else that somebody sent. */
export const describeFailure = async (error: unknown): Promise<string> => {
  // The message of a parser quotes what it could not parse.
  const chain = chainOf(error).filter((each) => !(each instanceof SyntaxError))
  const texts = chain.map(({ message }) => message)
  const codes = chain.map(codeOf).filter((code) => /^[A-Z_]{3,64}$/.test(code))
  const answered = await answeredError(error)
  return [...new Set([faultOfProvider(error) ?? '', ...texts, answered ?? '', ...codes.slice(-1)])]
    .filter((text) => text !== '')
    .join(': ')
}

/** Whether a signing key of the provider was not among those known. */
export const isKeyUnknown = (error: unknown): boolean => chainOf(error).some((each) => codeOf(each) === NO_KEY)

/** Whether the provider is to blame, or the configuration, and not the code that was sent. */
export const isUnavailable = (error: unknown): boolean => {
  // A refusal of the code is the only error of an answer that the browser can cause.
  if (error instanceof ResponseBodyError) return error.error !== 'invalid_grant'
  if (faultOfProvider(error) !== undefined) return true
  return chainOf(error).some(
    (each) =>
      each instanceof ProviderUnavailable ||
      // The client secret is wrong.
      each instanceof WWWAuthenticateChallengeError ||
      (each instanceof TypeError && !(each instanceof ClientError)) ||
      NO_ANSWER.includes(codeOf(each)),
  )
}
