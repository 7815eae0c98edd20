/** The OpenAPI 3.1 document of the operations. */

import { readFileSync } from 'node:fs'
import { hasSchema, type JsonSchema, opened, schemaOf } from '../../../domain/codec/json-schema.ts'
import { recordedTime } from '../../../domain/events/fields.ts'
import { requestHeaders } from '../../codecs/headers.ts'
import { TAG } from '../../codecs/query.ts'
import { JSON_TYPE } from '../../protocol/call.ts'
import { type Code, codes } from '../../protocol/problem.ts'
import { mediaTypesOf, type Route, refTo } from '../../protocol/route.ts'
import { answerSchemas, eventSchemas } from './answers.ts'
import { noteOnPathParameter, withNotes } from './notes.ts'

/** A real answer, recorded by a test, which records it again and compares. */
export interface Example {
  /** For example `POST /api/sut/create`. */
  readonly operation: string
  readonly name: string
  readonly request?: unknown
  readonly mediaType: string
  /** A JSON value or text. */
  readonly body: unknown
  /** The code of an error response; absent otherwise. */
  readonly code?: Code
}

export const readExamples = (): readonly Example[] =>
  JSON.parse(readFileSync(new URL('examples.json', import.meta.url), 'utf8'))

/** What groups of operations are about, in the order in which a newcomer needs them. */
const GROUPS = {
  SUTs: 'Systems under test: the machines that can be reserved. See [Machines](/guide/machines).',
  Reservations: 'Who has which SUT, from when to when. See [Reservations](/guide/reservations).',
  Sessions: 'When reservations were used, and by how many connections. See [Machines](/guide/machines).',
  Users: 'Who can sign in, who you are, and how people come and leave. See [People](/guide/people).',
  Reports: 'For how long machines were held and used, and what was asked for. See [Reports](/guide/reports).',
  'History and feed': 'What happened, from the beginning or live. See [The feed](/guide/feed).',
  Proof: 'Evidence that nobody altered the log. See [Proof](/guide/proof).',
  Agents: 'The Model Context Protocol. See [For agents](/guide/agents).',
  Service: 'Health and metrics. See [Operating](/guide/operating).',
  Documents: 'What the service says about its interface. See [The HTTP interface](/guide/http).',
} as const

/** The first that a path has. What has none is about the interface itself. */
const PATTERNS: readonly (readonly [RegExp, keyof typeof GROUPS])[] = [
  [/\/history$|^\/api\/(events|changes)$/, 'History and feed'],
  [/^\/api\/(sut_re|console)/, 'Reservations'],
  [/^\/api\/(sut|availability|outages)/, 'SUTs'],
  [/^\/api\/session/, 'Sessions'],
  [/^\/api\/report/, 'Reports'],
  [/^\/api\/(user|login|logout)/, 'Users'],
  [/^\/api\/audit/, 'Proof'],
  [/^\/mcp/, 'Agents'],
  [/^\/(health|metrics)/, 'Service'],
]

const string: JsonSchema = { type: 'string' }
const POSITION: JsonSchema = { type: 'string', pattern: '^[0-9]{20}$' }

const inAnswer = (schema: JsonSchema, description: string): JsonSchema => ({ description, schema })

const answerHeaders: Readonly<Record<string, JsonSchema>> = {
  'X-Request-Id': inAnswer(string, 'The request id, as in the log of the service.'),
  'Berth-Position': inAnswer(POSITION, 'The position in the log that the response reflects.'),
  ETag: inAnswer(
    { type: 'string', pattern: '^"[^"]+"$' },
    'The revision of the returned object. Once probes have found a change of it, their number follows after a dot, and the coding of a compressed response after a hyphen. Of a part of a user, and of a user as one with a scope reads it, a digest.',
  ),
  Location: inAnswer({ type: 'string', format: 'uri-reference' }, 'The address of the created object.'),
  'Keepalive-Until': inAnswer(
    schemaOf(recordedTime),
    'When the reservation is released, or the request passed over, unless it is kept alive. Absent if it need not be.',
  ),
  'Retry-After': inAnswer({ type: 'integer', minimum: 1 }, 'Seconds to wait before retrying.'),
  'WWW-Authenticate': inAnswer(
    string,
    'The required authentication scheme: `Basic`, or `Bearer` for browsers and holders of tokens.',
  ),
}

/** References to those of these headers that a response has. */
const headers = (has: Readonly<Record<string, boolean | undefined>>): JsonSchema =>
  Object.fromEntries(
    Object.keys(has).flatMap((name) => (has[name] ? [[name, { $ref: `#/components/headers/${name}` }]] : [])),
  )

const headersOfSuccess = ({ roles, isKept, isTagged, isCreation }: Route): JsonSchema =>
  headers({
    ...{ 'X-Request-Id': true, 'Berth-Position': roles !== 'anyone' },
    ...{ 'Keepalive-Until': isKept, ETag: isTagged, Location: isCreation },
  })

const headersOfRefusal = (status: number): JsonSchema =>
  headers({
    ...{ 'X-Request-Id': true, 'Berth-Position': status !== 401 && status !== 429 },
    ...{ 'Retry-After': [409, 429, 503].includes(status), 'WWW-Authenticate': status === 401 },
  })

/** The refusals that any operation can give. */
const OF_ALL: readonly Code[] = [
  ...(['malformed_request', 'not_acceptable', 'uri_too_long', 'invalid'] as const),
  ...(['internal', 'not_implemented', 'unavailable'] as const),
]
/** A token for metrics only is forbidden everything else. */
const OF_KNOWN: readonly Code[] = ['unauthenticated', 'too_many_attempts', 'forbidden']
const OF_BODIES: readonly Code[] = [
  ...(['malformed_json', 'body_too_large', 'unsupported_media_type', 'field_unknown', 'field_read_only'] as const),
]
/** What can happen to a command on its way into the log. */
const OF_COMMANDS: readonly Code[] = [
  ...(['cross_site', 'idempotency_in_progress', 'idempotency_key_reused', 'store_full'] as const),
  ...(['outcome_unknown', 'clock_behind', 'clock_ahead'] as const),
]

/** Every code an operation can refuse with, in the order of the table. */
const refusalsOf = ({ method, roles, body, isConditional, refusals = [] }: Route): readonly Code[] => {
  const possible = new Set<string>([
    ...OF_ALL,
    ...(roles === 'anyone' ? [] : OF_KNOWN),
    ...(body === undefined ? [] : OF_BODIES),
    ...(method === 'POST' ? OF_COMMANDS : []),
    ...(method === 'GET' && roles !== 'anyone' ? ['position_not_reached'] : []),
    ...(isConditional ? ['stale'] : []),
    ...refusals,
  ])
  return (Object.keys(codes) as readonly Code[]).filter((code) => possible.has(code))
}

/** The same by status, which is how responses are told apart. */
const refusalsByStatus = (operation: Route): readonly (readonly [number, readonly Code[]])[] =>
  [...Map.groupBy(refusalsOf(operation), (code) => codes[code].status)].sort(([a], [b]) => a - b)

/** Values by name, as examples of a schema beside them. */
const shown = (values: readonly (readonly [string, unknown])[]) =>
  values.length > 0 && { examples: Object.fromEntries(values.map(([name, value]) => [name, { value }])) }

/** `/api/sut/{id}` for `/api/sut/:id`. */
export const templateOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}')

const pathParameters = ({ path, notes = {} }: Route): readonly JsonSchema[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    ...{ name, in: 'path', required: true, description: notes[name] ?? noteOnPathParameter(name) },
    schema: { type: 'string', minLength: 1 },
  }))

/** Tags: members of an exploded object are parameters of their own, as `tag.rack=4`. */
const tagParameters = ({ propertyNames, ...schema }: JsonSchema): JsonSchema => {
  const { pattern } = propertyNames as { readonly pattern: string }
  return {
    ...{ name: 'tags', in: 'query', style: 'form', explode: true },
    description:
      'Only SUTs with all these tags. The parameter name is `tag.` followed by the name of the tag, as in tag.rack=4.',
    schema: { ...schema, propertyNames: { pattern: pattern.replace(/^\^/, '^tag\\.') } },
    // Swagger UI sends the example unless it is changed, so it is empty.
    example: {},
  }
}

const queryParameters = ({ query, parameterRoles = {} }: Route): readonly JsonSchema[] => {
  if (query === undefined || !hasSchema(query)) return []
  const { properties = {}, required = [] } = schemaOf(query)
  return Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(([name, { description, ...schema }]) =>
    name === TAG
      ? tagParameters(schema)
      : {
          ...{ name, in: 'query' },
          ...((required as readonly string[]).includes(name) && { required: true }),
          description: parameterRoles[name] ? `${description} For: ${parameterRoles[name].join(', ')}.` : description,
          ...(schema.type === 'array' && { style: 'form', explode: true }),
          schema,
        },
  )
}

/** The name of a header field as one of the parameters that operations share. */
const componentOf = (name: string): string => name.replaceAll('-', '')

const headerParameters = Object.fromEntries(
  Object.values(requestHeaders).map(({ name, codec }) => {
    const { description, ...schema } = schemaOf(codec)
    return [componentOf(name), { name, in: 'header', description, schema }]
  }),
)

const headerParametersOf = (operation: Route): readonly JsonSchema[] =>
  Object.values(requestHeaders)
    .filter(({ isOf }) => isOf(operation))
    .map(({ name }) => ({ $ref: `#/components/parameters/${componentOf(name)}` }))

const requestBody = ({ body, isBodyOptional }: Route, examples: readonly Example[]): JsonSchema | undefined => {
  if (body === undefined) return undefined
  const schema = hasSchema(body) ? withNotes(schemaOf(body)) : {}
  const requests = examples.flatMap(({ name, request }) => (request === undefined ? [] : [[name, request] as const]))
  return { required: isBodyOptional !== true, content: { [JSON_TYPE]: { schema, ...shown(requests) } } }
}

const successResponse = (operation: Route, examples: readonly Example[]): JsonSchema => {
  const { answer, isCreation } = operation
  const content = mediaTypesOf(operation).map((mediaType, n) => {
    const own = examples.filter((example) => example.mediaType === mediaType)
    const schema = n === 0 ? opened(answer) : { type: 'string' }
    return [mediaType, { schema, ...shown(own.map(({ name, body }) => [name, body])) }]
  })
  return {
    description: isCreation ? 'Created.' : 'Success.',
    headers: headersOfSuccess(operation),
    content: Object.fromEntries(content),
  }
}

/** The name of a response shared by all operations that can refuse with exactly these codes. */
const nameOf = (refusals: readonly Code[]): string => refusals.join('.')

const refusalResponse = (status: number, refusals: readonly Code[], examples: readonly Example[]): JsonSchema => {
  const bodies = refusals.flatMap((code) => {
    const example = examples.find((each) => each.code === code)
    return example === undefined ? [] : [[code, example.body] as const]
  })
  const content = {
    schema: { allOf: [refTo('Problem'), { properties: { code: { enum: refusals }, status: { const: status } } }] },
    ...shown(bodies),
  }
  return {
    description: refusals.map((code) => `\`${code}\`: ${codes[code].title}.`).join(' '),
    headers: headersOfRefusal(status),
    content: { [JSON_TYPE]: content, 'application/problem+json': content },
  }
}

const operationOf = (operation: Route, recorded: readonly Example[]): JsonSchema => {
  const { id, method, path, summary, description, guide, roles, isCreation, isUpgrade, isTagged, isForPeople } =
    operation
  const examples = recorded.filter((each) => each.operation === `${method} ${path}` && each.code === undefined)
  const body = requestBody(operation, examples)
  const refused = refusalsByStatus(operation).map(([status, refusals]) => [
    ...[status, { $ref: `#/components/responses/${nameOf(refusals)}` }],
  ])
  const tag = PATTERNS.find(([pattern]) => pattern.test(path))?.[1] ?? 'Documents'
  const who = roles === 'anyone' ? 'Anyone.' : `For: ${roles.join(', ')}.`
  return {
    ...{ operationId: id, tags: [tag], summary },
    description: description === undefined ? who : `${description}\n\n${who}`,
    parameters: [...pathParameters(operation), ...queryParameters(operation), ...headerParametersOf(operation)],
    ...(body && { requestBody: body }),
    responses: {
      ...(isUpgrade
        ? { '101': { description: 'The connection is a WebSocket from now on.' } }
        : { [isCreation ? '201' : '200']: successResponse(operation, examples) }),
      ...operation.otherAnswers,
      ...(isTagged && method === 'GET' && { '304': { description: 'The ETag sent is still current.' } }),
      ...Object.fromEntries(refused),
    },
    ...(roles === 'anyone' && { security: [] }),
    ...(isForPeople && { security: [{ basic: [] }, { session: [] }] }),
    ...(guide !== undefined && { externalDocs: { url: `/guide/${guide.replace('.md', '')}` } }),
  }
}

export const DESCRIPTION =
  'Berth lets the people and pipelines of a test lab share machines without getting in each other’s way. Everything that happens is recorded as an event in an append-only log.'
const RULES =
  'HEAD is supported wherever GET is, and OPTIONS lists the methods of an address. An unknown address is 404 `not_found`, and an unsupported method 405 `method_not_allowed`. Without authentication both are 401, except to people who open an unknown address in a browser: they get a page with a way back.'

/** A token may also be the user name of Basic, with any password. */
export const securitySchemes: JsonSchema = {
  basic: { type: 'http', scheme: 'basic', description: 'A user name and a password, or a token in place of the name.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'A token, or a session from `POST /api/login`.' },
  session: { type: 'http', scheme: 'bearer', description: 'A session from `POST /api/login`, and no token.' },
}

export const openApi = (operations: readonly Route[], version: string, examples: readonly Example[]): JsonSchema => {
  const byPath = Map.groupBy(operations, ({ path }) => templateOf(path))
  const paths = [...byPath].map(([path, its]) => [
    path,
    Object.fromEntries(its.map((operation) => [operation.method.toLowerCase(), operationOf(operation, examples)])),
  ])
  const responses = operations
    .flatMap(refusalsByStatus)
    .map(([status, refusals]) => [nameOf(refusals), refusalResponse(status, refusals, examples)])
  const schemas = Object.entries({ ...answerSchemas, ...eventSchemas() }).map(([name, schema]) => [
    ...[name, opened(withNotes(schema))],
  ])
  return {
    openapi: '3.1.1',
    info: {
      ...{ title: 'Berth', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
      description: `${DESCRIPTION}\n\n[The guide](/guide) explains how to use it.\n\n${RULES}`,
    },
    ...{ servers: [{ url: '/' }], security: [{ basic: [] }, { bearer: [] }] },
    tags: Object.entries(GROUPS).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(paths),
    components: {
      ...{ securitySchemes, parameters: headerParameters, headers: answerHeaders },
      ...{ schemas: Object.fromEntries(schemas), responses: Object.fromEntries(responses) },
    },
  }
}
