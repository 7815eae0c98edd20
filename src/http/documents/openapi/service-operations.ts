import { refTo, string } from './answer-schemas.ts'
import type { Operation, Operations } from './operation.ts'

/** A document about the interface, in a format defined by other standards. */
const document = (id: string, summary: string): Operation => ({
  id,
  summary,
  answer: refTo('Document'),
  isTagged: true,
})

/** A page, or a file of one. */
const partOfPage = (id: string, summary: string): Operation => ({ id, summary, answer: string, isTagged: true })

export const serviceOperations: Operations = {
  'GET /metrics': {
    id: 'readMetrics',
    summary: 'Read the metrics (Prometheus)',
    answer: string,
  },
  'GET /health/live': {
    id: 'isLive',
    summary: 'Check that the service is running',
    answer: refTo('Health'),
  },
  'GET /health/ready': {
    id: 'isReady',
    summary: 'Check that the service is ready',
    description:
      'If it is not, the error response gives the state of each part in parts. While the clock is ahead, detail says that writes are refused.',
    answer: refTo('Health'),
  },
}

export const documentOperations: Operations = {
  'GET /problems/:code': { ...partOfPage('readProblem', 'Read the page about a problem'), refusals: ['not_found'] },
  'GET /openapi.json': document('readOpenApi', 'Read this document (OpenAPI 3.1)'),
  'GET /asyncapi.json': document('readAsyncApi', 'Read the description of the feed (AsyncAPI 3.0)'),
  'GET /schemas/': { ...document('listSchemas', 'List the JSON Schemas of all events'), answer: refTo('SchemaIndex') },
  'GET /schemas/:file': {
    ...document('readSchema', "Read the JSON Schema (2020-12) of an event's data"),
    refusals: ['not_found'],
  },
  'GET /docs': partOfPage('readDocs', 'Open the API documentation'),
  'GET /docs/swagger-ui.css': partOfPage('readDocsStyle', 'Read the stylesheet of Swagger UI'),
  'GET /docs/swagger-ui-bundle.js': partOfPage('readDocsScript', 'Read the script of Swagger UI'),
  'GET /': partOfPage('openPage', 'Open the page for people'),
  'GET /login/callback': {
    ...partOfPage('openPageAfterSignOn', 'Open that page again, as a provider of single sign-on does'),
    notes: {
      code: 'What the provider gives in place of the user. Other parameters are ignored.',
      state: 'What the page sent to the provider.',
    },
  },
  'GET /web/:digest/:name': {
    ...partOfPage('readPageFile', 'Read a script or a style sheet of that page'),
    refusals: ['not_found'],
  },
  'GET /guide': partOfPage('readGuide', 'Open the guide'),
  'GET /guide/:chapter': {
    ...partOfPage('readGuideChapter', 'Read a chapter of the guide'),
    refusals: ['not_found'],
  },
  'GET /guide/search.json': document('readGuideSections', 'Read what the search of the guide finds'),
  'GET /guide/tour.svg': partOfPage('readGuideTour', 'Get a picture of the guide'),
  'GET /client/berth.mjs': partOfPage('readClient', 'Download the client, which needs Node 20 or later'),
  'GET /guide/schedule.png': partOfPage('readGuideSchedule', 'Get a picture of the page'),
}
