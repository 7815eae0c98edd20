import test, { type ExecutionContext } from 'ava'
import type { Answer } from '../../http/client.ts'
import { idOf, type Running } from '../../http/harness.ts'
import { until } from '../../http/until.ts'
import { rounds } from '../../thorough.ts'
import { codesOf, makeMeeting, type Two, twoInstances } from './stage.ts'

/**
 * Two administrators on two instances. In each round, both commands are decided on the same users before one of them is
 * recorded.
 */

/** Two instances whose commands meet. */
const meeting = async (t: ExecutionContext) => {
  const { arrange, change } = makeMeeting()
  return { arrange, ...(await twoInstances(t, { change: () => change })) }
}

/** In two cases. */
const namesOf = (round: number): readonly [string, string] => [`straße ${round}`, `STRASSE ${round}`]

const PASSWORD = 'long enough to be taken'

const addTwo = ({ one, other }: Two, round: number): Promise<readonly Answer[]> => {
  const add = (service: Running, name: string) =>
    service.as('admin').post('/api/user/create', { name, role: 'auditor', password: PASSWORD })
  const [name, same] = namesOf(round)
  return Promise.all([add(one, name), add(other, same)])
}

const ADDED = [[201], [409, 'user_name_taken']]

/** The names of all users whose names begin with a word, folded. */
const namesAt = async (service: Running): Promise<readonly string[]> =>
  ((await service.as('admin').get('/api/user?limit=1000')).json.users as readonly { name: string }[])
    .map(({ name }) => name.toUpperCase())
    .filter((name) => name.startsWith('STRASSE'))

test('of two administrators adding one name in two cases, one succeeds, in every round', async (t) => {
  const two = await meeting(t)
  const count = rounds(4, 20)
  for (let round = 0; round < count; round++) {
    two.arrange()
    t.deepEqual(codesOf(await addTwo(two, round)), ADDED)
  }
  const added = (await two.log()).filter(({ type }) => type === 'UserAdded').length
  t.is(added, 4 + count)
  for (const service of [two.one, two.other]) {
    await until('all are known', async () => (await namesAt(service)).length >= count, 2_000)
    t.is(new Set(await namesAt(service)).size, count)
    t.is((await namesAt(service)).length, count)
  }
})

const updateRole = (service: Running, by: string, user: string, role: string): Promise<Answer> =>
  service.as(by).post(`/api/user/${idOf(user)}/update`, { role })

const isAdministrator = async (service: Running, name: string): Promise<boolean> =>
  (await service.as(name).get('/api/user/me')).json.role === 'administrator'

/** Admin and Alice, the only administrators, who are known to both instances as such. */
const twoAdministrators = async ({ one, other }: Two, by: string): Promise<void> => {
  for (const name of ['admin', 'alice']) {
    if (name !== by) await updateRole(one, by, name, 'administrator')
    for (const service of [one, other]) await until('known', () => isAdministrator(service, name), 2_000)
  }
}

const demoteEachOther = ({ one, other }: Two): Promise<readonly Answer[]> =>
  Promise.all([updateRole(one, 'admin', 'alice', 'auditor'), updateRole(other, 'alice', 'admin', 'auditor')])

test('when the last two administrators demote each other at once, one remains, in every round', async (t) => {
  const two = await meeting(t)
  let left = 'admin'
  for (let round = 0; round < rounds(4, 20); round++) {
    await twoAdministrators(two, left)
    two.arrange()
    const answers = await demoteEachOther(two)
    t.deepEqual(codesOf(answers), [[200], [409, 'last_administrator']])
    left = answers[0]?.status === 200 ? 'admin' : 'alice'
  }
})
