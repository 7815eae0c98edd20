import * as E from 'fp-ts/lib/Either.js'
import { withSchema } from '../../domain/codec/json-schema.ts'
import { type Declaration, get } from '../protocol/declaration.ts'
import { pageHeaders } from '../protocol/page-headers.ts'
import type { Call, DecodeQuery, RouteResponse, RouteResult } from '../protocol/route.ts'
import type { Parts } from '../routes/parts.ts'
import { CSS, HTML, SCRIPT, serveDocument } from './serve.ts'
import { readPage } from './site.ts'

/** The page for people at `/`, and its files. Their sources are in src/web. */

const readFiles = async () => (await readPage()).documents

// A form is sent by a script.
const PAGE_HEADERS = pageHeaders("'self'", "font-src 'self'")
/** The address of a file has the digest of all of them, so what is there never changes. */
const FILE_HEADERS = { 'Cache-Control': 'public, max-age=31536000, immutable' }

const FROM_PROVIDER = 'What the provider gives in place of the user. Other parameters are ignored.'
/** What a provider of single sign-on adds to the address. The page reads it. */
const ofProvider: DecodeQuery<undefined> = withSchema(
  () => E.right(undefined),
  () => ({
    type: 'object',
    properties: {
      code: { type: 'string', description: FROM_PROVIDER },
      state: { type: 'string', description: 'What the page sent to the provider.' },
    },
  }),
)

const anyText = { roles: 'anyone', answer: { type: 'string' }, isTagged: true } as const
const page = {
  ...anyText,
  mediaType: HTML,
  handler: ({ hasSingleSignOn }: Parts) =>
    serveDocument(readFiles, hasSingleSignOn ? '/login/callback' : '/', { headers: PAGE_HEADERS }),
} as const

const serveFile = async (_: unknown, { params: { digest, name = '' } }: Call): RouteResult => {
  const otherwise = 'The page has no such file. It may have been updated.'
  const answer = await serveDocument(readFiles, `/web/${digest}/${name}`, { headers: FILE_HEADERS, otherwise })
  const mediaType = name.endsWith('.css') ? CSS : SCRIPT
  return E.map((file: RouteResponse) => ({ ...file, mediaType }))(answer)
}

export const webRoutes: readonly Declaration<Parts>[] = [
  get('/', { id: 'openPage', summary: 'Open the page for people', ...page }),
  get('/login/callback', {
    ...{ id: 'openPageAfterSignOn', query: ofProvider, ...page },
    summary: 'Open that page again, as a provider of single sign-on does',
  }),
  get('/web/:digest/:name', {
    ...{ id: 'readPageFile', ...anyText, mediaType: SCRIPT, otherMediaTypes: [CSS] },
    summary: 'Read a script or a style sheet of that page',
    refusals: ['not_found'],
    handler: serveFile,
  }),
]
