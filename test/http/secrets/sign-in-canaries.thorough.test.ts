/** What single sign-on works with is in no file, log line or answer of the service. */

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { canonicalJson } from '../../../src/domain/values/canonical-json.ts'
import type { SignInTransaction } from '../../../src/http/routes/parts.ts'
import { makeSealer } from '../../../src/vault/derived/sealer.ts'
import { type Service, serve } from '../../process/harness.ts'
import { CLIENT_SECRET, type LabProvider } from '../../users/oidc/lab-provider.ts'
import { ringIn } from '../../vault/setting.ts'
import { temporaryData } from '../harness.ts'
import { bearer } from '../logins/login.ts'
import { comeBack, type End, environmentFor, finish, startLab } from '../logins/oidc/stage.ts'
import { leaks, placeOf, writtenBy } from './canary.ts'
import { canary } from './secret-requests.ts'

interface Stage {
  readonly data: string
  readonly lab: LabProvider
  readonly service: Service
  /** The login of somebody at the provider, which is the subject there. */
  readonly subject: string
  /** Access and ID tokens of the provider. */
  readonly tokens: readonly string[]
}

const stage = async (t: ExecutionContext): Promise<Stage> => {
  const lab = await startLab(t)
  const data = await temporaryData(t)
  const env = { ...(await environmentFor(t, lab.issuer)), BERTH_LOG_LEVEL: 'trace' }
  const [subject, tokens] = [canary(), [] as string[]]
  lab.people.set(subject, { preferred_username: canary(), email: canary(), groups: ['qa', canary()] })
  lab.forge((path, { status, body }) => {
    if (path !== '/token' || status !== 200) return undefined
    const { access_token, id_token } = JSON.parse(body.toString())
    tokens.push(access_token, ...id_token.split('.').slice(1))
    return undefined
  })
  return { data, lab, service: await serve(t, { data, env }), subject, tokens }
}

/** What only the browser and the provider know of a sign-in. */
const soughtOf = async ({ data }: Stage, { code, transaction }: End): Promise<Readonly<Record<string, Buffer>>> => {
  const ring = await ringIn(join(data, 'vault.key'))
  const sealer = makeSealer<SignInTransaction>(() => ring, 'berth sign-in transaction v1', randomBytes)
  const opened = sealer.open(transaction)
  const { state = '', nonce = '', verifier = '' } = opened ?? {}
  const named = Object.entries({ code, transaction, state, nonce, verifier })
  return Object.fromEntries(named.map(([name, text]) => [`the ${name} ${text}`, Buffer.from(text)]))
}

const soughtAlways = ({ lab, subject }: Stage): Readonly<Record<string, Buffer>> => {
  // A short one would be found by chance.
  const claims = Object.values(lab.people.get(subject) ?? {})
    .flat()
    .filter((text) => text !== 'qa')
  return {
    'the client secret': Buffer.from(CLIENT_SECRET),
    'the subject': Buffer.from(subject),
    'the identity': Buffer.from(canonicalJson([lab.issuer, subject])),
    ...Object.fromEntries(claims.map((text) => [`the claim ${text}`, Buffer.from(String(text))])),
  }
}

const everywhere = ({ data, service }: Stage) => writtenBy(service, data)

/** Sign-ins that end well, twice, with a forged code, while the provider is away, and of somebody without a role. */
const signInInEveryWay = async (given: Stage) => {
  const { lab, service, subject } = given
  const anyone = { anyone: service }
  const back = () => comeBack(anyone, subject)
  const ends = [await back(), await back(), await back(), await back()] as const
  const [good, forged, away, roleless] = ends
  const done = await finish(anyone, good)
  const answers = [await finish(anyone, good), await finish(anyone, { ...forged, code: good.code })]
  await lab.away()
  answers.push(await finish(anyone, away))
  await lab.back()
  lab.people.set(subject, { ...lab.people.get(subject), groups: [] })
  answers.push(await finish(anyone, roleless), await finish(anyone, { ...away, subject }))
  const session = String(done.json.session)
  answers.push(await service.get('/metrics'), await service.get('/api/events?limit=1000'))
  answers.push(await service.get('/api/user/me/history', bearer(session)))
  return { done, ends, answers }
}

test('nothing that a sign-in works with is in any file, log line or further answer, even after a crash', async (t) => {
  const given = await stage(t)
  const always = soughtAlways(given)
  const { done, ends, answers } = await signInInEveryWay(given)
  t.is(done.status, 200, done.text)
  t.deepEqual(
    answers.map(({ status }) => status),
    [403, 403, 502, 403, 422, 200, 200, 200],
  )
  t.true(given.tokens.length >= 4, 'tokens of the provider were seen')
  const ofEnds = await Promise.all(ends.map((end) => soughtOf(given, end)))
  const ofTokens = given.tokens.map((token, n) => [`part ${n} of the tokens`, Buffer.from(token)])
  const sought = Object.assign({}, always, Object.fromEntries(ofTokens), ...ofEnds)
  t.deepEqual(leaks(sought, [...answers.map(placeOf), ...(await everywhere(given))]), [])
  given.service.signal('SIGKILL')
  await given.service.exited
  t.deepEqual(leaks(sought, await everywhere(given)), [])
})
