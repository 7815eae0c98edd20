import test, { type ExecutionContext } from 'ava'
import type { EventStore } from '../../../../src/event-store/event-store.ts'
import { makeMeeting, twoInstances } from '../../../users/instances/stage.ts'
import { statusWith } from '../login.ts'
import { comeBack, environmentFor, finish, startLab } from './stage.ts'

/** Two instances with one provider. Two sign-ins are decided on the same users before one of them is recorded. */
const meeting = async (
  t: ExecutionContext,
  breaks: () => (store: EventStore) => EventStore = () => (store) => store,
) => {
  const lab = await startLab(t)
  const environment = await environmentFor(t, lab.issuer)
  const { arrange, change } = makeMeeting()
  const broken = breaks()
  const two = await twoInstances(t, { environment, change: () => (store) => broken(change(store)) })
  return { lab, arrange, ...two }
}

const added = (log: readonly { type: string }[]): number => log.filter(({ type }) => type === 'UserAdded').length

test('thorough: two first sign-ins of one person at two instances add one user', async (t) => {
  const { one, other, arrange, log, lab } = await meeting(t)
  const before = added(await log())
  const rounds = 5
  for (let round = 0; round < rounds; round++) {
    lab.people.set(`p${round}`, { groups: ['qa'] })
    const ends = await Promise.all([comeBack(one, `p${round}`), comeBack(other, `p${round}`)])
    arrange()
    const [first, second] = await Promise.all([finish(one, ends[0]), finish(other, ends[1])])
    t.is(first.status, 200, first.text)
    t.is(second.status, 200, second.text)
    t.is(first.json._id, second.json._id)
    t.is(await statusWith(other, String(first.json.session)), 200, 'each accepts the session of the other')
  }
  t.is(added(await log()), before + rounds)
})

test('a sign-in ends at another instance than where it began', async (t) => {
  const { one, other } = await meeting(t)
  t.is((await finish(other, await comeBack(one, 'anna'))).status, 200)
})
