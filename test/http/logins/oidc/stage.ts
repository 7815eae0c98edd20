import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { CLIENT_ID, CLIENT_SECRET, type LabProvider, startLabProvider } from '../../../users/oidc/lab-provider.ts'
import { signInAt } from '../../../users/oidc/walk.ts'
import type { Answer } from '../../client.ts'
import { type Running, type Setting, start, type Tidying, temporaryData } from '../../harness.ts'

const PUBLIC_URL = 'http://127.0.0.1:9'
export const REDIRECT_URI = `${PUBLIC_URL}/login/callback`
export const ROLES = 'lab-admins=administrator,qa=tester,managers=auditor'

/** What a browser brings to the end of a sign-in. */
export interface End {
  readonly code: string
  readonly state: string
  readonly iss: string
  readonly transaction: string
}

/** The variables of a service that signs people in with a provider. */
export const environmentFor = async (
  t: Tidying,
  issuer: string,
  publicUrl = PUBLIC_URL,
): Promise<Readonly<Record<string, string>>> => {
  const file = join(await temporaryData(t), 'client.secret')
  await writeFile(file, CLIENT_SECRET)
  return {
    BERTH_OIDC_ISSUER: issuer,
    BERTH_OIDC_CLIENT_ID: CLIENT_ID,
    BERTH_OIDC_CLIENT_SECRET_FILE: file,
    BERTH_OIDC_ROLES: ROLES,
    BERTH_PUBLIC_URL: publicUrl,
  }
}

/** A provider that knows Anna of the quality assurance and Zoë, who manages the lab. */
export const startLab = async (t: Tidying): Promise<LabProvider> => {
  const lab = await startLabProvider(t, { redirectUri: REDIRECT_URI })
  lab.people.set('anna', { preferred_username: 'Anna', email: 'anna@lab.example', groups: ['qa'] })
  lab.people.set('zoe', { preferred_username: 'Zoë', groups: ['managers', 'lab-admins', 'qa'] })
  return lab
}

/** A service, and a real provider that it signs people in with. */
export const startWithLab = async (t: ExecutionContext, setting: Setting = {}) => {
  const lab = await startLab(t)
  const environment = { ...(await environmentFor(t, lab.issuer)), ...setting.environment }
  const data = setting.data ?? (await temporaryData(t))
  return { lab, service: await start(t, { ...setting, data, environment }) }
}

/** Begins a sign-in, as a browser does, and comes back from the provider. */
export const comeBack = async ({ anyone }: Pick<Running, 'anyone'>, name: string): Promise<End> => {
  const begun = await anyone.post('/api/login/oidc/start', {})
  if (begun.status !== 200) throw new Error(begun.text)
  const { searchParams } = await signInAt(String(begun.json.url), name, REDIRECT_URI)
  const get = (parameter: string): string => searchParams.get(parameter) ?? ''
  return { code: get('code'), state: get('state'), iss: get('iss'), transaction: String(begun.json.transaction) }
}

export const finish = ({ anyone }: Pick<Running, 'anyone'>, end: object): Promise<Answer> =>
  anyone.post('/api/login/oidc/finish', end)

/** Signs somebody in, from the beginning to the end. */
export const signOn = async (service: Pick<Running, 'anyone'>, name: string): Promise<Answer> =>
  finish(service, await comeBack(service, name))
