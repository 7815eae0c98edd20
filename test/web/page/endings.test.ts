import test from 'ava'
import { saidOf } from '../../../src/web/screens/screen/endings.ts'
import { type Problem, Refused } from '../../../src/web/service/api.ts'

const ABOUT = { name: 'bench 3', end: undefined, me: 'alice' }

/** What is said of a screen whose reservation ended so. */
const said = (cause: NonNullable<Problem['cause']>, by: string | null = null) => {
  const problem = { code: 'reservation_over', detail: `It was ${cause}.`, cause, by }
  return saidOf({ kind: 'refused', refused: new Refused(409, problem) }, ABOUT)
}

test('a screen says how its reservation ended: at its end, by oneself, by somebody else, or by Berth', (t) => {
  t.like(said('ended'), { title: 'Your time is up', way: 'reserve' })
  t.like(said('released', 'alice'), { title: 'It was released' })
  t.like(said('released', 'admin'), { title: 'Someone ended your reservation', text: 'It was released.' })
  t.like(said('unused'), { title: 'Berth released bench 3', text: 'It was unused.', way: 'reserve' })
  t.like(said('keepalive'), { title: 'Berth released bench 3', text: 'It was keepalive.' })
})
