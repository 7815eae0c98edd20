import { readFile } from 'node:fs/promises'
import * as E from 'fp-ts/lib/Either.js'
import { escapeLineSeparators } from '../../domain/values/json-text.ts'
import { PICTURE_HEADERS, pageHeaders } from '../protocol/page-headers.ts'
import { codes, refusal } from '../protocol/problem.ts'
import { type Call, get, JSON_TYPE, type Route, type RouteResult } from '../protocol/route.ts'
import { asyncApi } from './asyncapi.ts'
import { schemaDocuments } from './event-schemas/event-schemas.ts'
import { fixed, inTurns } from './fixed.ts'
import { chapterNames, INDEX, readSchedule, readTour } from './guide/chapters.ts'
import { problemPageName, readPage, SEARCH_INDEX } from './guide/pages.ts'
import { shell } from './guide/shell.ts'
import { version } from './guide/version.ts'
import { examplesFrom, readExamples } from './openapi/examples.ts'
import { openApiPieces } from './openapi/openapi.ts'
import { readWebFiles } from './web/web-files.ts'

const json = (make: () => object): Route['handle'] => fixed(() => escapeLineSeparators(JSON.stringify(make())))

const guidePage = (name: string): Route['handle'] => fixed(() => readPage(name), pageHeaders())

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

/**
 * What the service says of itself: documents for programs, and pages for people. None contains a secret. Each is built
 * on its first request.
 *
 * @param routes the table that the documents describe, including these routes
 */
export const documentRoutes = (routes: () => readonly Route[]): readonly Route[] => {
  const describe = () => openApiPieces(routes(), version(), examplesFrom(readExamples()))
  const document = (path: string, mediaType: string, handle: Route['handle'], alias?: string): Route =>
    get({ path, roles: 'anyone', mediaType, handle, ...(alias !== undefined && { alias }) })
  return [
    document(
      '/openapi.json',
      JSON_TYPE,
      fixed(async () => escapeLineSeparators(await inTurns(describe()))),
    ),
    document(
      '/asyncapi.json',
      JSON_TYPE,
      json(() => asyncApi(version())),
    ),
    document('/schemas/', JSON_TYPE, json(schemaIndex)),
    document('/schemas/:file', JSON_TYPE, oneOf('file', schemas, 'There is no schema of this name.')),
    // A route for every file: there is no path that could lead elsewhere.
    document('/docs', HTML, fixed(docsPage, pageHeaders()), '/docs/'),
    document('/docs/swagger-ui.css', CSS, ofSwagger('swagger-ui.css')),
    document('/docs/swagger-ui-bundle.js', SCRIPT, ofSwagger('swagger-ui-bundle.js')),

    document('/guide', HTML, guidePage(INDEX), '/guide/'),
    document(
      '/guide/search.json',
      JSON_TYPE,
      fixed(async () => escapeLineSeparators(await readPage(SEARCH_INDEX))),
    ),
    document('/guide/tour.svg', 'image/svg+xml', fixed(readTour, PICTURE_HEADERS)),
    document('/guide/schedule.png', 'image/png', fixed(readSchedule)),
    document('/guide/:chapter', HTML, oneOf('chapter', chapters, 'The guide has no such chapter.')),
    document(
      '/client/berth.mjs',
      SCRIPT,
      fixed(async () => (await readWebFiles()).client),
    ),
    document('/problems/:code', HTML, oneOf('code', problems, 'No problem has this code.')),
  ]
}
