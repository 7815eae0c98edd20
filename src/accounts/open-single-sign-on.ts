import type { Runner } from '../commands/command-envelope.ts'
import { makeProvisionUser } from '../commands/users/provision-user.ts'
import type { Config } from '../config/config.ts'
import type { RandomHex } from '../domain/values/ids.ts'
import { makeUsedTickets } from '../http/console/used-tickets.ts'
import { makeSingleSignOn, noSingleSignOn, type SingleSignOnHandlers } from '../http/routes/login/single-sign-on.ts'
import type { Alarms } from '../telemetry/alarms.ts'
import type { LoginSessions } from '../users/login-sessions.ts'
import { openProvider } from '../users/oidc/provider.ts'
import type { Users } from '../users/users.ts'
import { makeSignInTransactions } from '../vault/derived/sign-in-transactions.ts'
import type { Vault } from '../vault/vault.ts'

/** Raises an alarm while the provider gives the last administrator another role, until there is another one. */
const makeOnAdmitted = ({ alarms, users }: { alarms: Alarms; users: Pick<Users, 'byId' | 'list' | 'onChange'> }) => {
  let kept: string | undefined
  const clear = (): void => {
    kept = undefined
    alarms.clear('lastAdministrator', 'the last administrator need not keep its role any more')
  }
  const isAlone = (id: string): boolean =>
    users.byId(id)?.role === 'administrator' &&
    !users.list().some(({ _id, role }) => _id !== id && role === 'administrator')
  users.onChange(() => {
    if (kept !== undefined && !isAlone(kept)) clear()
  })
  return (id: string, isLastAdministrator: boolean): void => {
    if (isLastAdministrator) {
      kept = id
      const sentence = `the provider makes the user ${id} no administrator any more, who is the last one and stays it`
      alarms.raise('lastAdministrator', sentence)
    } else if (kept === id) clear()
  }
}

export interface SingleSignOnOptions {
  readonly config: Pick<Config, 'oidc' | 'quotaDefault'>
  readonly users: Users
  readonly sessions: LoginSessions
  readonly vault: Vault
  readonly runner: Runner
  readonly alarms: Alarms
  readonly log: Record<'info' | 'warn', (facts: object, sentence: string) => void>
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly randomBytes: (size: number) => Uint8Array
  readonly randomHex: RandomHex
}

/** Starts to follow the provider, if there is one. `close` ends that. */
export const openSingleSignOn = (
  options: SingleSignOnOptions,
): { readonly handlers: SingleSignOnHandlers; readonly close: () => void } => {
  const { config, users, sessions, vault, runner, log, clock, randomBytes, randomHex } = options
  const { oidc, quotaDefault } = config
  if (oidc === undefined) return { handlers: noSingleSignOn, close: () => undefined }
  const provider = openProvider({ ...oidc, log })
  const handlers = makeSingleSignOn({
    ...{ provider, roles: oidc.roles, users, sessions, clock, randomBytes },
    transactions: makeSignInTransactions(vault.keys, randomBytes),
    used: makeUsedTickets(clock),
    provisionUser: makeProvisionUser({ runner, people: users, vault, quotaDefault, clock, randomHex }),
    onAdmitted: makeOnAdmitted(options),
    onFailure: (reason, requestId) => log.warn({ reason, request_id: requestId }, 'a single sign-on failed'),
  })
  return { handlers, close: provider.close }
}
