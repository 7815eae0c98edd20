import * as E from 'fp-ts/lib/Either.js'
import { withSchema } from '../../domain/codec/json-schema.ts'
import { type Declaration, get } from '../protocol/declaration.ts'
import { pageHeaders } from '../protocol/page-headers.ts'
import { refusal } from '../protocol/problem.ts'
import type { Call, DecodeQuery, RouteResult } from '../protocol/route.ts'
import type { Parts } from '../routes/parts.ts'
import { fixed } from './fixed.ts'
import { readWebFiles } from './site.ts'

/** The page for people at `/`, and its files. Their sources are in src/web. */

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

const serveFile = async (_: unknown, { params }: Call): RouteResult => {
  const { digest, files } = await readWebFiles()
  const file = params.digest === digest ? files.get(params.name ?? '') : undefined
  if (file === undefined) return E.left(refusal('not_found', 'The page has no such file. It may have been updated.'))
  return E.right({ status: 200, body: file, mediaType: file.mediaType, headers: FILE_HEADERS })
}

/** The page, with further attributes of its first tag. */
const pageWith = (attributes = '') =>
  fixed(
    async () => (await readWebFiles()).page.replace('<html lang="en"', `<html lang="en"${attributes}`),
    // A form is sent by a script.
    pageHeaders("'self'", "font-src 'self'"),
  )
const openPage = pageWith()
const openPageWithSingleSignOn = pageWith(' data-single-sign-on')

const anyText = { roles: 'anyone', answer: { type: 'string' }, isTagged: true } as const
const page = {
  ...anyText,
  mediaType: 'text/html; charset=utf-8',
  handler: ({ hasSingleSignOn }: Parts) => (hasSingleSignOn ? openPageWithSingleSignOn() : openPage()),
} as const

export const webRoutes: readonly Declaration<Parts>[] = [
  get('/', { id: 'openPage', summary: 'Open the page for people', ...page }),
  get('/login/callback', {
    ...{ id: 'openPageAfterSignOn', query: ofProvider },
    summary: 'Open that page again, as a provider of single sign-on does',
    ...page,
  }),
  get('/web/:digest/:name', {
    ...{ id: 'readPageFile', ...anyText },
    summary: 'Read a script or a style sheet of that page',
    mediaType: 'text/javascript; charset=utf-8',
    otherMediaTypes: ['text/css; charset=utf-8'],
    refusals: ['not_found'],
    handler: serveFile,
  }),
]
