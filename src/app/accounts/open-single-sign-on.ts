import { makeUsedTickets } from '../../http/console/used-tickets.ts'
import type { SingleSignOn } from '../../http/routes/parts.ts'
import { makeProvider } from '../../users/oidc/provider.ts'
import { makeSealer } from '../../vault/derived/sealer.ts'
import type { Lab } from '../core/base.ts'

/** The provider, if there is one. */
export const openSingleSignOn = (lab: Lab): SingleSignOn | undefined => {
  const { config, vault, log, clock, randomBytes } = lab
  const { oidc } = config
  if (oidc === undefined) return undefined
  return {
    ...{ provider: makeProvider(oidc), roles: oidc.roles, exchanging: 0 },
    transactions: makeSealer(vault.keys, 'berth sign-in transaction v1', randomBytes),
    used: makeUsedTickets(clock),
    warn: (facts, sentence) => log.warn(facts, sentence),
  }
}
