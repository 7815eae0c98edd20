import { makeProvisionUser } from '../../commands/users/provision-user.ts'
import { makeUsedTickets } from '../../http/console/used-tickets.ts'
import { makeSingleSignOn, noSingleSignOn } from '../../http/routes/login/single-sign-on.ts'
import type { SingleSignOn } from '../../http/routes/parts.ts'
import type { LoginSessions } from '../../users/login-sessions.ts'
import { openProvider } from '../../users/oidc/provider.ts'
import { makeSignInTransactions } from '../../vault/derived/sign-in-transactions.ts'
import type { Opened } from './opened.ts'

/** Raises an alarm while the provider gives the last administrator another role, until there is another one. */
const makeOnAdmitted = ({ alarms, users }: Pick<Opened, 'alarms' | 'users'>) => {
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

interface SingleSignOnOptions
  extends Pick<
    Opened,
    'config' | 'users' | 'vault' | 'runner' | 'alarms' | 'log' | 'clock' | 'randomBytes' | 'randomHex'
  > {
  readonly sessions: LoginSessions
}

/** Starts to follow the provider, if there is one. `close` ends that. */
export const openSingleSignOn = (
  options: SingleSignOnOptions,
): { readonly handlers: SingleSignOn; readonly close: () => void } => {
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
