import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import type { JsonSchema } from '../../domain/codec/json-schema.ts'
import { refusal } from '../protocol/problem.ts'
import type { Call, Route, RouteResult } from '../protocol/route.ts'
import { asyncApi } from './asyncapi.ts'
import { PAGE, PAGE_HEADERS, PAGE_SCRIPT, PAGE_STYLE, type PackageFile, readPackageFile } from './docs-page.ts'
import { schemaDocuments } from './openapi/event-schemas.ts'
import { examplesFrom, readExamples } from './openapi/examples.ts'
import { openApi } from './openapi/openapi.ts'

/** The service's documents about its own interface, built on first request. */

type Handler = (call: Call) => RouteResult

/** Clients revalidate each time. The content changes only with a new version of Berth. */
const HEADERS = { 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' }

const serving = (make: () => string | Promise<string>, headers: Readonly<Record<string, string>> = {}): Handler => {
  let made: Promise<{ readonly body: string; readonly tag: string }> | undefined
  const read = async () => {
    const body = await make()
    return { body, tag: `"${hash('sha256', body, 'base64url').slice(0, 22)}"` }
  }
  return async () => {
    made ??= read()
    const { body, tag } = await made
    return E.right({ status: 200, body, headers: { ...HEADERS, ...headers, ETag: tag } })
  }
}

const json = (make: () => JsonSchema): Handler => serving(() => JSON.stringify(make()))

const versionOf = (): string =>
  JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')).version

/** By file name. */
const schemas = new Map(schemaDocuments.map(({ href, schema }) => [href.slice('/schemas/'.length), json(schema)]))

const index = (): JsonSchema => ({
  schemas: schemaDocuments.map(({ type, version, urn, href }) => ({ type, version, urn, href })),
})

const fromPackage = (file: PackageFile): Handler => serving(() => readPackageFile(file))

/** `routes` is the table that the documents describe, including their own routes. */
export const makeDocuments = (routes: () => readonly Route[]) => ({
  openApi: json(() => openApi(routes(), versionOf(), examplesFrom(readExamples()))),
  asyncApi: json(() => asyncApi(versionOf())),
  schemaIndex: json(index),
  schema: async (call: Call): RouteResult =>
    schemas.get(call.params.file ?? '')?.(call) ?? E.left(refusal('not_found', 'There is no schema of this name.')),
  page: serving(() => PAGE, PAGE_HEADERS),
  pageScript: serving(() => PAGE_SCRIPT),
  pageStyle: serving(() => PAGE_STYLE),
  uiScript: fromPackage('swagger-ui-bundle.js'),
  uiStyle: fromPackage('swagger-ui.css'),
})

export type Documents = ReturnType<typeof makeDocuments>
