import { hasSchema, type JsonSchema, opened, schemaOf } from '../../../domain/codec/json-schema.ts'
import { refTo } from '../../protocol/declaration.ts'
import { type Code, codes } from '../../protocol/problem.ts'
import { JSON_TYPE, mediaTypesOf, type Operation } from '../../protocol/route.ts'
import { answerSchemas } from './answer-schemas.ts'
import { type Example, type Examples, examplesFrom } from './examples.ts'
import { answerHeaders, headersOfRefusal, headersOfSuccess, requestHeaders, requestHeadersOf } from './headers.ts'
import { logSchemas } from './log-schemas.ts'
import { noteOnPathParameter, withNotes } from './notes.ts'
import { byStatus, problemSchema, refusalsOf } from './refusals.ts'
import { TAGS, tagOf } from './tags.ts'

/** The OpenAPI 3.1 document of the operations. */

const operationNameOf = ({ method, path }: Pick<Operation, 'method' | 'path'>): string => `${method} ${path}`

/** `/api/sut/{id}` for `/api/sut/:id`. */
export const templateOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}')

const pathParameters = ({ path, notes = {} }: Operation): readonly JsonSchema[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: notes[name] ?? noteOnPathParameter(name),
    schema: { type: 'string', minLength: 1 },
  }))

const queryParameters = ({ query, parameterRoles = {} }: Operation): readonly JsonSchema[] => {
  if (query === undefined || !hasSchema(query)) return []
  const { properties = {}, patternProperties = {}, required = [] } = schemaOf(query)
  const named = Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(
    ([name, { description, ...schema }]) => ({
      name,
      in: 'query',
      ...((required as readonly string[]).includes(name) && { required: true }),
      description: [description, ...(parameterRoles[name] ? [`For: ${parameterRoles[name].join(', ')}.`] : [])].join(
        ' ',
      ),
      ...(schema.type === 'array' && { style: 'form', explode: true }),
      schema,
    }),
  )
  // Members of an exploded object are parameters of their own: `tag.rack=4`.
  const families = Object.entries(patternProperties as Readonly<Record<string, JsonSchema>>).map(
    ([pattern, schema]) => ({
      name: 'tags',
      in: 'query',
      description:
        'Only SUTs with all these tags. The parameter name is `tag.` followed by the name of the tag, as in tag.rack=4.',
      style: 'form',
      explode: true,
      schema: { type: 'object', propertyNames: { pattern }, additionalProperties: schema },
      // Swagger UI sends the example unless it is changed, so it is empty.
      example: {},
    }),
  )
  return [...named, ...families]
}

const requestBody = (operation: Operation, examples: Examples): JsonSchema | undefined => {
  const { body, isBodyOptional } = operation
  if (body === undefined) return undefined
  const schema = hasSchema(body) ? withNotes(schemaOf(body)) : {}
  const shown = examples
    .of(operationNameOf(operation))
    .flatMap(({ name, request }) => (request === undefined ? [] : [[name, { value: request }]]))
  const content = { schema, ...(shown.length > 0 && { examples: Object.fromEntries(shown) }) }
  return { required: isBodyOptional !== true, content: { [JSON_TYPE]: content } }
}

const successResponse = (operation: Operation, examples: Examples): JsonSchema => {
  const { answer, isCreation } = operation
  const [first, ...others] = mediaTypesOf(operation)
  const text = others.map((mediaType): [string, JsonSchema] => [mediaType, { type: 'string' }])
  const byMediaType: readonly [string, JsonSchema][] = [[first, answer], ...text]
  const shown = examples
    .of(operationNameOf(operation))
    .flatMap(({ name, mediaType, body }) => (body === undefined ? [] : [{ name, mediaType, value: body }]))
  const content = byMediaType.map(([mediaType, schema]) => {
    const own = shown.filter((example) => example.mediaType === mediaType).map(({ name, value }) => [name, { value }])
    return [mediaType, { schema: opened(schema), ...(own.length > 0 && { examples: Object.fromEntries(own) }) }]
  })
  return {
    description: isCreation ? 'Created.' : 'Success.',
    headers: headersOfSuccess(operation),
    content: Object.fromEntries(content),
  }
}

/** The name of a response shared by all operations that can refuse with exactly these codes. */
const nameOf = (refusals: readonly Code[]): string => refusals.join('.')

const refusalResponse = (status: number, refusals: readonly Code[], examples: Examples): JsonSchema => {
  const shown = refusals.flatMap((code) => {
    const value = examples.problem(code)
    return value === undefined ? [] : [[code, { value }]]
  })
  const content = {
    schema: { allOf: [refTo('Problem'), { properties: { code: { enum: refusals }, status: { const: status } } }] },
    ...(shown.length > 0 && { examples: Object.fromEntries(shown) }),
  }
  return {
    description: refusals.map((code) => `\`${code}\`: ${codes[code].title}.`).join(' '),
    headers: headersOfRefusal(status),
    content: { [JSON_TYPE]: content, 'application/problem+json': content },
  }
}

const operationOf = (operation: Operation, examples: Examples): JsonSchema => {
  const { id, path, summary, description, roles, isCreation, isUpgrade, isTagged } = operation
  const body = requestBody(operation, examples)
  const refused = [...byStatus(refusalsOf(operation))].map(([status, its]) => [
    String(status),
    { $ref: `#/components/responses/${nameOf(its)}` },
  ])
  const who = roles === 'anyone' ? 'Anyone.' : `For: ${roles.join(', ')}.`
  return {
    operationId: id,
    tags: [tagOf(path)],
    summary,
    description: description === undefined ? who : `${description}\n\n${who}`,
    parameters: [...pathParameters(operation), ...queryParameters(operation), ...requestHeadersOf(operation)],
    ...(body && { requestBody: body }),
    responses: {
      ...(isUpgrade
        ? { '101': { description: 'The connection is a WebSocket from now on.' } }
        : { [isCreation ? '201' : '200']: successResponse(operation, examples) }),
      ...(isTagged && operation.method === 'GET' && { '304': { description: 'The ETag sent is still current.' } }),
      ...Object.fromEntries(refused),
    },
    ...(roles === 'anyone' && { security: [] }),
    ...(operation.isForPeople && { security: [{ basic: [] }, { session: [] }] }),
  }
}

const responsesOf = (operations: readonly Operation[], examples: Examples): JsonSchema =>
  Object.fromEntries(
    operations.flatMap((operation) =>
      [...byStatus(refusalsOf(operation))].map(([status, its]) => [
        nameOf(its),
        refusalResponse(status, its, examples),
      ]),
    ),
  )

const schemas = (): JsonSchema => {
  const all = { ...answerSchemas(), Problem: problemSchema(), ...logSchemas() }
  return Object.fromEntries(Object.entries(all).map(([name, schema]) => [name, opened(withNotes(schema))]))
}

const pathsOf = (operations: readonly Operation[], examples: Examples): JsonSchema => {
  const byPath = Map.groupBy(operations, ({ path }) => templateOf(path))
  const members = [...byPath].map(([path, its]) => {
    const byMethod = its.map((operation) => [operation.method.toLowerCase(), operationOf(operation, examples)])
    return [path, Object.fromEntries(byMethod)]
  })
  return Object.fromEntries(members)
}

export const DESCRIPTION =
  'Berth lets the people and pipelines of a test lab share machines without getting in each other’s way. Everything that happens is recorded as an event in an append-only log.'

/** A token may also be the user name of Basic, with any password. */
export const securitySchemes: JsonSchema = {
  basic: { type: 'http', scheme: 'basic', description: 'A user name and a password, or a token in place of the name.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'A token, or a session from `POST /api/login`.' },
  session: { type: 'http', scheme: 'bearer', description: 'A session from `POST /api/login`, and no token.' },
}

export const openApi = (
  operations: readonly Operation[],
  version: string,
  recorded: readonly Example[],
): JsonSchema => {
  const examples = examplesFrom(recorded)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Berth',
      version,
      description: `${DESCRIPTION}\n\n[The guide](/guide) explains how to use it.\n\nHEAD is supported wherever GET is, and OPTIONS lists the methods of an address. An unknown address is 404 \`not_found\`, and an unsupported method 405 \`method_not_allowed\`. Without authentication both are 401, except to people who open an unknown address in a browser: they get a page with a way back.`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ basic: [] }, { bearer: [] }],
    tags: TAGS,
    paths: pathsOf(operations, examples),
    components: {
      ...{ securitySchemes, parameters: requestHeaders, headers: answerHeaders },
      ...{ schemas: schemas(), responses: responsesOf(operations, examples) },
    },
  }
}
