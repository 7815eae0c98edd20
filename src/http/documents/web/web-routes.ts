import { hash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { withSchema } from '../../../domain/codec/json-schema.ts'
import { pageHeaders } from '../../protocol/page-headers.ts'
import { refusal } from '../../protocol/problem.ts'
import { type DecodeQuery, get, getWithQuery, type Route } from '../../protocol/route.ts'
import { readWebFiles } from './web-files.ts'

/** The page for people at `/`, and its files. Their sources are in src/web. */

/** A form is sent by a script. */
const PAGE_HEADERS = { 'Cache-Control': 'no-cache', ...pageHeaders("'self'", "font-src 'self'") }

/** The address of a file has the digest of all of them, so what is there never changes. */
const FILE_HEADERS = { 'Cache-Control': 'public, max-age=31536000, immutable' }

/** What a provider of single sign-on adds to the address. The page reads it. */
const ofProvider: DecodeQuery<undefined> = withSchema(
  () => E.right(undefined),
  () => ({ type: 'object', properties: { code: { type: 'string' }, state: { type: 'string' } } }),
)

const servePage =
  (hasSingleSignOn: boolean): Route['handle'] =>
  async () => {
    const { page, pageWithSingleSignOn } = await readWebFiles()
    const body = hasSingleSignOn ? pageWithSingleSignOn : page
    const ETag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
    return E.right({ status: 200, body, headers: { ...PAGE_HEADERS, ETag } })
  }

const serveFile: Route['handle'] = async ({ params }) => {
  const { digest, files } = await readWebFiles()
  const file = params.digest === digest ? files.get(params.name ?? '') : undefined
  if (file === undefined) return E.left(refusal('not_found', 'The page has no such file. It may have been updated.'))
  const { mediaType, bytes, gzip } = file
  return E.right({ status: 200, body: { bytes, gzip }, mediaType, headers: FILE_HEADERS })
}

export const webRoutes = (hasSingleSignOn: boolean): readonly Route[] => {
  const page = {
    roles: 'anyone',
    mediaType: 'text/html; charset=utf-8',
    handle: servePage(hasSingleSignOn),
  } as const
  return [
    get({ path: '/', ...page }),
    getWithQuery({ path: '/login/callback', query: ofProvider, ...page }),
    get({
      path: '/web/:digest/:name',
      roles: 'anyone',
      mediaType: 'text/javascript; charset=utf-8',
      otherMediaTypes: ['text/css; charset=utf-8'],
      handle: serveFile,
    }),
  ]
}
