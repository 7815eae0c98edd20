import * as E from 'fp-ts/lib/Either.js'
import { withSchema } from '../../domain/codec/json-schema.ts'
import { type Declaration, get } from '../protocol/declaration.ts'
import { pageHeaders } from '../protocol/page-headers.ts'
import { refusal } from '../protocol/problem.ts'
import type { Call, DecodeQuery, RouteResult } from '../protocol/route.ts'
import type { Parts } from '../routes/parts.ts'
import { fixed } from './fixed.ts'
import { readWebFiles } from './web/web-files.ts'

/** The page for people at `/`, and its files. Their sources are in src/web. */

/** The address of a file has the digest of all of them, so what is there never changes. */
const FILE_HEADERS = { 'Cache-Control': 'public, max-age=31536000, immutable' }

/** What a provider of single sign-on adds to the address. The page reads it. */
const ofProvider: DecodeQuery<undefined> = withSchema(
  () => E.right(undefined),
  () => ({
    type: 'object',
    properties: {
      code: {
        type: 'string',
        description: 'What the provider gives in place of the user. Other parameters are ignored.',
      },
      state: { type: 'string', description: 'What the page sent to the provider.' },
    },
  }),
)

const serveFile = async (_: unknown, { params }: Call): RouteResult => {
  const { digest, files } = await readWebFiles()
  const file = params.digest === digest ? files.get(params.name ?? '') : undefined
  if (file === undefined) return E.left(refusal('not_found', 'The page has no such file. It may have been updated.'))
  const { mediaType, bytes, compressed } = file
  return E.right({ status: 200, body: { bytes, compressed }, mediaType, headers: FILE_HEADERS })
}

const pageOf = (name: 'page' | 'pageWithSingleSignOn') =>
  fixed(
    async () => (await readWebFiles())[name],
    // A form is sent by a script.
    pageHeaders("'self'", "font-src 'self'"),
  )
const openPage = pageOf('page')
const openPageWithSingleSignOn = pageOf('pageWithSingleSignOn')

const page = {
  roles: 'anyone',
  mediaType: 'text/html; charset=utf-8',
  answer: { type: 'string' },
  isTagged: true,
  handler: ({ hasSingleSignOn }: Parts) => (hasSingleSignOn ? openPageWithSingleSignOn() : openPage()),
} as const

export const webRoutes: readonly Declaration<Parts>[] = [
  get({ path: '/', id: 'openPage', summary: 'Open the page for people', ...page }),
  get({
    path: '/login/callback',
    id: 'openPageAfterSignOn',
    summary: 'Open that page again, as a provider of single sign-on does',
    query: ofProvider,
    ...page,
  }),
  get({
    path: '/web/:digest/:name',
    id: 'readPageFile',
    summary: 'Read a script or a style sheet of that page',
    roles: 'anyone',
    mediaType: 'text/javascript; charset=utf-8',
    otherMediaTypes: ['text/css; charset=utf-8'],
    answer: { type: 'string' },
    isTagged: true,
    refusals: ['not_found'],
    handler: serveFile,
  }),
]
