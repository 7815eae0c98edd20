import { at, INSIDE, type Lab, SCOPE } from './lab.ts'

/** What happens in every lab: all that alice may know of. */

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
