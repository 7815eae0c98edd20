import { hash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { Route } from '../protocol/route.ts'

/** Clients ask each time whether it has changed, which a new version of Berth may do. */
const HEADERS = { 'Cache-Control': 'no-cache' }

/** Serves a text with an ETag. It is made on the first request and kept; after a failure the next request tries again. */
export const serveText = (
  make: () => string | Promise<string>,
  headers: Readonly<Record<string, string>> = {},
): Route['handle'] => {
  let made: Promise<{ readonly body: string; readonly tag: string }> | undefined
  const read = async () => {
    const body = await make()
    return { body, tag: `"${hash('sha256', body, 'base64url').slice(0, 22)}"` }
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

/** Serves a picture, which is compressed by itself, as a text is served. */
export const servePicture = (read: () => Promise<Uint8Array>): Route['handle'] => {
  let made: Promise<{ readonly bytes: Uint8Array; readonly tag: string }> | undefined
  const prepare = async () => {
    const bytes = await read()
    return { bytes, tag: `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"` }
  }
  return async () => {
    made ??= prepare().catch((error: unknown) => {
      made = undefined
      throw error
    })
    const { bytes, tag } = await made
    return E.right({ status: 200, body: { bytes }, headers: { ...HEADERS, ETag: tag } })
  }
}
