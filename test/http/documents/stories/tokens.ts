import { TOKENS_MAX } from '../../../../src/domain/token/decide.ts'
import type { Example } from '../../../../src/http/documents/openapi/examples.ts'
import { idOf, type Running, type Tidying } from '../../harness.ts'
import { makeAsk, startStory } from './story.ts'

/** What the examples show in place of a token, whose bytes are always random, and of its id. */
const [TOKEN, ID] = ['berth_nD4g2-bLFpjX5uObY7b7hHHl79dZ9wAkN5-5UbAS6w0', '9c3e20dbe6cb1698d7e6e39b']

const ISSUE = 'POST /api/user/:id/token'

/** Examples of a token from its issue to its revocation. */
export const tellTokens = async (service: Running, examples: Example[]): Promise<void> => {
  const own: Example[] = []
  const ask = makeAsk(service, own)
  const made = await ask(ISSUE, 'For a pipeline', {
    at: 'me',
    who: 'alice',
    body: { name: 'nightly build', expires_in: 7_776_000 },
  })
  await ask(ISSUE, 'With a role that the user does not have', {
    at: idOf('alice'),
    body: { name: 'deploy', role: 'administrator' },
  })
  await ask('GET /api/user/:id/token', 'One', { at: 'me', who: 'alice' })
  const revoke = 'POST /api/user/:id/token/:token/revoke'
  const about = { at: 'me', token: String(made._id), who: 'alice', body: {} }
  await ask(revoke, 'It is no longer used', about)
  await ask(revoke, 'It was revoked before', about)
  const text = JSON.stringify(own).replaceAll(String(made.token), TOKEN).replaceAll(String(made._id), ID)
  examples.push(...(JSON.parse(text) as readonly Example[]))
}

/** Tokens that are asked for at once. A thousand would wait for each other longer than a request may. */
const AT_ONCE = 50

/** A user who has as many tokens as one may have. */
export const tellTooManyTokens = async (t: Tidying): Promise<readonly Example[]> => {
  const examples: Example[] = []
  const service = await startStory(t)
  const issue = (n: number) => service.as('alice').post('/api/user/me/token', { name: `job ${n}` })
  for (let made = 0; made < TOKENS_MAX; made += AT_ONCE) {
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => issue(made + n)))
    const refused = answers.find(({ status }) => status !== 201)
    if (refused !== undefined) throw new Error(refused.text)
  }
  await makeAsk(service, examples)(ISSUE, 'One more than a thousand', {
    at: 'me',
    who: 'alice',
    body: { name: 'one more' },
  })
  return examples
}
