import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'koa'
import { withoutByteOrderMark } from '../../domain/values/json-text.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'
import { DEPTH_MAX, excessOf, MEMBERS_MAX } from './json-size.ts'

/** Bytes. */
export const BODY_MAX = 256 * 1024
/** Pieces of a body, chunks included. Each costs a microsecond, however small. */
const PIECES_MAX = 4_096

const JSON_TYPE = /^application\/json\s*(;|$)/i
const JSON_SUFFIX = /^[\w.!#$&^-]+\/[\w.!#$&^-]+\+json\s*(;|$)/i
/** RFC 9110, section 5.6.6: a parameter may be empty. */
const PARAMETERS = /^[^;]*(?:;[ \t]*(?:[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"(?:[^"\\]|\\.)*")[ \t]*)?)*$/
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i

export const hasBody = ({ req }: Context): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0

const isCoded = ({ req }: Context): boolean => {
  const coding = req.headers['content-encoding']
  return coding !== undefined && coding !== '' && coding.toLowerCase() !== 'identity'
}

const UTF_8 = /^utf-?8$/i

/** The plain JSON media type, which needs no further checks. */
const PLAIN = /^application\/json(; ?charset=utf-8)?$/i

const mediaTypeProblem = (ctx: Context): string | undefined => {
  const type = ctx.req.headers['content-type'] ?? ''
  // A request without a body needs no media type.
  if (type === '' && !hasBody(ctx)) return undefined
  if (!PLAIN.test(type)) {
    if (!JSON_TYPE.test(type) && !JSON_SUFFIX.test(type)) {
      return `The Content-Type must be application/json, not ${type === '' ? 'nothing' : JSON.stringify(type.slice(0, 100))}.`
    }
    const charset = CHARSET.exec(type)?.[1]
    if (charset !== undefined && !UTF_8.test(charset)) return 'The charset must be UTF-8.'
    if (!PARAMETERS.test(type)) return 'The Content-Type is malformed.'
  }
  return isCoded(ctx) ? 'Content-Encoding is not supported. Send the body uncompressed.' : undefined
}

const tooLarge = (): Refusal => refusal('body_too_large', `The body exceeds ${BODY_MAX} bytes.`)
const tooManyPieces = (): Refusal => refusal('body_too_large', `The body arrived in more than ${PIECES_MAX} pieces.`)
const incomplete = (): Refusal => refusal('malformed_request', 'The body is incomplete.')

/** Refusals decided by the header: size before media type, in the documented order. */
const headRefusal = (ctx: Context): Refusal | undefined => {
  if (Number(ctx.req.headers['content-length']) > BODY_MAX) return tooLarge()
  const wrongType = mediaTypeProblem(ctx)
  return wrongType === undefined ? undefined : refusal('unsupported_media_type', wrongType)
}

/** Takes a body that arrived together with its header, as most do. */
const takeWhole = (request: IncomingMessage): Buffer | undefined => {
  if (!request.complete || request.readableLength === 0 || request.readableLength > BODY_MAX) return undefined
  const parts: Buffer[] = []
  // One piece at a time; the client or the network decided how many.
  while (request.readableLength > 0) parts.push(request.read())
  return parts.length === 1 ? parts[0] : Buffer.concat(parts)
}

/** Reads a body as it arrives, within the limits. */
const takePieces = (request: IncomingMessage): Promise<E.Either<Refusal, Buffer>> =>
  new Promise((resolve) => {
    const pieces: Buffer[] = []
    let size = 0
    const settle = (result: E.Either<Refusal, Buffer>): void => {
      request.off('data', take).off('end', end).off('error', cutOff).off('close', cutOff)
      // Stop reading a refused body. The response also settles what happens to the connection.
      if (E.isLeft(result)) request.socket.pause()
      // An unhandled error event would end the process.
      request.on('error', () => undefined)
      resolve(result)
    }
    const take = (piece: Buffer): void => {
      size += piece.length
      if (size > BODY_MAX) settle(E.left(tooLarge()))
      else if (pieces.push(piece) > PIECES_MAX) settle(E.left(tooManyPieces()))
    }
    const end = (): void => settle(E.right(Buffer.concat(pieces)))
    const cutOff = (): void => settle(E.left(incomplete()))
    request.on('data', take).on('end', end).on('error', cutOff).on('close', cutOff)
    request.socket.resume()
  })

export interface Body {
  readonly bytes: Buffer
  readonly json: unknown
}

const parsed = (bytes: Buffer): E.Either<Refusal, Body> => {
  const text = withoutByteOrderMark(bytes)
  if (text.length === 0) return E.left(refusal('malformed_json', 'The body is empty. Send a JSON object.'))
  if (!isUtf8(text)) return E.left(refusal('malformed_json', 'The body is not UTF-8.'))
  const excess = excessOf(text)
  if (excess === 'levels') {
    return E.left(refusal('malformed_json', `The body is nested more deeply than ${DEPTH_MAX} levels.`))
  }
  if (excess === 'members') {
    return E.left(refusal('malformed_json', `The body has more than ${MEMBERS_MAX} members and elements.`))
  }
  try {
    return E.right({ bytes, json: JSON.parse(text.toString()) as unknown })
  } catch (error) {
    return E.left(refusal('malformed_json', `The body is not JSON: ${positionOnly(error as Error)}.`))
  }
}

export type Read = E.Either<Refusal, Body> | Promise<E.Either<Refusal, Body>>

/** Reads and parses a JSON body, after checking the header. */
export const readBody = (ctx: Context): Read => {
  const { req, res } = ctx
  const refused = headRefusal(ctx)
  if (refused !== undefined) return E.left(refused)
  const whole = takeWhole(req)
  if (whole !== undefined) return parsed(whole)
  if (!hasBody(ctx)) return parsed(Buffer.alloc(0))
  // The client waits for 100 Continue. Nothing else can refuse this request before its body is read.
  if (req.headers.expect !== undefined && req.httpVersionMinor === 1) res.writeContinue()
  return takePieces(req).then((bytes) => (E.isLeft(bytes) ? bytes : parsed(bytes.right)))
}

/** The parser's message without the quoted piece of the body, because bodies contain passwords. */
const positionOnly = (error: Error): string => {
  const position = /at position (\d+)/.exec(error.message)?.[1]
  return position === undefined
    ? 'it ends too early or contains something else'
    : `unexpected character at offset ${position}`
}
