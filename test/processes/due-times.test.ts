import test from 'ava'
import fc from 'fast-check'
import { makeDueTimes } from '../../src/processes/due-times.ts'

test('what is due is taken once, earliest first', (t) => {
  const dueTimes = makeDueTimes()
  dueTimes.set('c', 7_400)
  dueTimes.set('a', 1_200)
  dueTimes.set('b', 1_900)
  t.deepEqual(dueTimes.takeDue(1_199), [])
  t.deepEqual(dueTimes.takeDue(1_899), ['a'])
  t.deepEqual(dueTimes.takeDue(9_000), ['b', 'c'])
  t.deepEqual(dueTimes.takeDue(9_000), [])
})

test('an agenda takes exactly what is due, whatever was set, moved and removed before', (t) => {
  const step = fc.oneof(
    fc.record({ set: fc.integer({ min: 0, max: 9 }), moment: fc.integer({ min: 0, max: 9_999 }) }),
    fc.record({ remove: fc.integer({ min: 0, max: 9 }) }),
    fc.record({ take: fc.integer({ min: 0, max: 9_999 }) }),
  )
  const law = fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
    const dueTimes = makeDueTimes()
    const model = new Map<string, number>()
    for (const one of steps) {
      if ('set' in one) {
        dueTimes.set(`${one.set}`, one.moment)
        model.set(`${one.set}`, one.moment)
      } else if ('remove' in one) {
        dueTimes.delete(`${one.remove}`)
        model.delete(`${one.remove}`)
      } else {
        const due = [...model].filter(([, moment]) => moment <= one.take)
        const taken = dueTimes.takeDue(one.take)
        if (taken.length !== due.length || !due.every(([id]) => taken.includes(id))) return false
        const moments = taken.map((id) => model.get(id) as number)
        if (moments.some((moment, n) => n > 0 && moment < (moments[n - 1] as number))) return false
        for (const id of taken) model.delete(id)
      }
      if (dueTimes.size() !== model.size) return false
      if (dueTimes.next() !== (model.size === 0 ? undefined : Math.min(...model.values()))) return false
    }
    return true
  })
  t.notThrows(() => fc.assert(law, { numRuns: 500 }))
})
