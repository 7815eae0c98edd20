import { makeUsedTickets } from '../../http/console/used-tickets.ts'
import type { SingleSignOn } from '../../http/routes/parts.ts'
import { makeProvider } from '../../users/oidc/provider.ts'
import { makeSealer } from '../../vault/derived/sealer.ts'
import type { Lab } from '../core/base.ts'

/** Raises an alarm while the provider gives the last administrator another role, until there is another one. */
const makeOnAdmitted = ({ alarms, users }: Lab) => {
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

/** The provider, if there is one. */
export const openSingleSignOn = (lab: Lab): SingleSignOn | undefined => {
  const { config, vault, log, clock, randomBytes } = lab
  const { oidc } = config
  if (oidc === undefined) return undefined
  return {
    ...{ provider: makeProvider(oidc), roles: oidc.roles, exchanging: 0 },
    transactions: makeSealer(vault.keys, 'berth sign-in transaction v1', randomBytes),
    used: makeUsedTickets(clock),
    onAdmitted: makeOnAdmitted(lab),
    onFailure: (reason, requestId) => log.warn({ reason, request_id: requestId }, 'a single sign-on failed'),
  }
}
