/** What happens in labs: in every one what alice may know of, and in one of two what she must not notice. */

import fc from 'fast-check'
import { at, INSIDE, type Lab, SCOPE } from './lab.ts'

type Step = (lab: Lab) => Promise<unknown>

const cancel = (label: string) => async (lab: Lab) => lab.post(`/api/sut_reservation/${lab.ids.get(label)}/cancel`)

/** The SUT `theirs` is outside; alice has reservations of it. `moved` came into her scope after it was reserved. */
export const INSIDE_STEPS: readonly Step[] = [
  (lab) => lab.post(`/api/user/${lab.ids.get('alice')}/update`, { scope: SCOPE, quota: { hours_per_week: 8 } }),
  (lab) => lab.addUser('dora'),
  (lab) => lab.addSut('inside', INSIDE),
  (lab) => lab.addSut('rdp', { ...INSIDE, os: 'nt' }, { sut_type: 'rdp' }),
  (lab) => lab.addSut('idle', INSIDE, { is_active: false }),
  (lab) => lab.addSut('old', INSIDE),
  (lab) => lab.addSut('theirs', { team: 'qa2', rack: '4' }),
  (lab) => lab.addSut('moved', { team: 'qa2' }),
  (lab) => lab.reserve('bob on inside', 'inside', 'bob', at('06:00'), at('07:00')),
  (lab) => lab.reserve('own on inside', 'inside', 'alice', at('07:00'), at('08:00')),
  (lab) => lab.reserve('dora on rdp', 'rdp', 'dora', at('05:45'), at('06:30')),
  (lab) => lab.reserve('bob on moved', 'moved', 'bob', at('09:00'), at('10:00')),
  (lab) => lab.reserve('running there', 'theirs', 'alice', at('05:45'), at('06:30')),
  (lab) => lab.reserve('own there', 'theirs', 'alice', at('08:00'), at('09:00')),
  (lab) => lab.reserve('own cancelled there', 'theirs', 'alice', at('09:00'), at('10:00')),
  (lab) => lab.reserveSeries('series of bob', 'inside', 'bob', at('16:00'), at('17:00')),
  (lab) => lab.reserveSeries('own series there', 'theirs', 'alice', at('16:00'), at('17:00')),
  (lab) => lab.waitFor('request of bob', 'inside', 'bob'),
  (lab) => lab.connect('session there', 'running there', 'theirs', 'alice'),
  (lab) => lab.connect('session of dora', 'dora on rdp', 'rdp', 'dora'),
  (lab) => lab.reserve('cancelled', 'rdp', 'bob', at('11:00'), at('12:00')),
  cancel('cancelled'),
  cancel('own cancelled there'),
  (lab) => lab.post(`/api/sut/${lab.ids.get('old')}/retire`),
  (lab) => lab.post(`/api/sut/${lab.ids.get('moved')}/tags`, INSIDE),
  (lab) => lab.post(`/api/sut/${lab.ids.get('rdp')}/monitoring`, { enabled: true }),
  (lab) => lab.service.as('alice').post('/api/user/me/token', { name: 'ci' }),
]

/** What questions name: it is always there, and not in the other lab. */
export const HIDDEN = {
  sut: ['hidden', 'ahead'],
  reservation: ['bob on theirs', 'otto on hidden', 'otto cancelled'],
  user: ['otto'],
  session: ['session of otto', 'session of bob'],
  series: ['series of otto'],
  request: ['request of otto'],
} as const

/** Several steps, after those of the story inside that make what they need. */
export interface Placed {
  /** Before this step of the story inside. */
  readonly before: number
  readonly step: Step
}

/** A SUT with an event from an instance whose clock is two minutes ahead. */
const addSutAhead: Step = async (lab) => {
  const { clock } = lab.service
  const now = clock.now()
  await lab.addSut('ahead', { team: 'qa2' })
  clock.set(new Date(now + 120_000).toISOString())
  await lab.post(`/api/sut/${lab.ids.get('ahead')}/update`, { name: 'ahead of time' })
  clock.set(new Date(now).toISOString())
}

export const PRELUDE: readonly Placed[] = [
  { before: 0, step: (lab) => lab.addUser('otto') },
  { before: 0, step: (lab) => lab.addSut('hidden', { team: 'qa2', rack: '5' }) },
  { before: 2, step: (lab) => lab.reserve('otto on hidden', 'hidden', 'otto', at('05:45'), at('06:15')) },
  { before: 2, step: (lab) => lab.reserve('otto cancelled', 'hidden', 'otto', at('12:00'), at('13:00')) },
  { before: 3, step: (lab) => lab.post(`/api/sut_reservation/${lab.ids.get('otto cancelled')}/cancel`) },
  { before: 3, step: (lab) => lab.reserveSeries('series of otto', 'hidden', 'otto', at('15:00'), at('16:00')) },
  { before: 4, step: (lab) => lab.waitFor('request of otto', 'hidden', 'otto') },
  { before: 9, step: addSutAhead },
  { before: 12, step: (lab) => lab.reserve('bob on theirs', 'theirs', 'bob', at('06:30'), at('07:00')) },
  { before: 13, step: (lab) => lab.connect('session of otto', 'otto on hidden', 'hidden', 'otto') },
  { before: 13, step: (lab) => lab.connect('session of bob', 'bob on theirs', 'theirs', 'bob') },
]

const TAGS = [{ team: 'qa2', rack: '4' }, { team: 'qa1' }, { rack: '4' }, { team: 'QA1', rack: '4' }, {}]
const HOLDERS = ['bob', 'dora', 'otto', 'admin']
/** The step of the story inside after which SUTs and users of these steps are there. */
const THEIRS = 18

const suts = fc.constantFrom('hidden', 'theirs')
const untag = { team: null, rack: null }

const ofSut = (act: (lab: Lab, id: string) => Promise<unknown>) =>
  suts.map(
    (sut): Step =>
      (lab) =>
        act(lab, String(lab.ids.get(sut))),
  )

/** A quarter of an hour on one of the next days, when alice has no reservation. */
const window = fc
  .tuple(fc.integer({ min: 3, max: 4 }), fc.integer({ min: 10, max: 13 }))
  .map(([day, hour]): readonly [string, string] => [at(`${hour}:00`, day), at(`${hour}:15`, day)])

const reservations = fc
  .tuple(fc.uuid(), suts, fc.constantFrom(...HOLDERS), window, fc.constantFrom('keep', 'cancel', 'extend'))
  .map(([label, sut, holder, [start, end], then]): Step => {
    return async (lab) => {
      if (!(await lab.reserve(label, sut, holder, start, end)) || then === 'keep') return
      const path = `/api/sut_reservation/${lab.ids.get(label)}/${then}`
      await lab.admin.post(path, then === 'extend' ? { duration: 1800 } : {})
    }
  })

const changes = fc.oneof(
  reservations,
  fc.constantFrom(...TAGS).chain((tags) => ofSut((lab, id) => lab.post(`/api/sut/${id}/tags`, { ...untag, ...tags }))),
  ofSut((lab, id) => lab.post(`/api/sut/${id}/update`, { name: 'inside', description: 'renamed', is_active: false })),
  ofSut((lab, id) => lab.post(`/api/sut/${id}/update`, { is_active: true })),
  ofSut((lab, id) => lab.post(`/api/sut/${id}/monitoring`, { enabled: true })),
  fc.constant((lab: Lab) => lab.addSut(`more ${lab.ids.size}`, { team: 'qa2' }, { sut_type: 'tcp' })),
  fc.constant((lab: Lab) => lab.addUser(`more ${lab.ids.size}`, lab.ids.size % 2 === 0 ? 'tester' : 'auditor')),
  fc.constant((lab: Lab) => lab.post(`/api/user/${lab.ids.get('otto')}/update`, { name: `otto ${lab.ids.size}` })),
  fc.constant((lab: Lab) => lab.post(`/api/user/${lab.ids.get('otto')}/token`, { name: 'ci' })),
)

/** Steps at random places of the story inside. */
export const outsideSteps = (last: number): fc.Arbitrary<readonly Placed[]> =>
  fc.array(fc.record({ before: fc.integer({ min: THEIRS, max: last }), step: changes }), {
    minLength: 3,
    maxLength: 12,
  })
