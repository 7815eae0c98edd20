import test from 'ava'
import { twoInstances } from '../../../users/instances/stage.ts'
import { comeBack, environmentFor, finish, startLab } from './stage.ts'

test('a sign-in ends at another instance than where it began', async (t) => {
  const provider = await startLab(t)
  const { one, other } = await twoInstances(t, { environment: await environmentFor(t, provider.issuer) })
  t.is((await finish(other, await comeBack(one, 'anna'))).status, 200)
})
