import { hash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { once } from '../../concurrency/once.ts'
import { PICTURE_HEADERS, pageHeaders } from '../protocol/page-headers.ts'
import { refusal } from '../protocol/problem.ts'
import type { RouteResponse, RouteResult } from '../protocol/route.ts'
import { compressAll } from '../response/compress.ts'
import type { Documents } from './site.ts'

export const HTML = 'text/html; charset=utf-8'
export const CSS = 'text/css; charset=utf-8'
export const SCRIPT = 'text/javascript; charset=utf-8'
export const SVG = 'image/svg+xml'

type Headers = Readonly<Record<string, string>>

/** Headers by media type. */
const HEADERS: Readonly<Record<string, Headers>> = { [HTML]: pageHeaders(), [SVG]: PICTURE_HEADERS }

const toResponse = async (content: string | Uint8Array, headers: Headers): Promise<RouteResponse> => {
  const bytes = Buffer.from(content)
  // Bytes are those of a picture, which is compressed by itself. A page has many small files, so these count as well.
  const isText = typeof content === 'string'
  const ETag = `"${hash('sha256', content, 'base64url').slice(0, 22)}"`
  return {
    status: 200,
    body: { bytes, ...(isText && { compressed: await compressAll(bytes) }) },
    // Clients ask each time whether it has changed, which a new version of Berth may do.
    headers: { 'Cache-Control': 'no-cache', ...headers, ETag },
  }
}

const responses = new Map<string, () => Promise<RouteResponse>>()

interface Serving {
  readonly mediaType?: string | undefined
  /** In place of those that its media type has. */
  readonly headers?: Headers
  /** What the refusal says where there is no document at the address. */
  readonly otherwise?: string | undefined
}

/** Serves what is at an address, with an ETag. It is compressed on the first request and kept. */
export const serveDocument = async (
  read: () => Promise<Documents>,
  address: string,
  { mediaType = '', headers = HEADERS[mediaType] ?? {}, otherwise = '' }: Serving = {},
): RouteResult => {
  const content = (await read()).get(address)
  if (content === undefined) return E.left(refusal('not_found', otherwise))
  const respond = responses.get(address) ?? once(() => toResponse(content, headers))
  responses.set(address, respond)
  return E.right(await respond())
}
