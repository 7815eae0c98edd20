import { isUtf8 } from 'node:buffer'
import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'koa'
import bodyParser from 'koa-bodyparser'
import { isDeeperThan } from './json-depth.ts'
import { type Refusal, refusal } from './problem.ts'

/** Bytes. */
export const BODY_MAX = 256 * 1024
/** Arrays and objects within each other; no body that is taken needs more than two. */
const DEPTH_MAX = 32

const JSON_TYPE = /^application\/json\s*(;|$)/i
const JSON_SUFFIX = /^[\w.!#$&^-]+\/[\w.!#$&^-]+\+json\s*(;|$)/i
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i

export const hasBody = ({ req }: Context): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0

const isCoded = ({ req }: Context): boolean => {
  const coding = req.headers['content-encoding']
  return coding !== undefined && coding !== '' && coding.toLowerCase() !== 'identity'
}

const mediaTypeProblem = (ctx: Context): string | undefined => {
  const type = ctx.req.headers['content-type'] ?? ''
  // Where there is no body there is nothing that would need a name.
  if (type === '' && !hasBody(ctx)) return undefined
  if (!JSON_TYPE.test(type) && !JSON_SUFFIX.test(type)) {
    return `The body must be called application/json, not ${type === '' ? 'nothing' : JSON.stringify(type.slice(0, 100))}.`
  }
  const charset = CHARSET.exec(type)?.[1]
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8') return 'JSON is UTF-8; no other charset is read.'
  return isCoded(ctx) ? 'A coded body is not read; send it as it is.' : undefined
}

const READ_FAILED = 'readFailed'

// The body is taken as the bytes it is, as text in no encoding: bad UTF-8 would otherwise be replaced without a word,
// and the bytes are what a retry is recognised by.
const options = {
  enableTypes: ['text'],
  encoding: null,
  // In bytes: as text, which it is said to be, it would be parsed for every body.
  textLimit: BODY_MAX as unknown as string,
  extendTypes: { text: ['*/*'] },
  onerror: (error: Error, ctx: Context) => {
    ctx.state[READ_FAILED] = error
  },
} satisfies bodyParser.Options & { encoding: null }
const readBytes = bodyParser(options)

const NO_BYTES = Buffer.alloc(0)

const done = async (): Promise<void> => undefined

/** A media type of which nothing has to be found out. */
const PLAIN = /^application\/json(; ?charset=utf-8)?$/i

/**
 * Takes a body that has come with its header, as most do. Where it was taken koa-bodyparser has nothing to do, which it
 * does at ten times the cost.
 */
const takeWhole = ({ req, request }: Context): boolean => {
  if (!req.complete || req.readableLength === 0 || req.readableLength > BODY_MAX) return false
  if (!PLAIN.test(req.headers['content-type'] ?? '')) return false
  const parts: Buffer[] = []
  // One at a time: as many as the client, or the network, has made of it.
  while (req.readableLength > 0) parts.push(req.read())
  request.body = parts.length === 1 ? parts[0] : Buffer.concat(parts)
  return true
}

export interface Body {
  readonly bytes: Buffer
  readonly json: unknown
}

const sizeAndType = (ctx: Context): Refusal | undefined => {
  const failed = ctx.state[READ_FAILED] as (Error & { type?: string }) | undefined
  const tooLarge = failed?.type === 'entity.too.large' || Number(ctx.req.headers['content-length']) > BODY_MAX
  if (tooLarge) return refusal('body_too_large', `The body has more than the ${BODY_MAX} bytes that are read.`)
  const wrongType = mediaTypeProblem(ctx)
  if (wrongType !== undefined) return refusal('unsupported_media_type', wrongType)
  if (failed === undefined && hasBody(ctx) && !Buffer.isBuffer(ctx.request.body)) {
    return refusal('unsupported_media_type', 'The Content-Type is not well-formed.')
  }
  return failed && refusal('malformed_request', 'The body ended before it was whole.')
}

const parsed = (ctx: Context): E.Either<Refusal, Body> => {
  const unread = sizeAndType(ctx)
  if (unread !== undefined) return E.left(unread)
  const { body } = ctx.request
  const bytes = Buffer.isBuffer(body) ? body : NO_BYTES
  if (bytes.length === 0) return E.left(refusal('malformed_json', 'The body is empty; a JSON object is needed.'))
  if (!isUtf8(bytes)) return E.left(refusal('malformed_json', 'The body is not UTF-8.'))
  if (isDeeperThan(DEPTH_MAX, bytes)) {
    return E.left(refusal('malformed_json', `The body is nested more than ${DEPTH_MAX} levels deep.`))
  }
  try {
    return E.right({ bytes, json: JSON.parse(bytes.toString()) as unknown })
  } catch (error) {
    return E.left(refusal('malformed_json', `The body is not JSON: ${whereOnly(error as Error)}.`))
  }
}

export type Read = E.Either<Refusal, Body> | Promise<E.Either<Refusal, Body>>

/** Reads and parses a JSON body; size before media type before form, as the order of refusals has it. */
export const readBody = (ctx: Context): Read =>
  // What is coded is refused as it is: inflating it would only cost.
  isCoded(ctx) || takeWhole(ctx) ? parsed(ctx) : readBytes(ctx, done).then(() => parsed(ctx))

/** The engine's message without the piece of the body it quotes: bodies hold passwords. */
const whereOnly = (error: Error): string => {
  const position = /at position (\d+)/.exec(error.message)?.[1]
  return position === undefined
    ? 'it ends too early or holds something else'
    : `something is wrong at character ${position}`
}
