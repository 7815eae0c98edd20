import test from 'ava'
import fc from 'fast-check'
import { makeDue } from '../../src/processes/due.ts'

interface Item {
  moment: number | undefined
}

const given = (...moments: readonly (number | undefined)[]) => {
  const items: Item[] = moments.map((moment) => ({ moment }))
  let looked = 0
  let since = 0
  const due = makeDue(
    () => {
      looked++
      return items
    },
    ({ moment }) => moment,
    () => since,
  )
  const dueAt = (now: number) => due.find(now).map(({ moment }) => moment)
  const pass = (milliseconds: number): void => {
    since += milliseconds
  }
  return { items, due, dueAt, looked: () => looked, pass }
}

test('items are due from their moment on, and those without a moment never', (t) => {
  const { dueAt } = given(1_200, undefined, 1_900)
  t.deepEqual([1_199, 1_200, 1_899, 1_900].map(dueAt), [[], [1_200], [], [1_200, 1_900]])
})

test('what is still due is found again a second later, not before', (t) => {
  const { dueAt, looked } = given(1_200)
  t.deepEqual([1_200, 2_199, 2_200].map(dueAt), [[1_200], [], [1_200]])
  t.is(looked(), 2)
})

test('what is still due is found again a second later, although the clock stands still', (t) => {
  const { dueAt, pass } = given(1_200)
  t.deepEqual(dueAt(1_200), [1_200])
  pass(999)
  t.deepEqual(dueAt(1_200), [])
  pass(1)
  t.deepEqual(dueAt(1_200), [1_200])
})

test('a moment that becomes earlier counts at once if it is told, and a second later otherwise', (t) => {
  const { items, due, dueAt } = given(9_000, 9_000)
  const [one, other] = items as [Item, Item]
  t.deepEqual(dueAt(1_000), [])
  one.moment = other.moment = 1_500
  t.deepEqual(dueAt(1_999), [])
  due.changed(one)
  t.deepEqual(dueAt(1_999), [1_500, 1_500])
})

test('property: whatever changes and wherever the clock goes, what is due is found', (t) => {
  const step = fc.record({ item: fc.nat(4), moment: fc.option(fc.nat(9_999)), to: fc.nat(9_999) })
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { items, dueAt } = given(...Array<undefined>(5).fill(undefined))
        return steps.every(({ item, moment, to }) => {
          ;(items[item] as Item).moment = moment ?? undefined
          // The clock may just have been set back, by less than a second.
          const found = [to, to + 1_000, to + 2_000].flatMap(dueAt)
          return items.every((each) => each.moment === undefined || each.moment > to || found.includes(each.moment))
        })
      }),
    ),
  )
})
