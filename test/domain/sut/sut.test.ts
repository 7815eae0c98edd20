import test from 'ava'
import { TAGS_MAX } from '../../../src/domain/events/sut.ts'
import { type CreateSut, sutDecider } from '../../../src/domain/sut/decide.ts'
import type { SutValues } from '../../../src/domain/sut/state.ts'
import {
  idOf,
  LISTEN_PORT,
  reservationCreated,
  SUT_ID,
  sutCreated,
  sutCreationAbandoned,
  sutRetired,
  sutUpdated,
  sutValues,
} from '../builders.ts'
import { at, records, refusal, stories } from '../given-when-then.ts'

const { given } = stories(sutDecider)
const created = at('05:00', sutCreated())
const credentials = { id: idOf(7), changed: ['password'] as const }

const create = (more: Partial<CreateSut> = {}) => ({
  type: 'CreateSut' as const,
  _id: SUT_ID,
  listen_port: LISTEN_PORT,
  values: sutValues(),
  ...more,
})
const update = (values: Partial<SutValues>, more: object = {}) => ({ type: 'UpdateSut' as const, values, ...more })
const tag = (tags: Record<string, string | null>, more: object = {}) => ({ type: 'TagSut' as const, tags, ...more })
const retire = { type: 'RetireSut' as const }

test('a SUT is created with its values, its port and the id of its credentials', (t) => {
  t.deepEqual(given().when(create(), '05:00'), records(sutCreated()))
  t.deepEqual(given().when(create({ credentials }), '05:00'), records(sutCreated({ credentials })))
})

test('creating an existing SUT records nothing', (t) => {
  t.deepEqual(given(created).when(create(), '05:01'), records())
  t.deepEqual(given(created, at('05:01', sutRetired())).when(create(), '05:02'), records())
})

test('a creation that was abandoned by an older version records nothing', (t) => {
  t.deepEqual(given(at('05:00', sutCreationAbandoned())).when(create(), '05:01'), records())
})

test('changing a missing or abandoned SUT is refused', (t) => {
  for (const command of [update({ name: 'new name' }), tag({ rack: '4' }), retire]) {
    t.is(refusal(given().when(command, '05:00')).code, 'sut_not_found')
    t.is(refusal(given(at('05:00', sutCreationAbandoned())).when(command, '05:01')).code, 'sut_not_found')
  }
})

test('an update records only the fields that change', (t) => {
  const story = given(created)
  const all = { ...sutValues(), name: 'new name', is_active: false, rdp_width: 1280 }
  const changed = sutUpdated({ name: 'new name', is_active: false, rdp_width: 1280 })
  t.deepEqual(story.when(update(all), '05:01'), records(changed))
  t.deepEqual(story.when(update({ description: '' }), '05:01'), records(sutUpdated({ description: '' })))
  const guess = update({ name: sutValues().name }, { credentials })
  t.deepEqual(story.when(guess, '05:01'), records(sutUpdated({ credentials })), 'so that nobody can test a guess')
  t.is(refusal(story.when(update({}, { ifMatch: [7] }), '05:01')).code, 'stale', 'even if nothing changes')
})

test('tags are merged as in RFC 7396, and only what changes is recorded', (t) => {
  const story = given(at('05:00', sutCreated({ tags: { a: '1', b: '2' } })))
  const changed = { b: '3', c: '4' }
  t.deepEqual(story.when(tag({ a: '1', ...changed }), '05:01'), records(sutUpdated({ tags: changed })))
  t.deepEqual(story.when(tag({ a: null, never: null }), '05:01'), records(sutUpdated({ tags: { a: null } })))
  for (const same of [{}, { b: '2', never: null }]) t.deepEqual(story.when(tag(same), '05:01'), records())
})

test('more tags than a SUT may have are refused before a SUT that is retired', (t) => {
  const tags = Object.fromEntries(Array.from({ length: TAGS_MAX + 1 }, (_, n) => [`tag-${n}`, 'x']))
  const gone = given(created, at('05:01', sutRetired()))
  t.is(refusal(gone.when(tag(tags, { ifMatch: [] }), '05:02')).code, 'invalid')
  t.is(refusal(gone.when(tag({ rack: '4' }, { ifMatch: [] }), '05:02')).code, 'sut_retired')
})

test('a refused retirement names at most the first hundred reservations', (t) => {
  const days = Array.from({ length: 101 }, (_, i) => new Date(Date.UTC(2030, 5, 1 + i)).toISOString().slice(0, 10))
  const ahead = days.map((day, i) =>
    at('05:00', reservationCreated(idOf(i), `${day}T06:00:00+00:00`, `${day}T07:00:00+00:00`)),
  )
  const { help } = refusal(given(created, ...ahead.reverse()).when(retire, '05:01'))
  t.deepEqual(
    help?.conflicts?.map(({ _id }) => _id),
    days.slice(0, 100).map((_, i) => idOf(i)),
  )
})

test('the shape of the state in snapshots changes only with its version', (t) => {
  const { state } = given(created, at('05:02', sutRetired()))
  const members = [
    '_id',
    'keys',
    'listen_port',
    'monitoring',
    'recordRevision',
    'settledOffers',
    'status',
    'tags',
    'time',
    'values',
    'windows',
  ]
  t.deepEqual([sutDecider.version, ...Object.keys(state).sort()], [13, ...members], 'raise the version of sutFold')
})
