import assert from 'node:assert/strict'
import test from 'ava'
import fc from 'fast-check'
import { projections } from '../../projections/index.ts'
import { makePending, type Pending } from '../../src/read-models/pending.ts'
import { openViewsFile } from '../../src/read-models/views-file.ts'
import { SUT_ID } from '../domain/builders.ts'
import { logged } from '../event-store/new-events.ts'
import { story } from './setting.ts'

/** Nothing is ever in the file: what is seen is pending. */
const nothingWritten = () => openViewsFile(':memory:', projections)

/** Folds the story, and takes what has been folded after some of its events. */
const folded = (takenAfter: readonly number[]): Pending => {
  const pending = makePending(projections, nothingWritten())
  for (const [n, event] of story.entries()) {
    pending.fold(logged(event), n)
    if (takenAfter.includes(n)) pending.takeUnstaged()
  }
  return pending
}

const revisions = story.map(({ revision }) => revision)
const seen = ({ newest, asOf }: Pending) => ({
  now: projections.map(({ name }) => newest(name, SUT_ID)),
  then: revisions.map((revision) => asOf('sut', SUT_ID, revision)),
})

/** After which events rows are taken. */
const aTaking = () => fc.uniqueArray(fc.nat(story.length - 1))

test('what is pending is seen the same, however it was taken to be written', (t) => {
  const expected = seen(folded([]))
  t.truthy(expected.now.find((version) => version !== undefined))
  fc.assert(fc.property(aTaking(), (taking) => assert.deepEqual(seen(folded(taking)), expected)))
  t.pass()
})

test('after a transaction has failed every row is to be written again, in the order of the log', (t) => {
  const expected = folded([]).takeUnstaged()
  fc.assert(
    fc.property(aTaking(), (taking) => {
      const pending = folded(taking)
      pending.unstageAll()
      assert.deepEqual([pending.unstaged(), pending.count()], [expected.length, expected.length])
      assert.deepEqual(pending.takeUnstaged(), expected)
    }),
  )
  t.true(expected.length > story.length)
})

test('what has been written is let go of, and nothing else', (t) => {
  fc.assert(
    fc.property(aTaking(), fc.nat(story.length), (taking, after) => {
      const cuts = taking.toSorted((a, b) => a - b)
      const upTo = cuts[after % Math.max(cuts.length, 1)] ?? -1
      const pending = folded(cuts)
      const all = folded([]).takeUnstaged()
      pending.written(upTo)
      pending.unstageAll()
      const left = all.filter(({ place, version }) => (place ?? version).position > upTo)
      assert.deepEqual([pending.count(), pending.takeUnstaged()], [left.length, left])
    }),
  )
  t.pass()
})
