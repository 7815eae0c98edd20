import { ClientError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client'
import { AddressNotSafe, AnswerTooLarge } from './limited-fetch.ts'

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

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? '')

/** An error and its causes, the outermost first. */
const chainOf = (error: unknown): readonly Error[] => {
  const chain: Error[] = []
  for (let each = error; each instanceof Error && chain.length < 5; each = each.cause) chain.push(each)
  return chain
}

/** The error code of an OAuth 2.0 answer (RFC 6749, section 5.2), which has only these characters. */
const answeredError = (error: unknown): string | undefined =>
  error instanceof ResponseBodyError && /^[\x20-\x7e]{1,64}$/.test(error.error) ? error.error : undefined

/** Why a sign-in failed, for the log: fixed texts and codes, nothing that somebody sent. */
export const describeFailure = (error: unknown): string => {
  // The message of a parser quotes what it could not parse.
  const chain = chainOf(error).filter((each) => !(each instanceof SyntaxError))
  const texts = chain.map(({ message }) => message)
  const codes = chain.map(codeOf).filter((code) => /^[A-Z_]{3,64}$/.test(code))
  return [...new Set([...texts, answeredError(error) ?? '', ...codes.slice(-1)])]
    .filter((text) => text !== '')
    .join(': ')
}

/** Whether a signing key of the provider was not among those known. */
export const isKeyUnknown = (error: unknown): boolean => chainOf(error).some((each) => codeOf(each) === NO_KEY)

/** Whether the provider is to blame, or the configuration, and not the code that was sent. */
export const isUnavailable = (error: unknown): boolean => {
  // A refusal of the code is the only error of an answer that the browser can cause.
  if (error instanceof ResponseBodyError) return error.error !== 'invalid_grant'
  return chainOf(error).some(
    (each) =>
      each instanceof AnswerTooLarge ||
      // The client secret is wrong.
      each instanceof WWWAuthenticateChallengeError ||
      each instanceof AddressNotSafe ||
      (each instanceof TypeError && !(each instanceof ClientError)) ||
      NO_ANSWER.includes(codeOf(each)),
  )
}
