import { isUtf8 } from 'node:buffer'
import * as E from 'fp-ts/lib/Either.js'

export interface NameAndPassword {
  readonly name: string
  readonly password: string
}

export interface BasicCredentials extends NameAndPassword {
  /** The canonical header for these credentials. */
  readonly canonical: string
}

/** Maximum header length. The longest name, decomposed, and the longest password need 3,422 characters. */
const HEADER_MAX = 4096
const BASIC = /^basic +([A-Za-z0-9+/]+)(={0,2})$/i
/**
 * Characters of a name as it may be sent. A name has at most 128, but any spelling that folds to the same is accepted,
 * and decomposition makes up to four of one.
 */
export const NAME_MAX = 512
const NAME_AND_PASSWORD = new RegExp(`^([^:\\p{Cc}]{1,${NAME_MAX}}):([^\\p{Cc}]*)$`, 'u')

/**
 * Parses an Authorization header (RFC 7617, charset="UTF-8"). Padding is optional. Left describes the problem without
 * repeating the header.
 */
export const parseBasic = (header: string): E.Either<string, BasicCredentials> => {
  if (header.length > HEADER_MAX) return E.left('is too long')
  const match = BASIC.exec(header)
  if (match === null) return E.left('must be "Basic" followed by base64, or "Bearer" followed by a token')
  const [, digits = '', padding = ''] = match
  const bytes = Buffer.from(digits, 'base64')
  const encoded = bytes.toString('base64')
  // Also rejects excess bits after the last byte, so that credentials have one encoding.
  if (encoded !== digits + padding && (padding !== '' || encoded.replace(/=+$/, '') !== digits)) {
    return E.left('must be valid base64')
  }
  if (!isUtf8(bytes)) return E.left('must be valid UTF-8')
  const [, name, password] = NAME_AND_PASSWORD.exec(bytes.toString()) ?? []
  if (name === undefined || password === undefined) {
    return E.left('must contain a name, a colon and a password, without control characters')
  }
  return E.right({ name, password, canonical: `Basic ${encoded}` })
}

const BEARER = /^bearer +([\w.~+/-]+=*) *$/i

/** The token of an Authorization header (RFC 6750); undefined for other schemes and other characters. */
export const parseBearer = (header: string): string | undefined =>
  header.length > HEADER_MAX ? undefined : BEARER.exec(header)?.[1]

export const credentialsOf = ({ name, password }: NameAndPassword): BasicCredentials => ({
  name,
  password,
  canonical: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
})
