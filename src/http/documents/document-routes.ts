import { readFile } from 'node:fs/promises'
import * as E from 'fp-ts/lib/Either.js'
import { escapeLineSeparators } from '../../domain/values/json-text.ts'
import { type Declaration, get, refTo } from '../protocol/declaration.ts'
import { PICTURE_HEADERS, pageHeaders } from '../protocol/page-headers.ts'
import { codes, refusal } from '../protocol/problem.ts'
import type { Call, Operation, RouteResult } from '../protocol/route.ts'
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

const json = (make: () => object) => fixed(() => escapeLineSeparators(JSON.stringify(make())))

const guidePage = (name: string) => fixed(() => readGuidePage(name), pageHeaders())

/** Serves one of several documents, by a parameter of the path. */
const oneOf = (parameter: string, all: readonly (readonly [string, () => RouteResult])[], otherwise: string) => {
  const byName = new Map(all)
  return async (_: unknown, { params }: Call): RouteResult =>
    byName.get(params[parameter] ?? '')?.() ?? E.left(refusal('not_found', otherwise))
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

const ofSwagger = (file: string) =>
  fixed(() => readFile(new URL(import.meta.resolve(`swagger-ui-dist/${file}`)), 'utf8'))

const HTML = 'text/html; charset=utf-8'
const CSS = 'text/css; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'

export interface DocumentParts {
  /** Responds with the description of all operations, including these. */
  readonly openApi: () => RouteResult
}

type Handler = Declaration<DocumentParts>['handler']
type More = Partial<Pick<Operation, 'alias' | 'answer' | 'mediaType' | 'refusals'>>

/** A document about the interface, in a format defined by other standards unless its answer says otherwise. */
const document = (path: string, id: string, summary: string, handler: Handler, more: More = {}) =>
  get({
    path,
    id,
    summary,
    roles: 'anyone',
    answer: refTo('Document'),
    isTagged: true,
    ...more,
    handler,
  })

/** A page, or a file of one. */
const page = (path: string, id: string, summary: string, mediaType: string, handler: Handler, more: More = {}) =>
  document(path, id, summary, handler, { answer: { type: 'string' }, mediaType, ...more })

/** The OpenAPI document of operations. */
export const openApiOf = (operations: readonly Operation[]): DocumentParts['openApi'] =>
  fixed(async () => {
    const pieces = openApiPieces(operations, version(), examplesFrom(readExamples()))
    return escapeLineSeparators(await inTurns(pieces))
  })

/** Of what there is one of a name, or nothing. */
const orNothing: More = { refusals: ['not_found'] }

/**
 * What the service says of itself: documents for programs, and pages for people. None contains a secret. Each is built
 * on its first request. Every file has a route of its own: there is no path that could lead elsewhere.
 */
export const documentRoutes: readonly Declaration<DocumentParts>[] = [
  document('/openapi.json', 'readOpenApi', 'Read this document (OpenAPI 3.1)', ({ openApi }) => openApi()),
  document(
    '/asyncapi.json',
    'readAsyncApi',
    'Read the description of the feed (AsyncAPI 3.0)',
    json(() => asyncApi(version())),
  ),
  document('/schemas/', 'listSchemas', 'List the JSON Schemas of all events', json(schemaIndex), {
    answer: refTo('SchemaIndex'),
  }),
  document(
    ...(['/schemas/:file', 'readSchema', "Read the JSON Schema (2020-12) of an event's data"] as const),
    oneOf('file', schemas, 'There is no schema of this name.'),
    orNothing,
  ),
  page('/docs', 'readDocs', 'Open the API documentation', HTML, fixed(docsPage, pageHeaders()), {
    alias: '/docs/',
  }),
  page('/docs/swagger-ui.css', 'readDocsStyle', 'Read the stylesheet of Swagger UI', CSS, ofSwagger('swagger-ui.css')),
  page(
    '/docs/swagger-ui-bundle.js',
    'readDocsScript',
    'Read the script of Swagger UI',
    SCRIPT,
    ofSwagger('swagger-ui-bundle.js'),
  ),
  page('/guide', 'readGuide', 'Open the guide', HTML, guidePage(INDEX), { alias: '/guide/' }),
  document(
    '/guide/search.json',
    'readGuideSections',
    'Read what the search of the guide finds',
    fixed(async () => escapeLineSeparators(await readGuidePage(SEARCH_INDEX))),
  ),
  page(
    '/guide/tour.svg',
    'readGuideTour',
    'Get a picture of the guide',
    'image/svg+xml',
    fixed(readTour, PICTURE_HEADERS),
  ),
  page('/guide/schedule.png', 'readGuideSchedule', 'Get a picture of the page', 'image/png', fixed(readSchedule)),
  page(
    ...(['/guide/:chapter', 'readGuideChapter', 'Read a chapter of the guide', HTML] as const),
    oneOf('chapter', chapters, 'The guide has no such chapter.'),
    orNothing,
  ),
  page(
    '/client/berth.mjs',
    'readClient',
    'Download the client, which needs Node 20 or later',
    SCRIPT,
    fixed(async () => (await readWebFiles()).client),
  ),
  page(
    ...(['/problems/:code', 'readProblem', 'Read the page about a problem', HTML] as const),
    oneOf('code', problems, 'No problem has this code.'),
    orNothing,
  ),
]
