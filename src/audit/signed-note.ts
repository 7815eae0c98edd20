/**
 * Signed notes with Ed25519 keys, in the C2SP signed-note format: a text, an empty line, and one line per signature.
 */

import { createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'

/** A signer's name and private key. A KeyObject never prints its key. */
export interface Signer {
  /** Without spaces and plus signs. */
  readonly name: string
  readonly privateKey: KeyObject
}

/** The public part of a signer. */
export interface Verifier {
  readonly name: string
  readonly keyId: Uint8Array
  readonly publicKey: KeyObject
}

/** Signature type of Ed25519 in the specification. */
const ED25519 = 1
const KEY_BYTES = 32
const SIGNATURE_BYTES = 64
const ID_BYTES = 4
/** Maximum length of a note. Must allow sixteen of the largest signatures. */
const LENGTH_MAX = 1_000_000

/** The bytes before the key in a SubjectPublicKeyInfo (RFC 8410, section 4). */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

const rawBytes = (publicKey: KeyObject): Buffer =>
  publicKey.export({ type: 'spki', format: 'der' }).subarray(SPKI.length)

const makePublicKey = (bytes: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([SPKI, bytes]), type: 'spki', format: 'der' })

const keyIdOf = (name: string, publicKey: KeyObject): Buffer => {
  const named = Buffer.concat([Buffer.from(`${name}\n`), Uint8Array.of(ED25519), rawBytes(publicKey)])
  return hash('sha256', named, 'buffer').subarray(0, ID_BYTES)
}

/** Decodes canonical base64; undefined for any other form. */
const decodeBase64 = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

const isName = (name: string): boolean => name !== '' && !/[\s+\p{Cc}]/u.test(name)

export const verifierOf = ({ name, privateKey }: Signer): Verifier => {
  const publicKey = createPublicKey(privateKey)
  return { name, publicKey, keyId: keyIdOf(name, publicKey) }
}

/** Formats a verifier key: `<name>+<key id in hex>+<type and key in base64>`. */
export const writeVerifier = ({ name, keyId, publicKey }: Verifier): string => {
  const typed = Buffer.concat([Uint8Array.of(ED25519), rawBytes(publicKey)])
  return `${name}+${Buffer.from(keyId).toString('hex')}+${typed.toString('base64')}`
}

/** Left completes the sentence "the verifier key ...". */
export const readVerifier = (text: string): E.Either<string, Verifier> => {
  // Base64 may contain a plus sign; the name cannot.
  const [, name = '', id = '', encoded = ''] = /^([^+]*)\+([^+]*)\+(.*)$/s.exec(text) ?? []
  const typed = decodeBase64(encoded)
  if (!isName(name) || !/^[0-9a-f]{8}$/.test(id) || typed === undefined) {
    return E.left('must be like name+00112233+ and base64')
  }
  if (typed[0] !== ED25519 || typed.length !== 1 + KEY_BYTES) return E.left('is not an Ed25519 key')
  const publicKey = makePublicKey(typed.subarray(1))
  const keyId = keyIdOf(name, publicKey)
  return keyId.toString('hex') === id ? E.right({ name, keyId, publicKey }) : E.left('has the id of another key')
}

/** @param text ends with a line break and has no other control character */
export const signNote = (text: string, signer: Signer): string => {
  const signature = sign(null, Buffer.from(text), signer.privateKey)
  const { keyId } = verifierOf(signer)
  return `${text}\n\u2014 ${signer.name} ${Buffer.concat([keyId, signature]).toString('base64')}\n`
}

/** Undefined for a line that is none. */
const readSignature = (line: string) => {
  const [, name = '', encoded = ''] = /^\u2014 (\S+) (\S+)$/u.exec(line) ?? []
  const bytes = decodeBase64(encoded)
  if (!isName(name) || bytes === undefined || bytes.length <= ID_BYTES) return undefined
  return { name, keyId: bytes.subarray(0, ID_BYTES), signature: bytes.subarray(ID_BYTES) }
}

/**
 * Verifies a note and returns its text. Ignores signatures of other keys. Left completes the sentence "the note ...".
 */
export const openNote = (note: string, { name, keyId, publicKey }: Verifier): E.Either<string, string> => {
  if (note.length > LENGTH_MAX) return E.left('is too long')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this refuses
  if (/[\u0000-\u0009\u000b-\u001f\u007f\ufffd]/u.test(note)) return E.left('cannot contain control characters')
  const parting = note.lastIndexOf('\n\n')
  if (parting === -1 || !note.endsWith('\n')) return E.left('must have signatures after an empty line')
  const text = note.slice(0, parting + 1)
  const signatures = note
    .slice(parting + 2, -1)
    .split('\n')
    .map(readSignature)
  if (signatures.includes(undefined)) return E.left('has an invalid signature line')
  const own = signatures.flatMap((each) => (each?.name === name && each.keyId.equals(keyId) ? [each.signature] : []))
  if (own.length === 0) return E.left(`is not signed by ${name} with this key`)
  const isSigned = own.every(
    (signature) => signature.length === SIGNATURE_BYTES && verify(null, Buffer.from(text), publicKey, signature),
  )
  return isSigned ? E.right(text) : E.left('has been altered: the signature does not match the text')
}
