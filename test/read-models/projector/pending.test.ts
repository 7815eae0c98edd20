import assert from 'node:assert/strict'
import test from 'ava'
import fc from 'fast-check'
import { projections } from '../../../projections/index.ts'
import { toPublicPosition } from '../../../src/domain/values/position.ts'
import { openViewsFile } from '../../../src/read-models/file/views-file.ts'
import { makePending, type Pending } from '../../../src/read-models/projector/pending.ts'
import { SUT_ID } from '../../domain/builders.ts'
import { logged } from '../../event-store/new-events.ts'
import { story } from '../setting.ts'

/** An empty file: everything that is read is pending. */
const NOTHING_WRITTEN = openViewsFile(':memory:', projections)

/** Folds the story, and takes the unstaged rows after some of its events. */
const folded = (takenAfter: readonly number[]): Pending => {
  const pending = makePending(projections, NOTHING_WRITTEN)
  for (const [n, event] of story.entries()) {
    pending.fold(logged(event), toPublicPosition(n))
    if (takenAfter.includes(n)) pending.takeUnstaged()
  }
  return pending
}

const revisions = story.map(({ revision }) => revision)
const seen = ({ newest, asOf }: Pending) => ({
  now: projections.map(({ name }) => newest(name, SUT_ID)),
  before: revisions.map((revision) => asOf('sut', SUT_ID, revision)),
})

/** After which events rows are taken. */
const staging = () => fc.uniqueArray(fc.nat(story.length - 1))

test('property: pending rows read the same, however they are staged', (t) => {
  const expected = seen(folded([]))
  t.truthy(expected.now.find((version) => version !== undefined))
  fc.assert(fc.property(staging(), (taking) => assert.deepEqual(seen(folded(taking)), expected)))
})

test('property: after a failed transaction every row is staged again in log order', (t) => {
  const expected = folded([]).takeUnstaged()
  fc.assert(
    fc.property(staging(), (taking) => {
      const pending = folded(taking)
      pending.unstageAll()
      assert.deepEqual([pending.unstaged(), pending.count()], [expected.length, expected.length])
      assert.deepEqual(pending.takeUnstaged(), expected)
    }),
  )
  t.true(expected.length > story.length)
})

test('written rows are released, and none of them is staged again', (t) => {
  const pending = folded([3])
  pending.takeUnstaged()
  pending.written()
  pending.unstageAll()
  t.deepEqual([pending.count(), pending.takeUnstaged(), pending.newest('sut', SUT_ID)], [0, [], undefined])
})
