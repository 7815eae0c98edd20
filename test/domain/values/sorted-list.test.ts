import test from 'ava'
import fc from 'fast-check'
import {
  dropBefore,
  elementAt,
  elementBefore,
  elementsFrom,
  findPlace,
  insertAt,
  removeAt,
  replaceAt,
  type SortedList,
  seek,
} from '../../../src/domain/values/sorted-list.ts'
import { rounds } from '../../thorough.ts'

const placeOf = (list: SortedList<number>, n: number) => seek(list, (element) => element >= n)
const listOf = (numbers: readonly number[]): SortedList<number> =>
  numbers.reduce<SortedList<number>>((list, n) => insertAt(list, placeOf(list, n), n), [])
const ascending = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)
const descending = (numbers: readonly number[]) => numbers.toSorted((a, b) => b - a)

/** Different even numbers, some in their order or the opposite one. */
const numbers = fc
  .tuple(
    fc.uniqueArray(fc.nat(2_000), { maxLength: 600, size: 'max' }),
    fc.constantFrom(ascending, descending, (n: readonly number[]) => n),
  )
  .map(([all, inOrder]) => inOrder(all.map((n) => 2 * n)))

test('property: a sorted list is an array in chunks, and no change of it modifies it', (t) => {
  let chunks = 0
  const isSound = (list: SortedList<number>, expected: readonly number[]): void => {
    t.deepEqual(list.flat(), expected)
    t.true(list.every(({ length }) => length > 0 && length <= 64))
  }
  const property = fc.property(numbers, fc.nat(4_001), fc.nat(), (inserted, n, chosen) => {
    const sorted = ascending(inserted)
    const list = listOf(inserted)
    isSound(list, sorted)
    chunks = Math.max(chunks, list.length)
    const before = structuredClone(list)
    const place = placeOf(list, n)
    const [former, latter] = [sorted.filter((each) => each < n), sorted.filter((each) => each >= n)]
    t.deepEqual([elementBefore(list, place), elementAt(list, place)], [former.at(-1), latter[0]])
    t.deepEqual([...elementsFrom(list, place)], latter)
    isSound(dropBefore(list, place), latter)
    const one = sorted[chosen % sorted.length]
    if (one === undefined) return
    const found = findPlace(list, (each) => each === one)
    if (found === undefined) return t.fail(`${one} is not found`)
    t.is(
      findPlace(list, (each) => each === one + 1),
      undefined,
    )
    isSound(
      replaceAt(list, found, one + 1),
      sorted.map((each) => (each === one ? one + 1 : each)),
    )
    isSound(
      removeAt(list, found),
      sorted.filter((each) => each !== one),
    )
    t.deepEqual(list, before)
  })
  fc.assert(property, { numRuns: rounds(25, 100) })
  t.true(chunks > 2, 'some have several chunks')
})

test('what is inserted in order fills its chunks, and what is removed empties them', (t) => {
  const all = Array.from({ length: 12_800 }, (_, n) => n)
  const full = listOf(all)
  t.deepEqual([full.length, listOf(all.toReversed()).length], [200, 200])
  const remove = (list: SortedList<number>, n: number) => removeAt(list, placeOf(list, n))
  t.deepEqual(all.reduce(remove, full), [])
})
