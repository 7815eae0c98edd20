import { promisify } from 'node:util'
import { gzip, zstdCompress } from 'node:zlib'
import { makeTurns } from '../../concurrency/turns.ts'
import { bufferOf, type Coding, type Compressed, codedTag, codingOf, UNCOMPRESSED_MAX } from '../protocol/coding.ts'
import type { Context, Middleware } from '../protocol/context.ts'
import { NO_STORE } from '../protocol/route.ts'

/** Compression in the threads of libuv, off the main thread. */

/** Of four threads, which also hash passwords and read files. */
const THREADS_MAX = 2
/** Each piece of the output takes a turn of the main thread. */
const OPTIONS = { chunkSize: 65_536 }

const CODERS = { zstd: promisify(zstdCompress), gzip: promisify(gzip) }

const turns = makeTurns({ limit: THREADS_MAX })

const compressed = async (body: string | Uint8Array, coding: Coding): Promise<Uint8Array> => {
  await turns.acquire('')
  try {
    return await CODERS[coding](body, OPTIONS)
  } finally {
    turns.release('')
  }
}

export const compressAll = async (body: string | Uint8Array): Promise<Compressed> => ({
  zstd: await compressed(body, 'zstd'),
  gzip: await compressed(body, 'gzip'),
})

/** What is JSON, large and no secret. */
const isCompressible = ({ body, response }: Context): boolean =>
  typeof body === 'string' &&
  response.length > UNCOMPRESSED_MAX &&
  /^application\/(?:problem\+)?json$/.test(response.get('Content-Type')) &&
  response.get('Cache-Control') !== NO_STORE['Cache-Control']

/** Sends large documents compressed, some of which are kept so, and none that the client has: then 304. */
export const compress: Middleware = async (ctx, next) => {
  await next()
  const { kept } = ctx.state
  const isVaried = kept !== undefined || isCompressible(ctx)
  const coding = isVaried ? codingOf(ctx.req.headers['accept-encoding']) : undefined
  if (isVaried) ctx.vary('Accept-Encoding')
  const isTagged = ctx.res.hasHeader('ETag')
  if (isTagged && coding !== undefined) ctx.set('ETag', codedTag(ctx.response.get('ETag'), coding))
  if (isTagged && ctx.req.headers['if-none-match'] !== undefined && ctx.fresh) ctx.status = 304
  else if (coding !== undefined) {
    ctx.body = kept === undefined ? await compressed(ctx.body as string, coding) : bufferOf(kept[coding])
    ctx.set('Content-Encoding', coding)
  }
}
