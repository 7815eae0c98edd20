import { hash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { once } from '../../concurrency/once.ts'
import { UNCOMPRESSED_MAX } from '../protocol/coding.ts'
import type { FixedBody, RouteResult } from '../protocol/route.ts'
import { compressAll } from '../response/compress.ts'

/**
 * Serves a text, or the bytes of a picture, with an ETag. It is read and compressed on the first request and kept; after
 * a failure the next request tries again.
 */
export const fixed = (
  read: () => Promise<string | Uint8Array>,
  headers: Readonly<Record<string, string>> = {},
): (() => RouteResult) => {
  const readOnce = once(async () => {
    const content = await read()
    const bytes = Buffer.from(content)
    // Bytes are those of a picture, which is compressed by itself.
    const isText = typeof content === 'string' && bytes.length > UNCOMPRESSED_MAX
    const body: FixedBody = { bytes, ...(isText && { compressed: await compressAll(bytes) }) }
    return { body, ETag: `"${hash('sha256', content, 'base64url').slice(0, 22)}"` }
  })
  return async () => {
    const { body, ETag } = await readOnce()
    // Clients ask each time whether it has changed, which a new version of Berth may do.
    return E.right({ status: 200, body, headers: { 'Cache-Control': 'no-cache', ...headers, ETag } })
  }
}
