import * as E from 'fp-ts/lib/Either.js'
import type { JsonSchema } from '../../domain/codec/json-schema.ts'
import { codes, refusal } from '../protocol/problem.ts'
import type { Call, Route, RouteResult } from '../protocol/route.ts'
import { asyncApi } from './asyncapi.ts'
import { DOCS_PAGE_HEADERS, type PackageFile, readPackageFile, renderDocsPage } from './docs-page.ts'
import { GUIDE_PAGE_HEADERS as GUIDE_HEADERS, PICTURE_HEADERS } from './guide/appearance.ts'
import { chapterNames, INDEX, readSchedule, readTour } from './guide/chapters.ts'
import { problemPageName, readPage, SEARCH_INDEX } from './guide/pages.ts'
import { version } from './guide/version.ts'
import { schemaDocuments } from './openapi/event-schemas.ts'
import { examplesFrom, readExamples } from './openapi/examples.ts'
import { openApi } from './openapi/openapi.ts'
import { serveFixed } from './served-fixed.ts'
import { readWebFiles } from './web/web-files.ts'

/** The service's documents about its own interface, built on first request. */

type Handler = (call: Call) => RouteResult

const json = (make: () => JsonSchema): Handler => serveFixed(() => JSON.stringify(make()))

/** By file name. */
const schemas = new Map(schemaDocuments.map(({ href, schema }) => [href.slice('/schemas/'.length), json(schema)]))

const index = (): JsonSchema => ({
  schemas: schemaDocuments.map(({ type, version, urn, href }) => ({ type, version, urn, href })),
})

const fromPackage = (file: PackageFile): Handler => serveFixed(() => readPackageFile(file))

const guidePage = (name: string): Handler => serveFixed(() => readPage(name), GUIDE_HEADERS)

const chapters = new Map(chapterNames().map((name) => [name, guidePage(name)]))
const problems = new Map(Object.keys(codes).map((code) => [code, guidePage(problemPageName(code))]))

/** `routes` is the table that the documents describe, including their own routes. */
export const makeDocuments = (routes: () => readonly Route[]) => ({
  openApi: json(() => openApi(routes(), version(), examplesFrom(readExamples()))),
  asyncApi: json(() => asyncApi(version())),
  schemaIndex: json(index),
  schema: async (call: Call): RouteResult =>
    schemas.get(call.params.file ?? '')?.(call) ?? E.left(refusal('not_found', 'There is no schema of this name.')),
  page: serveFixed(async () => renderDocsPage(`/web/${(await readWebFiles()).digest}/`), DOCS_PAGE_HEADERS),
  guide: guidePage(INDEX),
  guideChapter: async (call: Call): RouteResult =>
    chapters.get(call.params.chapter ?? '')?.(call) ?? E.left(refusal('not_found', 'The guide has no such chapter.')),
  problem: async (call: Call): RouteResult =>
    problems.get(call.params.code ?? '')?.(call) ?? E.left(refusal('not_found', 'No problem has this code.')),
  guideSearch: serveFixed(() => readPage(SEARCH_INDEX)),
  guideTour: serveFixed(readTour, PICTURE_HEADERS),
  guideSchedule: serveFixed(readSchedule),
  client: serveFixed(async () => (await readWebFiles()).client),
  uiScript: fromPackage('swagger-ui-bundle.js'),
  uiStyle: fromPackage('swagger-ui.css'),
})

export type Documents = ReturnType<typeof makeDocuments>
