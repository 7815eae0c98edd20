/** Validates answers against the documents. */

import type { AnySchemaObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { openApi, templateOf } from '../../../src/http/documents/openapi/openapi.ts'
import { pathsOf } from '../../../src/http/protocol/router.ts'
import { NOT_FOUND_PAGE } from '../../../src/http/response/respond.ts'
import type { Answer } from '../client.ts'
import { catalogue } from '../routes/catalogue.ts'

/** Formats only annotate patterns. A keyword without `type` applies to its own type only. */
export const makeAjv = (): Ajv2020 =>
  new Ajv2020({
    strict: true,
    strictTypes: false,
    strictRequired: false,
    validateFormats: false,
    // Another test validates the schemas themselves once.
    validateSchema: false,
    meta: false,
    // What many refer to is compiled once, not into each.
    inlineRefs: false,
    code: { optimize: false },
  })

type Node = { readonly [name: string]: Node } | undefined

/** What is served lets readers take further members. The service must send none that are not described. */
export const closedFor = <A>(document: A): A => {
  if (Array.isArray(document)) return document.map(closedFor) as A
  if (typeof document !== 'object' || document === null) return document
  const isOpen = 'properties' in document && 'type' in document && document.type === 'object'
  const inner = Object.entries(document).map(([name, value]) => [name, closedFor(value)])
  return { ...(isOpen && { additionalProperties: false }), ...Object.fromEntries(inner) } as A
}

const DOCUMENT: NonNullable<Node> = closedFor(openApi(catalogue, '0.0.0', []) as NonNullable<Node>)

/**
 * Validates against schemas within a document, each given by its place. Schemas that others refer to are compiled once
 * for the whole document, which takes an eighth of the time.
 */
export const makeMisfit = (document: AnySchemaObject) => {
  const ajv = makeAjv()
  ajv.addVocabulary(Object.keys(document))
  ajv.addSchema(document, 'document')
  return (place: readonly string[], value: unknown): readonly string[] => {
    const pointer = place.map((name) => `/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    const validate = ajv.getSchema(`document#${pointer.join('')}`)
    if (validate === undefined) throw new Error(`there is no schema at ${place.join(' ')}`)
    return validate(value) ? [] : [`${ajv.errorsText(validate.errors)} in ${JSON.stringify(value).slice(0, 300)}`]
  }
}

const misfit = makeMisfit(DOCUMENT)

const isParameter = /:[^/]+/g

/** The routes by the pattern of their paths; of those that match, the one with the fewest parameters is meant. */
const patterns = catalogue
  .flatMap((route) =>
    pathsOf(route).map((path) => ({ route, path, pattern: new RegExp(`^${path.replace(isParameter, '[^/]+')}$`) })),
  )
  .sort((one, other) => (one.path.match(isParameter)?.length ?? 0) - (other.path.match(isParameter)?.length ?? 0))

const routeOf = (method: string, path: string) => {
  const found = patterns.filter(({ pattern }) => pattern.test(path))
  const [first] = found
  const called = method === 'HEAD' ? 'GET' : method
  return found.find(({ route, path: same }) => same === first?.path && route.method === called)?.route
}

/** Follows a place that is a reference. */
const followed = (place: readonly string[]): { readonly place: readonly string[]; readonly node: Node } => {
  const node = place.reduce<Node>((at, name) => at?.[name], DOCUMENT)
  const { $ref } = (node ?? {}) as { readonly $ref?: string }
  return $ref === undefined ? { place, node } : followed($ref.slice(2).split('/'))
}

const JSON_TYPES = ['application/json', 'application/problem+json']

const isJson = (mediaType: string): boolean => JSON_TYPES.includes(mediaType)

/** What people get in a browser in place of the problem `not_found`. The document's description says so. */
const isNotFoundPage = ({ status, text }: Answer): boolean => status === 404 && text === NOT_FOUND_PAGE

/** An address or method that is not in the document must get an error, or the answer to OPTIONS. */
const unknownMisfits = (method: string, answer: Answer): readonly string[] => {
  if (method === 'OPTIONS' && answer.status === 200) return []
  if (answer.status < 400) return [`${answer.status} for an undocumented operation`]
  if (method === 'HEAD' || isNotFoundPage(answer)) return []
  return misfit(['components', 'schemas', 'Problem'], JSON.parse(answer.text))
}

const headerMisfits = (headers: Node, answer: Answer, at: readonly string[]): readonly string[] =>
  Object.keys(headers ?? {}).flatMap((name) => {
    const value = answer.headers[name.toLowerCase()]
    if (value === undefined) return []
    const { place } = followed([...at, 'headers', name])
    const schema = [...place, 'schema']
    return misfit(schema, name === 'Retry-After' ? Number(value) : value).map((fault) => `${name}: ${fault}`)
  })

/** The differences between an answer and the document. */
export const misfits = (method: string, address: string, answer: Answer): readonly string[] => {
  const path = address.replace(/[?#].*$/s, '')
  const route = routeOf(method, path)
  // Tests of lower layers use other addresses, whose answers do not come from the API.
  if (route === undefined && answer.headers['x-request-id'] === undefined) return []
  if (route === undefined) return unknownMisfits(method, answer)
  if (answer.headers['x-request-id'] === undefined) return ['there is no X-Request-Id']
  const operation = ['paths', templateOf(route.path), route.method.toLowerCase()]
  const { place, node } = followed([...operation, 'responses', String(answer.status)])
  if (node === undefined) return [`${answer.status} is not documented`]
  const faults = headerMisfits(node.headers, answer, place)
  if ([202, 304].includes(answer.status) || method === 'HEAD' || isNotFoundPage(answer)) return faults
  const mediaType = String(answer.headers['content-type'])
  if (node.content?.[mediaType] === undefined) return [...faults, `${mediaType} is not documented`]
  const value: unknown = isJson(mediaType) ? JSON.parse(answer.text) : answer.text
  return [...faults, ...misfit([...place, 'content', mediaType, 'schema'], value)]
}
