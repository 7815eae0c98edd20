import type { CustomFetch } from 'openid-client'

/** Bytes of an answer of the provider, which is kept in memory and parsed at once. */
export const ANSWER_BYTES_MAX = 262_144

/** The provider answered more than this service takes. */
export class AnswerTooLarge extends Error {
  override name = 'AnswerTooLarge'
}

/** The provider named an address that is not encrypted. */
export class AddressNotSafe extends Error {
  override name = 'AddressNotSafe'
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Whether an address is encrypted or does not leave the machine. */
export const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))

const readWhole = async (body: ReadableStream<Uint8Array>): Promise<Buffer<ArrayBuffer>> => {
  const pieces: Uint8Array[] = []
  let size = 0
  // Leaving the loop early cancels the stream.
  for await (const piece of body) {
    size += piece.length
    if (size > ANSWER_BYTES_MAX) throw new AnswerTooLarge(`the answer exceeds ${ANSWER_BYTES_MAX} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** Fetches from safe addresses only, and takes answers of limited size. The signal of each request limits its time. */
export const limitedFetch: CustomFetch = async (address, options) => {
  if (!isSafe(new URL(address))) throw new AddressNotSafe('the provider names an address that is not https')
  const { status, headers, body } = await fetch(address, options as RequestInit)
  return new Response(body && (await readWhole(body)), { status, headers })
}
