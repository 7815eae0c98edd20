import { type Declaration, get, refTo } from '../protocol/declaration.ts'
import type { Operation } from '../protocol/route.ts'
import { CSS, HTML, SCRIPT, SVG, serveDocument } from './serve.ts'
import { readDocuments } from './site.ts'

interface More extends Partial<Pick<Operation, 'alias' | 'answer' | 'mediaType'>> {
  /** What the refusal says where the last segment of the path is the name of no document. */
  readonly otherwise?: string
}

/** A document in a format defined by other standards, unless its answer says otherwise. */
const document = (path: string, id: string, summary: string, { otherwise, ...more }: More = {}) =>
  get(path, {
    ...{ id, summary, roles: 'anyone', isTagged: true },
    answer: more.mediaType === undefined ? refTo('Document') : { type: 'string' },
    ...more,
    ...(otherwise !== undefined && { refusals: ['not_found'] }),
    handler: (_, { params }) => {
      const address = path.replace(/:(\w+)/, (_, name: string) => params[name] ?? '')
      return serveDocument(readDocuments, address, { mediaType: more.mediaType, otherwise })
    },
  })

/**
 * What the service says of itself: documents for programs, and pages for people. None contains a secret. All are made
 * beforehand, so there is no path that could lead elsewhere.
 */
export const documentRoutes: readonly Declaration<unknown>[] = [
  document('/openapi.json', 'readOpenApi', 'Read this document (OpenAPI 3.1)'),
  document('/asyncapi.json', 'readAsyncApi', 'Read the description of the feed (AsyncAPI 3.0)'),
  document('/schemas/', 'listSchemas', 'List the JSON Schemas of all events', { answer: refTo('SchemaIndex') }),
  document('/schemas/:file', 'readSchema', "Read the JSON Schema (2020-12) of an event's data", {
    otherwise: 'There is no schema of this name.',
  }),
  document('/docs', 'readDocs', 'Open the API documentation', { mediaType: HTML, alias: '/docs/' }),
  document('/docs/swagger-ui.css', 'readDocsStyle', 'Read the stylesheet of Swagger UI', { mediaType: CSS }),
  document('/docs/swagger-ui-bundle.js', 'readDocsScript', 'Read the script of Swagger UI', { mediaType: SCRIPT }),
  document('/guide', 'readGuide', 'Open the guide', { mediaType: HTML, alias: '/guide/' }),
  document('/guide/search.json', 'readGuideSections', 'Read what the search of the guide finds'),
  document('/guide/tour.svg', 'readGuideTour', 'Get a picture of the guide', { mediaType: SVG }),
  document('/guide/schedule.png', 'readGuideSchedule', 'Get a picture of the page', { mediaType: 'image/png' }),
  document('/guide/:chapter', 'readGuideChapter', 'Read a chapter of the guide', {
    ...{ mediaType: HTML, otherwise: 'The guide has no such chapter.' },
  }),
  document('/client/berth.mjs', 'readClient', 'Download the client, which needs Node 20 or later', {
    mediaType: SCRIPT,
  }),
  document('/problems/:code', 'readProblem', 'Read the page about a problem', {
    ...{ mediaType: HTML, otherwise: 'No problem has this code.' },
  }),
]
