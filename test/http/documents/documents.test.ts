import { readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import test from 'ava'
import { hasSchema } from '../../../src/domain/codec/json-schema.ts'
import type { Example } from '../../../src/http/documents/openapi/openapi.ts'
import { SHARED_STORE } from '../../event-store/shared-store.ts'
import type { Answer } from '../client.ts'
import { type Running, start, tidyingLater } from '../harness.ts'
import { createSut, NOW } from '../requests.ts'
import { catalogue } from '../routes/catalogue.ts'
import { tellExamples, written } from './example-story.ts'
import { closedFor, makeMisfit, misfits } from './fitting.ts'
import { asyncApiFaults, openApiFaults } from './standards.ts'

type Document = { readonly [name: string]: Document }

const later = tidyingLater()
let service: Running
const documents: Record<string, Document> = {}

const documentAt = async (path: string): Promise<Document> => {
  documents[path] ??= (await service.as('alice').get(path)).json as unknown as Document
  return documents[path]
}

test.before(async () => {
  service = await start(later, { now: NOW })
})
test.after.always(later.tidy)

test('the OpenAPI document is valid OpenAPI 3.1, and an invalid change is detected', async (t) => {
  const document = await documentAt('/openapi.json')
  t.is(openApiFaults(document), undefined)
  t.regex(String(document.openapi), /^3\.1\./)
  const wrong = { ...document, paths: { 'api/sut': {} } }
  t.not(openApiFaults(wrong), undefined)
})

test('the AsyncAPI document is valid AsyncAPI 3.0, and an invalid change is detected', async (t) => {
  const document = await documentAt('/asyncapi.json')
  t.is(await asyncApiFaults(document), undefined)
  const wrong = { ...document, operations: { sendEvents: { action: 'publish' } } }
  t.not(await asyncApiFaults(wrong), undefined)
})

/** Where a name is, anywhere in a document. */
const placesOf = (name: string, value: unknown): readonly (readonly string[])[] => {
  if (typeof value !== 'object' || value === null) return []
  const own = Object.hasOwn(value, name) ? [[name]] : []
  const below = Object.entries(value).flatMap(([key, member]) => placesOf(name, member).map((rest) => [key, ...rest]))
  return [...own, ...below]
}

const valueAt = (document: unknown, place: readonly string[]): Document | undefined =>
  place.reduce((at, name) => at?.[name], document as Document | undefined)

/** Every value under a name, anywhere in a document. */
const under = (name: string, document: unknown): readonly unknown[] =>
  placesOf(name, document).map((place) => valueAt(document, place))

const resolved = (document: Document, ref: string): unknown => {
  const place = ref.slice(2).split('/')
  return valueAt(
    document,
    place.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~')),
  )
}

for (const path of ['/openapi.json', '/asyncapi.json']) {
  test(`every reference in ${path} resolves`, async (t) => {
    const document = await documentAt(path)
    const refs = under('$ref', document).map(String)
    t.true(refs.length > 10)
    t.deepEqual(
      refs.filter((ref) => resolved(document, ref) === undefined),
      [],
    )
  })
}

test('every schema in the documents is a valid JSON Schema 2020-12', async (t) => {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, validateFormats: false })
  const components = (await documentAt('/openapi.json')).components?.schemas ?? {}
  t.true(Object.keys(components).length > 20)
  for (const [name, schema] of Object.entries(components)) t.true(ajv.validateSchema(schema), name)
  const { schemas } = (await documentAt('/schemas/')) as unknown as { schemas: readonly { href: string }[] }
  t.true(schemas.length >= 10)
  for (const { href } of schemas) {
    const schema = await documentAt(href)
    t.is(schema.$schema as unknown, 'https://json-schema.org/draft/2020-12/schema')
    t.notThrows(() => ajv.compile(schema), href)
  }
})

test('every route is documented with its summary, parameters and body', async (t) => {
  const { paths } = await documentAt('/openapi.json')
  const ids = new Set<unknown>()
  for (const route of catalogue) {
    const name = `${route.method} ${route.path}`
    const operation = paths?.[route.path.replace(/:(\w+)/g, '{$1}')]?.[route.method.toLowerCase()]
    t.true(String(operation?.summary).length > 5, name)
    for (const parameter of Object.values(operation?.parameters ?? {})) {
      if (parameter.$ref === undefined)
        t.regex(String(parameter.description ?? ''), /^(?! *For:).{6,}/, `${name} ${parameter.name}`)
    }
    if (route.query !== undefined) t.true(hasSchema(route.query), `${name}: its query has no schema`)
    if (route.body !== undefined) t.true(hasSchema(route.body), `${name}: its body has no schema`)
    ids.add(operation?.operationId)
  }
  t.is(ids.size, catalogue.length, 'operation ids are unique')
})

test('thorough: the examples are real answers, and each is valid for its schema', async (t) => {
  // Over an EventStoreDB other ids are drawn.
  if (SHARED_STORE !== undefined) return void t.pass()
  const examples = await tellExamples(t)
  const file = await readFile(new URL('../../../src/http/documents/openapi/examples.json', import.meta.url), 'utf8')
  const kept = JSON.parse(file) as readonly Example[]
  t.is(written(examples), written(kept), 'regenerate them with: node test/http/documents/write-examples.ts')
  const document = await documentAt('/openapi.json')
  const misfit = makeMisfit(closedFor(document))
  let seen = 0
  for (const place of placesOf('content', document)) {
    for (const [mediaType, { examples = {} }] of Object.entries(valueAt(document, place) ?? {})) {
      for (const [name, { value }] of Object.entries(examples as Document)) {
        t.deepEqual(misfit([...place, mediaType, 'schema'], value), [], name)
        seen++
      }
    }
  }
  t.true(seen >= examples.length)
})

test('operations are grouped in reading order, each group with a link to its chapter', async (t) => {
  const document = await documentAt('/openapi.json')
  const tags = document.tags as unknown as readonly { readonly name: string; readonly description: string }[]
  const names = ['SUTs', 'Reservations', 'Sessions', 'Users', 'History and feed', 'Proof', 'Service', 'Documents']
  t.deepEqual(
    tags.map(({ name }) => name),
    names,
  )
  const used = Object.values(document.paths ?? {}).flatMap((path) =>
    Object.values(path).flatMap(({ tags = [] }) => tags),
  )
  t.deepEqual(
    names.filter((name) => !(used as readonly unknown[]).includes(name)),
    [],
    'no group is empty',
  )
  for (const { description } of tags) {
    const [, chapter = ''] = /\]\((\/guide\/[a-z-]+)\)\.$/.exec(description) ?? []
    t.is((await service.as('alice').get(chapter)).status, 200, description)
  }
})

test('control: an answer that differs from its documentation is detected', async (t) => {
  const id = await createSut(service.as('admin'))
  const path = `/api/sut/${id}`
  const right = await service.as('alice').get(path)
  t.deepEqual(misfits('GET', path, right), [])
  const wrongs: Readonly<Record<string, Partial<Answer>>> = {
    'an extra member': { text: JSON.stringify({ ...right.json, password: 'x' }) },
    'a missing member': { text: JSON.stringify({ ...right.json, tags: undefined }) },
    'another time format': { text: JSON.stringify({ ...right.json, created_at: '2030-05-02T05:58:11.400Z' }) },
    'an undocumented status': { status: 201 },
    'an undocumented media type': { headers: { ...right.headers, 'content-type': 'text/plain' } },
    'an invalid position': { headers: { ...right.headers, 'berth-position': '7' } },
    'no request id': { headers: { ...right.headers, 'x-request-id': undefined } },
  }
  for (const [what, wrong] of Object.entries(wrongs)) {
    t.is(misfits('GET', path, { ...right, ...wrong }).length, 1, what)
  }
  const refused = await service.as('alice').get('/api/sut/58c38f5d444553252cce0000')
  t.deepEqual(misfits('GET', '/api/sut/58c38f5d444553252cce0000', refused), [])
  t.is(
    misfits('GET', '/api/sut_reservation/58c38f5d444553252cce0000', refused).length,
    1,
    'a code of another operation',
  )
})
