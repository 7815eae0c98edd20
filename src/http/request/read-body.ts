import { isUtf8 } from 'node:buffer'
import * as E from 'fp-ts/lib/Either.js'
import bodyParser from 'koa-bodyparser'
import { withoutByteOrderMark } from '../../domain/values/text.ts'
import type { Context, Guard } from '../protocol/context.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'
import type { Route } from '../protocol/route.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const SPACE = 0x20
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Nesting depth; no accepted body needs more than two levels. */
const DEPTH_MAX = 32
/** Members of objects and elements of arrays in total. An import of users needs about half, other bodies a hundred. */
export const MEMBERS_MAX = 10_000

/** Which limit a JSON text exceeds, found in one pass that stops there. Does not validate the JSON. */
const excessOf = (json: Buffer): 'levels' | 'members' | undefined => {
  let depth = 0
  let members = 0
  let isInString = false
  /** Whether the last significant byte opened an array or object: next comes its first member, or its end. */
  let isOpened = false
  for (let i = 0; i < json.length; i++) {
    const byte = json[i] as number
    if (isInString) {
      if (byte === BACKSLASH) i++
      else if (byte === QUOTE) isInString = false
      continue
    }
    if (byte <= SPACE) continue
    const closes = byte === CLOSE_ARRAY || byte === CLOSE_OBJECT
    if ((isOpened && !closes) || byte === COMMA) {
      if (++members > MEMBERS_MAX) return 'members'
    }
    isOpened = byte === OPEN_ARRAY || byte === OPEN_OBJECT
    if (byte === QUOTE) isInString = true
    else if (isOpened && ++depth > DEPTH_MAX) return 'levels'
    else if (closes) depth--
  }
  return undefined
}

/** Bytes. */
export const BODY_MAX = 256 * 1024
/** Pieces of a body, chunks included. Each costs a microsecond, however small. */
const PIECES_MAX = 4_096

/** A JSON media type with parameters, which may be empty (RFC 9110, section 5.6.6). */
const JSON_TYPE =
  /^(?:application\/json|[\w.!#$&^-]+\/[\w.!#$&^-]+\+json)[ \t]*(?:;[ \t]*(?:[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"(?:[^"\\]|\\.)*")[ \t]*)?)*$/i
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i

export const hasBody = ({ req }: Context): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0

const mediaTypeProblem = (ctx: Context): string | undefined => {
  const type = ctx.req.headers['content-type'] ?? ''
  // A request without a body needs no media type.
  if (type === '' && !hasBody(ctx)) return undefined
  if (!JSON_TYPE.test(type)) {
    return `The Content-Type must be application/json, not ${type === '' ? 'nothing' : JSON.stringify(type.slice(0, 100))}.`
  }
  if (!/^utf-?8$/i.test(CHARSET.exec(type)?.[1] ?? 'utf-8')) return 'The charset must be UTF-8.'
  const coding = ctx.req.headers['content-encoding']
  const isCoded = coding !== undefined && coding !== '' && coding.toLowerCase() !== 'identity'
  return isCoded ? 'Content-Encoding is not supported. Send the body uncompressed.' : undefined
}

const tooLarge = (): Refusal => refusal('body_too_large', `The body exceeds ${BODY_MAX} bytes.`)
const tooManyPieces = (): Refusal => refusal('body_too_large', `The body arrived in more than ${PIECES_MAX} pieces.`)
const malformed = (detail: string): Refusal => refusal('malformed_json', detail)
const EMPTY = 'The body is empty. Send a JSON object.'

/** What is wrong with the bytes of a body, before they are parsed. */
const bytesProblem = (bytes: Buffer): string | undefined => {
  const text = withoutByteOrderMark(bytes)
  if (text.length === 0) return EMPTY
  if (!isUtf8(text)) return 'The body is not UTF-8.'
  const excess = excessOf(text)
  if (excess === undefined) return undefined
  return excess === 'levels'
    ? `The body is nested more deeply than ${DEPTH_MAX} levels.`
    : `The body has more than ${MEMBERS_MAX} members and elements.`
}

/** What a text of JSON says. A member `__proto__` is one like others. */
const parseJson = (bytes: Buffer): E.Either<Refusal, unknown> => {
  const problem = bytesProblem(bytes)
  if (problem !== undefined) return E.left(malformed(problem))
  try {
    return E.right(JSON.parse(withoutByteOrderMark(bytes).toString()))
  } catch (error) {
    // Not the piece of the body that the message quotes: bodies contain passwords.
    const position = /at position (\d+)/.exec((error as SyntaxError).message)?.[1]
    const what =
      position === undefined
        ? 'it ends too early or contains something else'
        : `unexpected character at offset ${position}`
    return E.left(malformed(`The body is not JSON: ${what}.`))
  }
}

/** Without an encoding, what it reads as text are bytes. */
const read = bodyParser({ enableTypes: ['text'], textLimit: BODY_MAX, encoding: null } as object)
/** What it is told of a body whose media type and coding have been checked. */
const CHECKED = { 'content-type': 'text/plain', 'content-encoding': 'identity' }

/** An error event without a listener would end the process. The parser's own leaves at the first. */
const ignore = (): void => undefined
const goOn = async (): Promise<void> => undefined

/** Leaves the bytes of a body in `ctx.state.bytes` and what they say in `ctx.request.body`, or says why not. */
const readJson = async (ctx: Context): Promise<Refusal | undefined> => {
  const { req } = ctx
  let pieces = 0
  const count = (): void => {
    // The parser stops at an error of the request.
    if (++pieces === PIECES_MAX + 1) req.emit('error', new Error('too many pieces'))
  }
  req.on('data', count).on('error', ignore)
  Object.assign(req.headers, CHECKED)
  try {
    await read(ctx, goOn)
  } catch (error) {
    // Read no more. The parser has paused the stream; the response settles what happens to the connection.
    if (!req.complete) req.socket.pause()
    if (pieces > PIECES_MAX) return tooManyPieces()
    if (error instanceof Error && 'type' in error && error.type === 'entity.too.large') return tooLarge()
    if (req.complete && !req.destroyed) throw error
    return refusal('malformed_request', 'The body is incomplete.')
  } finally {
    req.off('data', count)
  }
  ctx.state.bytes = ctx.request.body as Buffer
  const parsed = parseJson(ctx.state.bytes)
  if (E.isLeft(parsed)) return parsed.left
  ctx.request.body = parsed.right
  return undefined
}

/** What is wrong with a request before its body is read: size before media type, in the documented order. */
const headerProblem = (ctx: Context): Refusal | undefined => {
  if (Number(ctx.req.headers['content-length']) > BODY_MAX) return tooLarge()
  const wrongType = mediaTypeProblem(ctx)
  if (wrongType !== undefined) return refusal('unsupported_media_type', wrongType)
  return hasBody(ctx) ? undefined : malformed(EMPTY)
}

/** Reads and parses the JSON body of a route that takes one. */
export const parseBody =
  ({ isBodyOptional }: Pick<Route, 'isBodyOptional'>): Guard =>
  (ctx) => {
    const { req, res } = ctx
    if (isBodyOptional && !hasBody(ctx)) return undefined
    const problem = headerProblem(ctx)
    if (problem !== undefined) return problem
    if (!req.complete) {
      ctx.state.hasWaited = true
      // The client waits for 100 Continue. Nothing else can refuse this request before its body is read.
      if (req.headers.expect !== undefined && req.httpVersionMinor === 1) res.writeContinue()
      req.socket.resume()
    }
    return readJson(ctx)
  }
