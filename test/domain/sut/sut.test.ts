import test from 'ava'
import { TAGS_MAX } from '../../../src/domain/events/sut.ts'
import { type CreateSut, sutDecider } from '../../../src/domain/sut/decide.ts'
import type { SutValues } from '../../../src/domain/sut/state.ts'
import {
  idOf,
  LISTEN_PORT,
  reservationCancelled,
  reservationCreated,
  SUT_ID,
  sutCreated,
  sutCreationAbandoned,
  sutRetired,
  sutUpdated,
  sutValues,
} from '../builders.ts'
import { at, records, refusal, stories, whyRefused } from '../given-when-then.ts'

const { given } = stories(sutDecider)
const created = at('05:00', sutCreated())
const credentials = { id: idOf(7), changed: ['password'] as const }

const create = (more: Partial<CreateSut> = {}): CreateSut => ({
  type: 'CreateSut',
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

test('a creation that completes after its abandonment records nothing', (t) => {
  const abandoned = given().when({ type: 'AbandonSutCreation', _id: SUT_ID, listen_port: LISTEN_PORT }, '05:00')
  t.deepEqual(abandoned, records(sutCreationAbandoned()))
  t.deepEqual(given(at('05:00', sutCreationAbandoned())).when(create(), '05:01'), records())
})

test('only an unfinished creation can be abandoned', (t) => {
  const abandon = { type: 'AbandonSutCreation' as const, _id: SUT_ID, listen_port: LISTEN_PORT }
  t.deepEqual(given(created).when(abandon, '05:01'), records())
  t.deepEqual(given(created, at('05:01', sutRetired())).when(abandon, '05:02'), records())
  t.deepEqual(given(at('05:00', sutCreationAbandoned())).when(abandon, '05:01'), records())
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
})

test('an update that changes nothing records nothing', (t) => {
  t.deepEqual(given(created).when(update({}), '05:01'), records())
  t.deepEqual(given(created).when(update(sutValues()), '05:01'), records())
  const story = given(created, at('05:01', sutUpdated({ name: 'new name', rdp_height: 720 })))
  t.deepEqual(story.when(update({ name: 'new name', rdp_height: 720 }), '05:02'), records())
  t.deepEqual(story.when(update({ name: 'bench 4' }), '05:02'), records(sutUpdated({ name: 'bench 4' })))
})

test('submitted credentials always count as a change, so that guesses cannot be verified', (t) => {
  const story = given(at('05:00', sutCreated({ credentials })))
  const again = { id: idOf(8), changed: ['password', 'user_name'] as const }
  t.deepEqual(story.when(update({}, { credentials: again }), '05:01'), records(sutUpdated({ credentials: again })))
  t.deepEqual(
    story.when(update(sutValues(), { credentials }), '05:01'),
    records(sutUpdated({ credentials })),
    'even the same ones',
  )
})

test('tags are merged: a string sets one, null removes one, others remain', (t) => {
  const story = given(created, at('05:01', sutUpdated({ tags: { rack: '4', floor: '2' } })))
  const patch = { rack: '5', floor: null, 'os.arch': 'arm64' }
  t.deepEqual(story.when(tag(patch), '05:02'), records(sutUpdated({ tags: patch })))
  const { state } = given(
    created,
    at('05:01', sutUpdated({ tags: { rack: '4', floor: '2' } })),
    at('05:02', sutUpdated({ tags: patch })),
  )
  t.deepEqual('tags' in state && state.tags, { 'os.arch': 'arm64', rack: '5' })
})

test('a tag patch records only the tags that change', (t) => {
  const story = given(created, at('05:01', sutUpdated({ tags: { rack: '4' } })))
  t.deepEqual(story.when(tag({}), '05:02'), records())
  t.deepEqual(story.when(tag({ rack: '4', floor: null }), '05:02'), records())
  t.deepEqual(story.when(tag({ rack: '4', floor: '' }), '05:02'), records(sutUpdated({ tags: { floor: '' } })))
})

test('a tag may have the name of an Object.prototype member', (t) => {
  t.deepEqual(given(created).when(tag({ constructor: null, toString: null }), '05:01'), records())
  const story = given(created, at('05:01', sutUpdated({ tags: { constructor: 'acer' } })))
  t.deepEqual(story.when(tag({ constructor: 'acer' }), '05:02'), records())
  t.deepEqual(story.when(tag({ constructor: null }), '05:02'), records(sutUpdated({ tags: { constructor: null } })))
})

const manyTags = (first: number, last: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: last - first + 1 }, (_, i) => [`tag-${first + i}`, 'x']))

test('a SUT has at most 64 tags, counted after the patch', (t) => {
  const full = given(created, at('05:01', sutUpdated({ tags: manyTags(1, TAGS_MAX) })))
  t.is(TAGS_MAX, 64)
  t.deepEqual(given(created).when(tag(manyTags(1, 64)), '05:01'), records(sutUpdated({ tags: manyTags(1, 64) })))
  t.deepEqual(whyRefused(given(created).when(tag(manyTags(1, 65)), '05:01')), ['invalid', 'invalid'])
  t.deepEqual(whyRefused(full.when(tag({ another: 'x' }), '05:02')), ['invalid', 'invalid'])
  const swap = { another: 'x', 'tag-1': null, 'tag-2': 'y' }
  t.deepEqual(full.when(tag(swap), '05:02'), records(sutUpdated({ tags: swap })))
})

test('a retired SUT can be neither updated nor tagged', (t) => {
  const story = given(created, at('05:01', sutRetired()))
  t.is(refusal(story.when(update({ name: 'new name' }), '05:02')).code, 'sut_retired')
  t.is(refusal(story.when(update({}), '05:02')).code, 'sut_retired')
  t.is(refusal(story.when(tag({ rack: '4' }), '05:02')).code, 'sut_retired')
})

test('updates, tags and retirement with an outdated ETag are refused as stale', (t) => {
  const story = given(created, at('05:01', sutUpdated({ name: 'new name' })))
  for (const command of [update({ name: 'other' }), tag({ rack: '4' }), retire]) {
    t.is(refusal(story.when({ ...command, ifMatch: [0] }, '05:02')).code, 'stale')
    t.is(refusal(story.when({ ...command, ifMatch: [] }, '05:02')).code, 'stale')
    t.true('right' in story.when({ ...command, ifMatch: [0, 1] }, '05:02'))
    t.true('right' in story.when(command, '05:02'))
  }
})

test("only the SUT's own events change the record's revision, not its reservations", (t) => {
  const past = [
    created,
    at('05:01', reservationCreated(idOf(1), '06:00', '07:00')),
    at('05:02', sutUpdated({ name: 'new name' })),
    at('05:03', reservationCancelled(idOf(1))),
    at('05:04', sutRetired()),
  ]
  const revisions = past.map((_, i) => {
    const { state } = given(...past.slice(0, i + 1))
    return 'values' in state && state.recordRevision
  })
  t.deepEqual(revisions, [0, 0, 2, 2, 4])
})

test('an update leaves other values and tags unchanged', (t) => {
  const { state } = given(
    created,
    at('05:01', sutUpdated({ tags: { rack: '4' } })),
    at('05:02', sutUpdated({ name: 'new name' })),
  )
  t.like(state, { tags: { rack: '4' }, values: { ...sutValues(), name: 'new name' } })
})

test('refusals have a fixed order: invalid, retired, stale, reserved', (t) => {
  const gone = given(created, at('05:01', sutRetired()))
  t.is(refusal(gone.when(tag(manyTags(1, 65), { ifMatch: [] }), '05:02')).code, 'invalid')
  t.is(refusal(gone.when(tag({ rack: '4' }, { ifMatch: [] }), '05:02')).code, 'sut_retired')
  t.is(refusal(gone.when(update({}, { ifMatch: [] }), '05:02')).code, 'sut_retired')
  const held = given(created, at('05:01', reservationCreated(idOf(1), '06:00', '07:00')))
  t.is(refusal(held.when({ ...retire, ifMatch: [] }, '05:02')).code, 'stale')
  t.is(refusal(held.when({ ...retire, ifMatch: [0] }, '05:02')).code, 'sut_reserved')
})

test('the shape of the state in snapshots changes only with its version', (t) => {
  const { state } = given(created, at('05:02', sutRetired()))
  const members = [
    '_id',
    'ended',
    'keys',
    'listen_port',
    'monitoring',
    'recordRevision',
    'released',
    'settledOffers',
    'status',
    'tags',
    'time',
    'values',
    'windows',
  ]
  t.deepEqual([sutDecider.version, ...Object.keys(state).sort()], [11, ...members], 'raise SUT_STATE_VERSION')
})
