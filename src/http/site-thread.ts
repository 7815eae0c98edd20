/** Makes the page and all documents: see documents/site.ts. */

import { readFileSync } from 'node:fs'
import { answerCalls } from '../concurrency/answer-calls.ts'
import { escapeLineSeparators } from '../domain/values/text.ts'
import { asyncApi } from './documents/asyncapi.ts'
import { schemaDocuments } from './documents/event-schemas/event-schemas.ts'
import { guideDocuments } from './documents/guide/guide.ts'
import { shell } from './documents/guide/shell.ts'
import { openApi, readExamples } from './documents/openapi/openapi.ts'
import type { SiteThread } from './documents/site.ts'
import { buildPage } from './documents/web/build-page.ts'

const json = (value: unknown): string => escapeLineSeparators(JSON.stringify(value))

/** Swagger UI, with all scripts and styles served from here. */
const docsPage = (files: string): string =>
  shell({
    title: 'Interface',
    files,
    styles: ['docs.css'],
    script: 'docs.js',
    head: `<link rel="stylesheet" href="/docs/swagger-ui.css">\n<script src="/docs/swagger-ui-bundle.js" defer></script>\n`,
    content: '<main id="interface"></main>',
  })

const ofSwagger = (file: string): string =>
  readFileSync(new URL(import.meta.resolve(`swagger-ui-dist/${file}`)), 'utf8')

/** A file that is handed out as it is. */
const ofSource = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

answerCalls({
  page: () => buildPage(process.env.BERTH_LOG_LEVEL === 'debug'),
  documents: async (site) => {
    // Not needed for the page, which people wait for, and more than all else here.
    const { routes } = await import('./routes.ts')
    return new Map<string, string | Uint8Array>([
      ['/openapi.json', json(openApi(routes, site.version, readExamples()))],
      ['/asyncapi.json', json(asyncApi(site.version))],
      ['/schemas/', json({ schemas: schemaDocuments.map(({ schema, ...listed }) => listed) })],
      ...schemaDocuments.map(({ href, schema }) => [href, json(schema())] as const),
      ['/docs', docsPage(site.files)],
      ['/docs/swagger-ui.css', ofSwagger('swagger-ui.css')],
      ['/docs/swagger-ui-bundle.js', ofSwagger('swagger-ui-bundle.js')],
      ['/client/berth.mjs', site.client],
      ['/client/berth.py', ofSource('client/python/berth.py')],
      ['/client/with-machine.sh', ofSource('guide/with-machine.sh')],
      ['/client/berth-api.d.ts', ofSource('web/service/berth-api.d.ts')],
      ...guideDocuments(site),
    ])
  },
} satisfies SiteThread)
