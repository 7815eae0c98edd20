import type { Example } from '../../../../src/http/documents/openapi/examples.ts'
import type { Tidying } from '../../harness.ts'
import { comeBack, type End, environmentFor, startLab } from '../../logins/oidc/stage.ts'
import { SESSION } from './logins.ts'
import { makeAsk, startStory } from './story.ts'

const [START, FINISH] = ['POST /api/login/oidc/start', 'POST /api/login/oidc/finish'] as const

/** What the examples show in place of random values and of the addresses of a test. */
const SHOWN = {
  url: 'https://login.lab.example/realms/lab/auth?client_id=berth&response_type=code&scope=openid+profile+email&redirect_uri=https%3A%2F%2Fberth.lab.example%2Flogin%2Fcallback&state=vRz0v0vC8H0mYc3b7wq1&nonce=hQm2j5sZyq7n1tPd8xKe&code_challenge=9JkX2rW7vTq0LmB4cNf6&code_challenge_method=S256',
  transaction: 'q8Zl1mVbU3T7yKxN2cWd5RfGhJkLpQsXvBnMzA9e0rTyUiOp',
  code: 'SplxlOBeZQQYbYS6WxSbIA',
  state: 'vRz0v0vC8H0mYc3b7wq1',
  iss: 'https://login.lab.example/realms/lab',
} as const

/** Shows an example without what differs from run to run. */
const tidied = (example: Example, end: End, id: string): Example => {
  const texts: readonly (readonly [string, string])[] = [
    ...(['transaction', 'code', 'state', 'iss'] as const).map((name) => [end[name], SHOWN[name]] as const),
    [id, '590780914445534540190007'],
  ]
  const text = texts.reduce((shown, [from, to]) => shown.replaceAll(from, to), JSON.stringify(example))
  const { body, ...others } = JSON.parse(text) as Example & { body: Record<string, unknown> }
  return {
    ...others,
    body: {
      ...body,
      ...('url' in body && { url: SHOWN.url, transaction: SHOWN.transaction }),
      ...('session' in body && { session: SESSION }),
    },
  } as Example
}

/** Examples of a sign-in with a real provider, and of what is refused. */
export const tellSingleSignOn = async (t: Tidying): Promise<readonly Example[]> => {
  const lab = await startLab(t)
  const examples: Example[] = []
  const service = await startStory(t, { environment: { ...(await environmentFor(t, lab.issuer)) } })
  const ask = makeAsk(service, examples)
  await ask(START, 'From the page', { who: '', body: {} })
  const end = await comeBack(service, 'anna')
  const { _id } = await ask(FINISH, 'The first sign-in', { who: '', body: end })
  await ask(FINISH, 'Once more', { who: '', body: end })
  lab.people.set('anna', { groups: ['guests'] })
  const without = await comeBack(service, 'anna')
  await ask(FINISH, 'No group brings a role', { who: '', body: without })
  lab.people.set('anna', { groups: ['qa'] })
  await service.as('admin').post(`/api/user/${_id}/remove`, { reservations: 'keep' })
  const removed = await comeBack(service, 'anna')
  await ask(FINISH, 'A removed user', { who: '', body: removed })
  const waiting = await comeBack(service, 'anna')
  await lab.away()
  await ask(FINISH, 'The provider is away', { who: '', body: waiting })
  const before = examples.length
  const plain = makeAsk(await startStory(t), examples)
  await plain(START, 'There is none', { who: '', body: {} })
  const ends = [end, end, end, without, removed, waiting]
  return examples.map((example, n) => (n < before ? tidied(example, ends[n] as End, String(_id)) : example))
}
