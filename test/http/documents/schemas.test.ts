/** A codec and its schema accept the same values, tested with valid, nearly valid and arbitrary ones. */

import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { address, instant, opaqueId } from '../../../src/domain/codec/codec.ts'
import { type JsonSchema, schemaOf } from '../../../src/domain/codec/json-schema.ts'
import { EVENT_TYPES, eventDeclarations, Metadata, type Recorded } from '../../../src/domain/event.ts'
import type { EventDeclaration } from '../../../src/domain/events/declaration.ts'
import { tagName, tagValue } from '../../../src/domain/events/sut.ts'
import { NewUserName } from '../../../src/domain/user/names.ts'
import { parseOffsetTime } from '../../../src/domain/values/instant.ts'
import { toPublicPosition } from '../../../src/domain/values/position.ts'
import { isNewUserName, NEW_USER_NAME, TOKEN_PREFIX } from '../../../src/domain/values/user-name.ts'
import { cloudEvent } from '../../../src/feed/events/cloud-event.ts'
import { DETAILS, type EndReason, eventStream } from '../../../src/feed/events/frames.ts'
import { withoutBody } from '../../../src/http/codecs/body.ts'
import { asyncApi } from '../../../src/http/documents/asyncapi.ts'
import type { DecodeBody } from '../../../src/http/protocol/route.ts'
import { reservationBody } from '../../../src/http/routes/create-reservation.ts'
import { extensionBody } from '../../../src/http/routes/reservations.ts'
import { monitoringBody, sutCreationBody, sutUpdateBody, tagsBody } from '../../../src/http/routes/suts/suts.ts'
import {
  newPasswordBody,
  ownPasswordBody,
  userRemovalBody,
  userUpdateBody,
} from '../../../src/http/routes/users/user-changes.ts'
import { userCreationBody } from '../../../src/http/routes/users/user-creation.ts'
import { PASSWORD_BYTES_MAX } from '../../../src/users/passwords/password.ts'
import { arbitraryData, arbitraryMetadata } from '../../domain/arbitrary-events.ts'
import { rounds } from '../../thorough.ts'
import { makeAjv } from './fitting.ts'
import { ADDRESSES, anything, DATE_TIMES, mutatedObject } from './near-misses.ts'

type Takes = (value: unknown) => boolean

const ajv = makeAjv()
const bySchema = (schema: JsonSchema): Takes => ajv.compile(schema)

/** Requires enough accepted and enough refused values, or the comparison shows nothing. */
const agree = (
  t: ExecutionContext,
  codec: Takes,
  schema: JsonSchema,
  values: fc.Arbitrary<unknown>,
  numRuns: number,
) => {
  const fits = bySchema(schema)
  const seen = { taken: 0, refused: 0 }
  fc.assert(
    fc.property(values, (value) => {
      const taken = codec(value)
      seen[taken ? 'taken' : 'refused']++
      return fits(value) === taken
    }),
    { numRuns },
  )
  t.true(seen.taken > numRuns / 50 && seen.refused > numRuns / 50, JSON.stringify(seen))
}

const decoding =
  (codec: { readonly decode: (u: unknown) => E.Either<unknown, unknown> }): Takes =>
  (value) =>
    E.isRight(codec.decode(value))

const from = (texts: readonly string[]): fc.Arbitrary<unknown> => fc.constantFrom(...texts).chain(anything)

const twoDigits = (max: number) => fc.nat(max).map((n) => String(n).padStart(2, '0'))
const years = fc.constantFrom('0000', '0004', '1900', '2000', '2023', '2024', '2100')
const day = fc.tuple(years, twoDigits(13), twoDigits(32)).map((parts) => `${parts.join('-')}T00:00:00Z`)

/** Whether a name is refused for its scripts or the forms of its letters, which no pattern describes. */
const isRefusedForLetters = (name: unknown): boolean =>
  typeof name === 'string' && NEW_USER_NAME.test(name) && !TOKEN_PREFIX.test(name) && !isNewUserName(name)

const SCALARS: Readonly<Record<string, { readonly codec: typeof opaqueId; readonly values: fc.Arbitrary<unknown> }>> = {
  'an address': { codec: address, values: from(ADDRESSES) },
  'an id': { codec: opaqueId, values: from(['590780914445534540190000', 'Zoë', 'ü'.repeat(128), '..']) },
  'a tag name': { codec: tagName, values: from(['a', 'os.arch', 'x'.repeat(64)]) },
  'a tag value': { codec: tagValue as typeof opaqueId, values: from(['', 'x', '😀'.repeat(256)]) },
  'a new user name': {
    codec: NewUserName,
    values: from(['anna', 'Zoë 😀', 'x'.repeat(128), 'berth_a', 'berth']).filter((name) => !isRefusedForLetters(name)),
  },
}

for (const [what, { codec, values }] of Object.entries(SCALARS)) {
  test(`the schema and the codec of ${what} accept the same values`, (t) => {
    agree(t, decoding(codec), schemaOf(codec), values, 2_000)
  })
}

test('the schema and the codec of a date-time accept the same values, on existing days only', (t) => {
  const values = fc.oneof(from(DATE_TIMES), day)
  agree(t, decoding(instant), schemaOf(instant), values, 4_000)
  const takes = bySchema(schemaOf(instant))
  for (const text of DATE_TIMES) t.is(takes(text), E.isRight(parseOffsetTime(text)), text)
})

for (const type of EVENT_TYPES) {
  test(`the schema and the codec of ${type} accept the same data`, (t) => {
    const { data: codec }: EventDeclaration = eventDeclarations[type]
    const values = (arbitraryData[type] as fc.Arbitrary<object>).chain(mutatedObject)
    agree(t, decoding(codec), schemaOf(codec), values, 300)
  })
}

test('the schema and the codec of event metadata accept the same values', (t) => {
  agree(t, decoding(Metadata), schemaOf(Metadata), arbitraryMetadata().chain(mutatedObject), 500)
})

const MACHINE = { name: 'bench', address: '192.168.9.5', port: 5900, sut_type: 'vnc' }
const WINDOW = { start_time: DATE_TIMES[0], end_time: '2030-05-02T09:15:00+02:00' }
const [user_id, sut_id, password] = ['anna', '58c38f5d444553252cce0000', 'correct horse']

/** Bodies, and from what the values are made that they are asked about. */
const BODIES: Readonly<Record<string, readonly [body: DecodeBody<unknown>, ...right: readonly object[]]>> = {
  'of a reservation': [
    reservationBody,
    ...[
      { user_id, sut_id, ...WINDOW },
      { sut_id, ...WINDOW },
      { user_id, sut_id, start_in: 0, duration: 900 },
    ],
    ...[
      { sut_id, ...WINDOW, duration: 1 },
      { sut_id, ...WINDOW, start_in: 1, duration: 1 },
    ],
  ],
  'of an extension': [extensionBody, { end_time: WINDOW.end_time }, { duration: 1800 }, { by: 900 }, {}],
  'of a new SUT': [sutCreationBody, MACHINE, { ...MACHINE, password: 'x', rdp_height: 720, description: 'a\nb' }],
  'of an update': [sutUpdateBody, {}, { os: 'linux' }, { user_name: '', is_active: false }],
  'of tags': [tagsBody, {}, { rack: '4', gpu: null }],
  'of monitoring': [monitoringBody, { enabled: true, interval: 10 }, { enabled: false }],
  'of a new user': [
    userCreationBody,
    ...[
      { name: 'anna', role: 'tester' },
      { name: 'Zoë 😀', role: 'auditor', _id: 'anna@lab', password },
    ],
  ],
  'of an update of a user': [userUpdateBody, {}, { name: 'anna' }, { role: 'administrator' }],
  'of a new password': [newPasswordBody, { password }, { password: '😀'.repeat(8) }],
  'of a password of one’s own': [ownPasswordBody, { old_password: 'x', password }, { old_password: '', password }],
  'of a removal': [userRemovalBody, { reservations: 'keep' }, { reservations: 'cancel' }],
  'that is empty': [withoutBody.body, {}],
}

/** Whether a password has too many bytes but not too many characters. A schema counts only these. */
const isLongInBytesOnly = (value: unknown): boolean => {
  const { password } = Object(value) as { readonly password?: unknown }
  const isLong = typeof password === 'string' && Buffer.byteLength(password) > PASSWORD_BYTES_MAX
  return isLong && [...password].length <= PASSWORD_BYTES_MAX
}

for (const [what, [body, ...right]] of Object.entries(BODIES)) {
  test(`the schema and the service accept the same bodies ${what}`, (t) => {
    const values = fc
      .constantFrom(...right)
      .chain(mutatedObject)
      .filter((value) => !isLongInBytesOnly(value) && !isRefusedForLetters(Object(value).name))
    agree(t, (value) => E.isRight(body(value)), schemaOf(body), values, 1_500)
  })
}

const dataOf = (frame: string): unknown => JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? '')

const { schemas } = asyncApi('0.0.0').components as { readonly schemas: Readonly<Record<string, JsonSchema>> }

test("the feed's checkpoints and errors match the AsyncAPI document", (t) => {
  t.true(bySchema(schemas.checkpoint ?? {})(dataOf(eventStream.checkpoint(toPublicPosition(7)))))
  for (const why of Object.keys(DETAILS) as readonly EndReason[]) {
    t.true(bySchema(schemas.error ?? {})(dataOf(eventStream.ending(why, toPublicPosition(7)))), why)
  }
  t.false(bySchema(schemas.error ?? {})({ code: 'tired', detail: 'x' }))
  t.false(bySchema(schemas.checkpoint ?? {})({ sequence: 7 }))
})

test('every event of the feed matches the AsyncAPI schema of its type and no other', (t) => {
  const types = EVENT_TYPES
  const fits = new Map(types.map((type) => [type, bySchema(schemas[type] ?? {})]))
  const arbitraryEvent = fc.constantFrom(...types).chain((type) =>
    fc.record({
      ...{ type: fc.constant(type), data: arbitraryData[type], id: fc.uuid(), metadata: arbitraryMetadata() },
      ...{ stream: fc.constantFrom(`sut-${sut_id}`, 'listenPorts'), revision: fc.nat(), storePosition: fc.nat() },
    }),
  ) as fc.Arbitrary<Recorded>
  const rightOnly = fc.property(arbitraryEvent, fc.nat(), (event, position) => {
    const sent: unknown = JSON.parse(JSON.stringify(cloudEvent(event, toPublicPosition(position), 'berth')))
    return types.every((type) => fits.get(type)?.(sent) === (type === event.type))
  })
  t.notThrows(() => fc.assert(rightOnly, { numRuns: rounds(20, 500) }))
})
