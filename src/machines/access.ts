import type { SignedIn } from '../accounts/signed-in.ts'
import type { GatewayConfig } from '../config/gateway.ts'
import type { EventStore } from '../event-store/event-store.ts'
import { type Consoles, type ConsolesOptions, makeConsoles } from '../http/console/consoles.ts'
import { makeObjects } from '../http/response/objects.ts'
import { makeCheckConsole } from '../http/routes/access/console-ticket.ts'
import { makeTargetOf } from '../processes/targets.ts'
import type { Views } from '../read-models/views.ts'
import type { Users } from '../users/users.ts'
import type { ForwardedRegistry } from './forwarded.ts'
import { isStillHolder, makeTicketHolder } from './holder.ts'

export interface AccessOptions
  extends Omit<ConsolesOptions, 'check' | 'forwarded' | 'holder' | 'isHolder' | 'onAccessChange'> {
  readonly gateway: Pick<GatewayConfig, 'isOn' | 'suts'>
  readonly views: Views
  readonly store: EventStore
  readonly users: Users
  readonly signedIn: SignedIn
  readonly forwarded: ForwardedRegistry
}

/** Makes what HTTP needs of the gateway: which SUTs are forwarded here, and consoles. */
export const makeAccess = (options: AccessOptions) => {
  const { gateway, views, store, users, signedIn, forwarded, clock } = options
  const objects = makeObjects(views, store)
  const targetOf = makeTargetOf(views, gateway.suts)
  const isOurs = (sutId: string): boolean => gateway.isOn && targetOf(sutId)?.isOurs === true
  const checkConsole = makeCheckConsole({ objects, forwarded, isOurs, clock })
  const consoles: Consoles = makeConsoles({
    ...options,
    check: checkConsole,
    holder: makeTicketHolder(users, signedIn),
    isHolder: (user) => isStillHolder(users, signedIn, user),
    onAccessChange: signedIn.onChange,
  })
  return { objects, isOurs, checkConsole, consoles }
}
