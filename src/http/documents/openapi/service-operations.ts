import type { JsonSchema } from '../../../domain/codec/json-schema.ts'
import { refTo } from './answer-schemas.ts'
import type { Operation } from './operation.ts'

const text: JsonSchema = { type: 'string' }

/** A document about the interface, in a format defined by other standards. */
const document = (id: string, summary: string): Operation => ({
  id,
  tag: 'Service',
  summary,
  answer: refTo('Document'),
  isTagged: true,
})

/** A file of the page at /docs. */
const partOfPage = (id: string, summary: string): Operation => ({
  id,
  tag: 'Service',
  summary,
  answer: text,
  isTagged: true,
})

export const serviceOperations: Readonly<Record<string, Operation>> = {
  'GET /problems/:code': {
    id: 'readProblem',
    tag: 'Service',
    summary: 'A page about a refusal and what to do: what its type leads to',
    answer: text,
    refusals: ['not_found'],
  },
  'GET /metrics': {
    id: 'readMetrics',
    tag: 'Service',
    summary: 'Metrics, for Prometheus',
    answer: text,
  },
  'GET /health/live': { id: 'isLive', tag: 'Service', summary: 'Whether it runs', answer: refTo('Health') },
  'GET /health/ready': {
    id: 'isReady',
    tag: 'Service',
    summary: 'Whether it answers requests',
    description: 'Where it does not, the refusal says in parts how each part of it is.',
    answer: refTo('Health'),
  },
  'GET /openapi.json': document('readOpenApi', 'This document (OpenAPI 3.1)'),
  'GET /asyncapi.json': document('readAsyncApi', 'The feed, as a document (AsyncAPI 3.0)'),
  'GET /schemas/': { ...document('listSchemas', 'The JSON Schemas of all events'), answer: refTo('SchemaIndex') },
  'GET /schemas/:file': {
    ...document('readSchema', 'The JSON Schema (2020-12) of the data of one event, whose dataschema is its $id'),
    refusals: ['not_found'],
  },
  'GET /docs': partOfPage('readDocs', 'A page to read this in and to try it'),
  'GET /docs/page.css': partOfPage('readDocsPageStyle', 'A style of that page'),
  'GET /docs/page.js': partOfPage('readDocsPageScript', 'A script of that page'),
  'GET /docs/swagger-ui.css': partOfPage('readDocsStyle', 'A style of that page'),
  'GET /docs/swagger-ui-bundle.js': partOfPage('readDocsScript', 'A script of that page'),
}
