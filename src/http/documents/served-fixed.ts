import { hash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { FixedBody, Route } from '../protocol/route.ts'

/** Clients ask each time whether it has changed, which a new version of Berth may do. */
const HEADERS = { 'Cache-Control': 'no-cache' }

/**
 * Serves a text, or the bytes of a picture, with an ETag. It is made on the first request and kept; after a failure the
 * next request tries again.
 */
export const serveFixed = (
  make: () => string | Promise<string | Uint8Array>,
  headers: Readonly<Record<string, string>> = {},
): Route['handle'] => {
  let made: Promise<{ readonly body: string | FixedBody; readonly tag: string }> | undefined
  const read = async () => {
    const content = await make()
    const tag = `"${hash('sha256', content, 'base64url').slice(0, 22)}"`
    return { body: typeof content === 'string' ? content : { bytes: content }, tag }
  }
  return async () => {
    made ??= read().catch((error: unknown) => {
      made = undefined
      throw error
    })
    const { body, tag } = await made
    return E.right({ status: 200, body, headers: { ...HEADERS, ...headers, ETag: tag } })
  }
}
