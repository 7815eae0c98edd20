import type { JsonSchema } from '../../../domain/codec/json-schema.ts'
import { refTo } from './answer-schemas.ts'
import type { Operation } from './operation.ts'

const text: JsonSchema = { type: 'string' }

/** A document about the interface, in a format defined by other standards. */
const document = (id: string, summary: string): Operation => ({
  id,
  tag: 'Documents',
  summary,
  answer: refTo('Document'),
  isTagged: true,
})

/** A file of the page at /docs. */
const partOfPage = (id: string, summary: string): Operation => ({
  id,
  tag: 'Documents',
  summary,
  answer: text,
  isTagged: true,
})

export const serviceOperations: Readonly<Record<string, Operation>> = {
  'GET /problems/:code': {
    id: 'readProblem',
    tag: 'Documents',
    summary: 'Read what to do about an error',
    answer: text,
    refusals: ['not_found'],
  },
  'GET /metrics': {
    id: 'readMetrics',
    tag: 'Service',
    summary: 'Read metrics, for Prometheus',
    answer: text,
  },
  'GET /health/live': { id: 'isLive', tag: 'Service', summary: 'Check that the service runs', answer: refTo('Health') },
  'GET /health/ready': {
    id: 'isReady',
    tag: 'Service',
    summary: 'Check that the service answers requests',
    description: 'If it does not, `parts` in the error response has the state of each part.',
    answer: refTo('Health'),
  },
  'GET /openapi.json': document('readOpenApi', 'Get this document (OpenAPI 3.1)'),
  'GET /asyncapi.json': document('readAsyncApi', 'Get the description of the feed (AsyncAPI 3.0)'),
  'GET /schemas/': { ...document('listSchemas', 'List the JSON Schemas of events'), answer: refTo('SchemaIndex') },
  'GET /schemas/:file': {
    ...document('readSchema', 'Get the JSON Schema (2020-12) of one event; its $id is the dataschema of such events'),
    refusals: ['not_found'],
  },
  'GET /docs': partOfPage('readDocs', 'Open this page'),
  'GET /docs/page.css': partOfPage('readDocsPageStyle', 'Get the style sheet of this page'),
  'GET /docs/page.js': partOfPage('readDocsPageScript', 'Get the script of this page'),
  'GET /docs/swagger-ui.css': partOfPage('readDocsStyle', 'Get the style sheet of Swagger UI'),
  'GET /docs/swagger-ui-bundle.js': partOfPage('readDocsScript', 'Get the script of Swagger UI'),
  'GET /guide': partOfPage('readGuide', 'Open the guide'),
  'GET /guide/:chapter': {
    ...partOfPage('readGuideChapter', 'Read a chapter of the guide'),
    refusals: ['not_found'],
  },
  'GET /guide/page.css': partOfPage('readGuideStyle', 'Get the style sheet of the guide'),
  'GET /guide/tour.svg': partOfPage('readGuidePicture', 'Get the picture of the guide'),
}
