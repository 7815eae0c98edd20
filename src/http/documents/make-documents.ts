import { readFileSync } from 'node:fs'
import { escapeLineSeparators } from '../../domain/values/text.ts'
import type { Operation } from '../protocol/route.ts'
import { asyncApi } from './asyncapi.ts'
import { schemaDocuments } from './event-schemas/event-schemas.ts'
import { guideDocuments, type Site } from './guide/guide.ts'
import { shell } from './guide/shell.ts'
import { openApi, readExamples } from './openapi/openapi.ts'
import type { Documents } from './site.ts'

const json = (value: unknown): string => escapeLineSeparators(JSON.stringify(value))

/** Swagger UI, with all scripts and styles served from here. */
const docsPage = (files: string): string =>
  shell({
    title: 'Interface',
    files,
    styles: ['tokens.css', 'documents~docs.css'],
    script: 'documents~docs.ts',
    head: `<link rel="stylesheet" href="/docs/swagger-ui.css">\n<script src="/docs/swagger-ui-bundle.js" defer></script>\n`,
    content: '<main id="interface"></main>',
  })

const ofSwagger = (file: string): string =>
  readFileSync(new URL(import.meta.resolve(`swagger-ui-dist/${file}`)), 'utf8')

export const makeDocuments = (operations: readonly Operation[], site: Site): Documents =>
  new Map<string, string | Uint8Array>([
    ['/openapi.json', json(openApi(operations, site.version, readExamples()))],
    ['/asyncapi.json', json(asyncApi(site.version))],
    ['/schemas/', json({ schemas: schemaDocuments.map(({ schema, ...listed }) => listed) })],
    ...schemaDocuments.map(({ href, schema }) => [href, json(schema())] as const),
    ['/docs', docsPage(site.files)],
    ['/docs/swagger-ui.css', ofSwagger('swagger-ui.css')],
    ['/docs/swagger-ui-bundle.js', ofSwagger('swagger-ui-bundle.js')],
    ['/client/berth.mjs', site.client],
    ...guideDocuments(site),
  ])
