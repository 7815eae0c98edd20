import * as E from 'fp-ts/lib/Either.js'
import { withSchema } from '../../domain/codec/json-schema.ts'
import { pageHeaders } from '../protocol/page-headers.ts'
import { refusal } from '../protocol/problem.ts'
import { type DecodeQuery, get, getWithQuery, type Route } from '../protocol/route.ts'
import { fixed } from './fixed.ts'
import { readWebFiles } from './web/web-files.ts'

/** The page for people at `/`, and its files. Their sources are in src/web. */

/** The address of a file has the digest of all of them, so what is there never changes. */
const FILE_HEADERS = { 'Cache-Control': 'public, max-age=31536000, immutable' }

/** What a provider of single sign-on adds to the address. The page reads it. */
const ofProvider: DecodeQuery<undefined> = withSchema(
  () => E.right(undefined),
  () => ({ type: 'object', properties: { code: { type: 'string' }, state: { type: 'string' } } }),
)

const serveFile: Route['handle'] = async ({ params }) => {
  const { digest, files } = await readWebFiles()
  const file = params.digest === digest ? files.get(params.name ?? '') : undefined
  if (file === undefined) return E.left(refusal('not_found', 'The page has no such file. It may have been updated.'))
  const { mediaType, bytes, compressed } = file
  return E.right({ status: 200, body: { bytes, compressed }, mediaType, headers: FILE_HEADERS })
}

export const webRoutes = (hasSingleSignOn: boolean): readonly Route[] => {
  const page = {
    roles: 'anyone',
    mediaType: 'text/html; charset=utf-8',
    handle: fixed(
      async () => (await readWebFiles())[hasSingleSignOn ? 'pageWithSingleSignOn' : 'page'],
      // A form is sent by a script.
      pageHeaders("'self'", "font-src 'self'"),
    ),
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
