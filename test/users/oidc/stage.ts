import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import type { Configuration } from 'oidc-provider'
import { makeProvider, type Provider, type SignInChecks } from '../../../src/users/oidc/provider.ts'
import { temporaryData } from '../../http/harness.ts'
import { type ChangeRequest, CLIENT_ID, CLIENT_SECRET, type LabProvider, startLabProvider } from './lab-provider.ts'
import { signInAt } from './walk.ts'

export const REDIRECT_URI = 'http://127.0.0.1:9/login/callback'

export const checksOf = (n = 1): SignInChecks => ({
  state: `state-${n}`,
  nonce: `nonce-${n}`,
  verifier: String(n).repeat(43).slice(0, 43),
})

export interface Stage {
  readonly lab: LabProvider
  readonly provider: Provider
  readonly secretFile: string
  /** Signs somebody in at the provider, and returns what the browser is sent back with. */
  readonly comeBack: (name: string, checks?: SignInChecks) => Promise<{ code: string; state: string; iss: string }>
}

/** A real provider that knows Anna, and the module that asks it. */
export const openStage = async (
  t: ExecutionContext,
  {
    configuration = {},
    changeRequest,
    ...more
  }: {
    configuration?: Configuration
    changeRequest?: ChangeRequest
    claim?: string
    issuer?: string
    now?: () => number
  } = {},
): Promise<Stage> => {
  const lab = await startLabProvider(t, { redirectUri: REDIRECT_URI, configuration, changeRequest })
  lab.people.set('anna', { preferred_username: 'Anna', email: 'anna@lab.example', groups: ['qa', 'lab'] })
  const secretFile = join(await temporaryData(t), 'client.secret')
  await writeFile(secretFile, `${CLIENT_SECRET}\n`)
  const provider = makeProvider({
    ...{ issuer: lab.issuer, clientId: CLIENT_ID, clientSecretFile: secretFile, claim: 'groups' },
    redirectUri: REDIRECT_URI,
    ...more,
  })
  const comeBack: Stage['comeBack'] = async (name, checks = checksOf()) => {
    const { searchParams } = await signInAt(await provider.signInUrl(checks), name, REDIRECT_URI)
    const [code, state, iss] = ['code', 'state', 'iss'].map((each) => searchParams.get(each) ?? '') as [
      string,
      string,
      string,
    ]
    return { code, state, iss }
  }
  return { lab, provider, secretFile, comeBack }
}
