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
const folded = (takenAfter: readonly number[], chunk?: number): Pending => {
  const pending = makePending(projections, NOTHING_WRITTEN, chunk)
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

/** After which events rows are taken, and how many rows are released together. */
const staging = () => [fc.uniqueArray(fc.nat(story.length - 1)), fc.integer({ min: 1, max: 20 })] as const

test('property: pending rows read the same, however they are staged', (t) => {
  const expected = seen(folded([]))
  t.truthy(expected.now.find((version) => version !== undefined))
  fc.assert(fc.property(...staging(), (taking, chunk) => assert.deepEqual(seen(folded(taking, chunk)), expected)))
})

test('property: after a failed transaction every row is staged again in log order', (t) => {
  const expected = folded([]).takeUnstaged()
  fc.assert(
    fc.property(...staging(), (taking, chunk) => {
      const pending = folded(taking, chunk)
      pending.unstageAll()
      assert.deepEqual([pending.unstaged(), pending.count()], [expected.length, expected.length])
      assert.deepEqual(pending.takeUnstaged(), expected)
    }),
  )
  t.true(expected.length > story.length)
})

test('property: only written rows are released', (t) => {
  const all = folded([]).takeUnstaged()
  fc.assert(
    fc.property(...staging(), fc.integer({ min: -1, max: story.length - 1 }), (taking, chunk, upTo) => {
      const pending = folded([...taking, upTo], chunk)
      pending.written(toPublicPosition(upTo))
      const left = all.filter(({ logRow, version }) => (logRow ?? version).position > upTo)
      const isLeft = left.some(({ version }) => version?.id === SUT_ID)
      assert.deepEqual([pending.count(), pending.newest('sut', SUT_ID) !== undefined], [left.length, isLeft])
      pending.unstageAll()
      assert.deepEqual(pending.takeUnstaged(), left)
    }),
  )
  t.true(all.some(({ version }) => version?.id === SUT_ID))
})
