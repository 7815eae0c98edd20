import { readFile } from 'node:fs/promises'
import * as E from 'fp-ts/lib/Either.js'
import { escapeLineSeparators } from '../../domain/values/json-text.ts'
import { type Declaration, get, refTo } from '../protocol/declaration.ts'
import { PICTURE_HEADERS, pageHeaders } from '../protocol/page-headers.ts'
import { codes, refusal } from '../protocol/problem.ts'
import type { Call, Operation, Route, RouteResult } from '../protocol/route.ts'
import { asyncApi } from './asyncapi.ts'
import { schemaDocuments } from './event-schemas/event-schemas.ts'
import { fixed, inTurns } from './fixed.ts'
import { chapterNames, INDEX, readSchedule, readTour } from './guide/chapters.ts'
import { problemPageName, readGuidePage, SEARCH_INDEX } from './guide/pages.ts'
import { shell } from './guide/shell.ts'
import { version } from './guide/version.ts'
import { examplesFrom, readExamples } from './openapi/examples.ts'
import { openApiPieces } from './openapi/openapi.ts'
import { readWebFiles } from './web/web-files.ts'

const json = (make: () => object): Route['handle'] => fixed(() => escapeLineSeparators(JSON.stringify(make())))

const guidePage = (name: string): Route['handle'] => fixed(() => readGuidePage(name), pageHeaders())

/** Serves one of several documents, by a parameter of the path. */
const oneOf = (parameter: string, all: readonly (readonly [string, Route['handle']])[], otherwise: string) => {
  const byName = new Map(all)
  return async (call: Call): RouteResult =>
    byName.get(call.params[parameter] ?? '')?.(call) ?? E.left(refusal('not_found', otherwise))
}

const schemaIndex = () => ({
  schemas: schemaDocuments.map(({ type, version, urn, href }) => ({ type, version, urn, href })),
})
const schemas = schemaDocuments.map(({ href, schema }) => [href.slice('/schemas/'.length), json(schema)] as const)
const chapters = chapterNames().map((name) => [name, guidePage(name)] as const)
const problems = Object.keys(codes).map((code) => [code, guidePage(problemPageName(code))] as const)

/** The page at /docs: Swagger UI, with all scripts and styles served from here. */
const docsPage = async (): Promise<string> =>
  shell({
    title: 'Interface',
    files: `/web/${(await readWebFiles()).digest}/`,
    styles: ['tokens.css', 'documents~docs.css'],
    script: 'documents~docs.ts',
    head: `<link rel="stylesheet" href="/docs/swagger-ui.css">\n<script src="/docs/swagger-ui-bundle.js" defer></script>\n`,
    content: '<main id="interface"></main>',
  })

const ofSwagger = (file: string): Route['handle'] =>
  fixed(() => readFile(new URL(import.meta.resolve(`swagger-ui-dist/${file}`)), 'utf8'))

const HTML = 'text/html; charset=utf-8'
const CSS = 'text/css; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'

export interface DocumentParts {
  /** What the documents describe, including these routes. */
  readonly operations: readonly Operation[]
}

type Words = Pick<Operation, 'path' | 'id' | 'summary'> & Partial<Pick<Operation, 'alias' | 'answer' | 'refusals'>>

/** A document about the interface, in a format defined by other standards. */
const document = (words: Words, handler: (parts: DocumentParts) => Route['handle']): Declaration<DocumentParts> =>
  get({ tag: 'Documents', roles: 'anyone', answer: refTo('Document'), isTagged: true, ...words, handler })

/** A page, or a file of one. */
const page = (words: Words & Required<Pick<Operation, 'mediaType'>>, handler: () => Route['handle']) =>
  get({ tag: 'Documents', roles: 'anyone', answer: { type: 'string' }, isTagged: true, ...words, handler })

const makeOpenApi = ({ operations }: DocumentParts): Route['handle'] =>
  fixed(async () => {
    const pieces = openApiPieces(operations, version(), examplesFrom(readExamples()))
    return escapeLineSeparators(await inTurns(pieces))
  })

/**
 * What the service says of itself: documents for programs, and pages for people. None contains a secret. Each is built
 * on its first request.
 */
export const documentRoutes: readonly Declaration<DocumentParts>[] = [
  document({ path: '/openapi.json', id: 'readOpenApi', summary: 'Read this document (OpenAPI 3.1)' }, makeOpenApi),
  document(
    { path: '/asyncapi.json', id: 'readAsyncApi', summary: 'Read the description of the feed (AsyncAPI 3.0)' },
    () => json(() => asyncApi(version())),
  ),
  document(
    {
      path: '/schemas/',
      id: 'listSchemas',
      summary: 'List the JSON Schemas of all events',
      answer: refTo('SchemaIndex'),
    },
    () => json(schemaIndex),
  ),
  document(
    {
      path: '/schemas/:file',
      id: 'readSchema',
      summary: "Read the JSON Schema (2020-12) of an event's data",
      refusals: ['not_found'],
    },
    () => oneOf('file', schemas, 'There is no schema of this name.'),
  ),
  // A route for every file: there is no path that could lead elsewhere.
  page({ path: '/docs', alias: '/docs/', id: 'readDocs', summary: 'Open the API documentation', mediaType: HTML }, () =>
    fixed(docsPage, pageHeaders()),
  ),
  page(
    {
      path: '/docs/swagger-ui.css',
      id: 'readDocsStyle',
      summary: 'Read the stylesheet of Swagger UI',
      mediaType: CSS,
    },
    () => ofSwagger('swagger-ui.css'),
  ),
  page(
    {
      path: '/docs/swagger-ui-bundle.js',
      id: 'readDocsScript',
      summary: 'Read the script of Swagger UI',
      mediaType: SCRIPT,
    },
    () => ofSwagger('swagger-ui-bundle.js'),
  ),
  page({ path: '/guide', alias: '/guide/', id: 'readGuide', summary: 'Open the guide', mediaType: HTML }, () =>
    guidePage(INDEX),
  ),
  document(
    { path: '/guide/search.json', id: 'readGuideSections', summary: 'Read what the search of the guide finds' },
    () => fixed(async () => escapeLineSeparators(await readGuidePage(SEARCH_INDEX))),
  ),
  page(
    {
      path: '/guide/tour.svg',
      id: 'readGuideTour',
      summary: 'Get a picture of the guide',
      mediaType: 'image/svg+xml',
    },
    () => fixed(readTour, PICTURE_HEADERS),
  ),
  page(
    {
      path: '/guide/schedule.png',
      id: 'readGuideSchedule',
      summary: 'Get a picture of the page',
      mediaType: 'image/png',
    },
    () => fixed(readSchedule),
  ),
  page(
    {
      path: '/guide/:chapter',
      id: 'readGuideChapter',
      summary: 'Read a chapter of the guide',
      mediaType: HTML,
      refusals: ['not_found'],
    },
    () => oneOf('chapter', chapters, 'The guide has no such chapter.'),
  ),
  page(
    {
      path: '/client/berth.mjs',
      id: 'readClient',
      summary: 'Download the client, which needs Node 20 or later',
      mediaType: SCRIPT,
    },
    () => fixed(async () => (await readWebFiles()).client),
  ),
  page(
    {
      path: '/problems/:code',
      id: 'readProblem',
      summary: 'Read the page about a problem',
      mediaType: HTML,
      refusals: ['not_found'],
    },
    () => oneOf('code', problems, 'No problem has this code.'),
  ),
]
