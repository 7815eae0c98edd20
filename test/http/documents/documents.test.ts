import { readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import test from 'ava'
import { hasSchema } from '../../../src/domain/codec/json-schema.ts'
import type { Example } from '../../../src/http/documents/openapi/examples.ts'
import { operations } from '../../../src/http/documents/openapi/operations.ts'
import type { Answer } from '../client.ts'
import { type Running, start, tidyingLater } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { createSut, NOW } from '../requests.ts'
import { page, pageOfRoutes } from '../routes/route-page.ts'
import { tellExamples, written } from './example-story.ts'
import { makeAjv, misfits } from './fitting.ts'
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

test('the OpenAPI document fits the schema of OpenAPI 3.1, which refuses it with a part wrong', async (t) => {
  const document = await documentAt('/openapi.json')
  t.is(openApiFaults(document), undefined)
  t.regex(String(document.openapi), /^3\.1\./)
  const wrong = { ...document, paths: { 'api/sut': {} } }
  t.not(openApiFaults(wrong), undefined)
})

test('the AsyncAPI document fits the schema of AsyncAPI 3.0, which refuses it with a part wrong', async (t) => {
  const document = await documentAt('/asyncapi.json')
  t.is(await asyncApiFaults(document), undefined)
  const wrong = { ...document, operations: { sendEvents: { action: 'publish' } } }
  t.not(await asyncApiFaults(wrong), undefined)
})

/** Every value under a name, wherever in a document. */
const under = (name: string, value: unknown): readonly unknown[] => {
  if (typeof value !== 'object' || value === null) return []
  const own = Object.hasOwn(value, name) ? [(value as Record<string, unknown>)[name]] : []
  return [...own, ...Object.values(value).flatMap((member) => under(name, member))]
}

const resolved = (document: Document, ref: string): unknown =>
  ref
    .slice(2)
    .split('/')
    .reduce<Document | undefined>((at, name) => at?.[name.replaceAll('~1', '/').replaceAll('~0', '~')], document)

for (const path of ['/openapi.json', '/asyncapi.json']) {
  test(`every reference of ${path} leads to a place in it`, async (t) => {
    const document = await documentAt(path)
    const refs = under('$ref', document).map(String)
    t.true(refs.length > 10)
    t.deepEqual(
      refs.filter((ref) => resolved(document, ref) === undefined),
      [],
    )
  })
}

test('every schema in the documents is a JSON Schema, of version 2020-12', async (t) => {
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

test('there is no schema but those of the index', async (t) => {
  for (const file of [
    'SutCreated.2.json',
    'SutCreated.1',
    'constructor',
    '..%2Fpackage.json',
    '%2e%2e',
    'sutcreated.1.json',
  ]) {
    const answer = await service.as('alice').get(`/schemas/${file}`)
    t.deepEqual(refusalOf(answer), [404, 'not_found'], file)
    t.deepEqual(faultsOf(answer), [])
  }
})

test('every route has its documentation: who may, what it answers, what its parameters and its body are', async (t) => {
  const { paths } = await documentAt('/openapi.json')
  const ids = new Set<unknown>()
  for (const route of pageOfRoutes) {
    const name = `${route.method} ${route.path}`
    t.true(Object.hasOwn(operations, name), `${name} is not in the table of operations`)
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
  t.is(ids.size, page.length, 'no two have the same name')
  t.deepEqual(Object.keys(operations).toSorted(), page.toSorted(), 'nothing is documented that is not there')
})

test('the examples are what the service answers, and each fits the schema that it stands beside', async (t) => {
  const told = await tellExamples(t)
  const file = await readFile(new URL('../../../src/http/documents/openapi/examples.json', import.meta.url), 'utf8')
  const kept = JSON.parse(file) as readonly Example[]
  t.is(written(told), written(kept), 'node test/http/documents/write-examples.ts makes them anew')
  const document = await documentAt('/openapi.json')
  const ajv = makeAjv()
  ajv.addVocabulary(['components'])
  let seen = 0
  for (const content of under('content', document)) {
    for (const { schema, examples = {} } of Object.values(content as Document)) {
      const fits = ajv.compile({ ...schema, components: document.components })
      for (const [name, { value }] of Object.entries(examples as Document)) {
        t.true(fits(value), `${name}: ${ajv.errorsText(fits.errors)}`)
        seen++
      }
    }
  }
  t.true(seen > told.length)
})

test('every operation shows a real answer', async (t) => {
  const { paths = {} } = await documentAt('/openapi.json')
  const without = page.filter((route) => {
    const [method = '', path = ''] = route.split(' ')
    const { responses = {} } = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()] ?? {}
    const { content = {} } = responses['200'] ?? responses['201'] ?? {}
    return !Object.values(content).some(({ examples = {} }) => Object.keys(examples).length > 0)
  })
  t.deepEqual(without, [])
})

test('every refusal that an operation lists shows a real answer, in both media types', async (t) => {
  const document = await documentAt('/openapi.json')
  let seen = 0
  for (const [path, operations] of Object.entries(document.paths ?? {})) {
    for (const { operationId, responses = {} } of Object.values(operations)) {
      for (const [status, { $ref }] of Object.entries(responses)) {
        if (Number(status) < 400) continue
        const { content = {} } = resolved(document, String($ref)) as Document
        for (const [mediaType, { schema, examples = {} }] of Object.entries(content)) {
          const [codes] = under('enum', schema?.allOf) as readonly (readonly string[])[]
          t.deepEqual(Object.keys(examples), codes, `${path} ${operationId} ${status} ${mediaType}`)
          seen += Object.keys(examples).length
        }
      }
    }
  }
  t.true(seen > 500, `${seen} examples`)
})

test('groups are in the order in which a newcomer needs them, each with a chapter to read', async (t) => {
  const document = await documentAt('/openapi.json')
  const tags = document.tags as unknown as readonly { readonly name: string; readonly description: string }[]
  const names = ['SUTs', 'Reservations', 'Users', 'History and feed', 'Proof', 'Service', 'Documents']
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

test('an answer that is not as documented is found out', async (t) => {
  const id = await createSut(service.as('admin'))
  const path = `/api/sut/${id}`
  const right = await service.as('alice').get(path)
  t.deepEqual(misfits('GET', path, right), [])
  const wrongs: Readonly<Record<string, Partial<Answer>>> = {
    'a member more': { text: JSON.stringify({ ...right.json, password: 'x' }) },
    'a member less': { text: JSON.stringify({ ...right.json, tags: undefined }) },
    'another form of time': { text: JSON.stringify({ ...right.json, created_at: '2030-05-02T05:58:11.400Z' }) },
    'a status that is not documented': { status: 201 },
    'a media type that is not documented': { headers: { ...right.headers, 'content-type': 'text/plain' } },
    'a position that is none': { headers: { ...right.headers, 'berth-position': '7' } },
    'no id of the request': { headers: { ...right.headers, 'x-request-id': undefined } },
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

test('a document has an ETag, and is not sent again to whoever has it', async (t) => {
  for (const path of page
    .filter((route) => /^GET \/(docs|openapi|asyncapi|schemas\/$)/.test(route))
    .map((route) => route.slice(4))) {
    const { status, headers } = await service.as('alice').get(path)
    t.is(status, 200)
    t.is(headers['cache-control'], 'no-cache')
    t.is(headers['x-content-type-options'], 'nosniff')
    const again = await service.as('alice').get(path, { 'If-None-Match': String(headers.etag) })
    t.deepEqual([again.status, again.text], [304, ''], path)
    t.is((await service.as('alice').get(path, { 'If-None-Match': '"x"' })).status, 200)
  }
})
