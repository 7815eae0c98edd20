/** What readers of events can rely on: the schemas of all versions, what they say, and what they leave open. */

import { readFileSync } from 'node:fs'
import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import type { JsonSchema } from '../../../src/domain/codec/json-schema.ts'
import { EVENT_TYPES, type EventType, eventDeclarations, schemaVersion } from '../../../src/domain/event.ts'
import type { EventDeclaration } from '../../../src/domain/events/declaration.ts'
import { toPublicPosition, toStorePosition } from '../../../src/domain/values/position.ts'
import { decodeEvent } from '../../../src/event-store/stored-event.ts'
import { cloudEvent } from '../../../src/feed/events/cloud-event.ts'
import { sharedService } from '../shared.ts'
import { closedFor, makeAjv } from './fitting.ts'

type Listed = Readonly<{ type: EventType; version: number; href: string }>
type Stored = Readonly<{ type: EventType; data: object; metadata: { readonly schema: number } }>

const service = sharedService()

/** One stored event of every shape ever written. */
const STORED = readFileSync(new URL('../../event-store/recorded-events.ndjson', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => (JSON.parse(line) as { readonly stored: string }).stored)

const served = async (path: string): Promise<JsonSchema> => (await service.anyone.get(path)).json

const listed = async (): Promise<readonly Listed[]> =>
  (await served('/schemas/')).schemas as unknown as readonly Listed[]

const fits = (schema: JsonSchema, data: unknown): boolean => makeAjv().compile(schema)(data) as boolean

/** The members that a schema describes, however deep, by their paths. */
const membersOf = (schema: unknown, path = ''): readonly (readonly [string, JsonSchema])[] => {
  if (Array.isArray(schema)) return schema.flatMap((one) => membersOf(one, path))
  if (typeof schema !== 'object' || schema === null) return []
  const { properties = {}, items, anyOf, oneOf } = schema as Record<string, object>
  const own = Object.entries(properties as Readonly<Record<string, JsonSchema>>).flatMap(
    ([name, member]): readonly (readonly [string, JsonSchema])[] => [
      [`${path}/${name}`, member],
      ...membersOf(member, `${path}/${name}`),
    ],
  )
  return [...own, ...membersOf(items, path), ...membersOf(anyOf, path), ...membersOf(oneOf, path)]
}

const isClosed = (schema: unknown): boolean => JSON.stringify(schema).includes('"additionalProperties":false')

test('the schemas of all versions of a shape are served, and each stored event fits its own', async (t) => {
  const all = await listed()
  for (const type of EVENT_TYPES) {
    const versions = all.filter((one) => one.type === type).map(({ version }) => version)
    t.deepEqual(
      versions.toReversed(),
      Array.from({ length: schemaVersion(type) }, (_, n) => n + 1),
      type,
    )
  }
  const older = new Set<string>()
  for (const text of STORED) {
    const { type, data, metadata } = JSON.parse(text) as Stored
    const schema = closedFor(await served(`/schemas/${type}.${metadata.schema}.json`))
    t.true(fits(schema, data), `${type} ${JSON.stringify(data)}`)
    if (metadata.schema < schemaVersion(type)) older.add(type)
  }
  t.true(older.has('SutCreated') && older.has('ReservationCreated'))
})

test('the schema of an older version has none of the members that a later one added', async (t) => {
  const namesIn = async (file: string) => membersOf(await served(`/schemas/${file}`)).map(([path]) => path)
  const added = async (type: EventType) => {
    const before = new Set(await namesIn(`${type}.1.json`))
    return (await namesIn(`${type}.2.json`)).filter((path) => !before.has(path) && !path.startsWith('/match/'))
  }
  t.deepEqual(await added('SutCreated'), ['/turnaround', '/release_unused_after'])
  t.deepEqual(await added('ReservationReleased'), ['/cause'])
  t.deepEqual(await added('ReservationCreated'), ['/match', '/keepalive', '/series_id', '/sut_request_id'])
})

test('what readers are given describes every member, has an example that fits, and takes further members', async (t) => {
  for (const { type, version, href } of await listed()) {
    const schema = await served(href)
    const nameless = membersOf(schema).filter(([, { description }]) => typeof description !== 'string')
    t.deepEqual(
      nameless.map(([path]) => path),
      [],
      href,
    )
    const [example] = schema.examples as readonly object[]
    t.true(fits(closedFor(schema), example), `${href}: ${JSON.stringify(example)}`)
    const { data }: EventDeclaration = eventDeclarations[type]
    t.true(E.isRight(data.decode(example)), `${type}.${version}`)
    t.true(fits(schema, { ...example, added_later: true }), href)
    t.false(isClosed(schema), href)
  }
})

test('the messages of the AsyncAPI document have a description and an example of every member, and are open', async (t) => {
  const { schemas } = (await served('/asyncapi.json')).components as { readonly schemas: Record<string, JsonSchema> }
  t.true(Object.keys(schemas).length > EVENT_TYPES.length)
  t.false(isClosed(schemas))
  for (const [name, schema] of Object.entries(schemas)) {
    const members = membersOf(schema)
    t.deepEqual(
      members.filter(([, { description }]) => typeof description !== 'string').map(([path]) => path),
      [],
      name,
    )
    const own = Object.entries(schema.properties as Record<string, JsonSchema>)
    const bare = own.filter(([, member]) => !('examples' in member || 'const' in member || 'enum' in member))
    t.deepEqual(
      bare.map(([member]) => member).filter((member) => member !== 'dataschema'),
      [],
      name,
    )
  }
})

test('answers in the OpenAPI document are open to readers, and bodies are not', async (t) => {
  const { components, paths } = (await served('/openapi.json')) as Record<string, Record<string, JsonSchema>>
  t.false(isClosed(components?.schemas))
  t.false(isClosed(components?.responses))
  const operations = Object.values(paths ?? {}).flatMap((path) => Object.values(path)) as readonly JsonSchema[]
  t.false(operations.some(({ responses }) => isClosed(responses)))
  t.true(operations.some(({ requestBody }) => requestBody !== undefined && isClosed(requestBody)))
})

test('an event of an older shape is sent with the newest schema, and its data with the bytes that are stored', (t) => {
  const old = STORED.filter((text) => {
    const { type, metadata } = JSON.parse(text) as Stored
    return metadata.schema < schemaVersion(type)
  })
  t.true(old.length > 3)
  for (const text of old) {
    const event = decodeEvent(text, toStorePosition(0))
    const { dataschema, data } = cloudEvent(event, toPublicPosition(0), 'berth')
    t.is(dataschema, `urn:berth:schema:${event.type}:${schemaVersion(event.type)}`)
    t.true(text.startsWith(`{"data":${JSON.stringify(data)},`))
  }
})
