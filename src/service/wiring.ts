import * as E from 'fp-ts/lib/Either.js'
import type { SignedIn } from '../accounts/signed-in.ts'
import { makeRotatingIdempotencyKeys } from '../commands/idempotency-key.ts'
import type { Runner } from '../commands/order.ts'
import { makeInFlight } from '../commands/turns/in-flight.ts'
import type { Config } from '../config/config.ts'
import { fits } from '../domain/user/scope.ts'
import { makeEventId, type RandomHex } from '../domain/values/ids.ts'
import { type Changes, makeChanges } from '../feed/changes/changes.ts'
import { type Feed, makeFeed } from '../feed/feed.ts'
import { isOwnAddress } from '../gateway/connections/own-addresses.ts'
import type { AppDependencies } from '../http/app.ts'
import { makeGate } from '../http/authentication/gate.ts'
import type { Consoles } from '../http/console/consoles.ts'
import type { ClientAddresses } from '../http/protocol/client-address.ts'
import { documentResponse } from '../http/response/objects.ts'
import { makeStoredResponse } from '../http/response/stored-response.ts'
import { makeUserNames } from '../http/response/user-names.ts'
import { userResponse } from '../http/routes/users/user-response.ts'
import type { Listening } from '../http/server/listen.ts'
import { openMonitor } from '../machines/open-monitor.ts'
import { type AuthenticatorOptions, makeAuthenticator } from '../users/authenticate.ts'
import { logResumed } from './open-views.ts'
import type { Parts } from './parts.ts'
import { pauseBriefly } from './processes.ts'
import type { World } from './world.ts'

/** Whether a port is the service's own, or may be a listen port. */
const isOwnPort = ({ port, listenPorts: { first, last } }: Config, own: number): boolean =>
  own === port || (own >= first && own <= last)

/** The monitor of this instance, not yet started. */
export const openOwnMonitor = (
  config: Config,
  { clock, sinceBoot, log, wake = pauseBriefly }: World,
  randomHex: RandomHex,
  { views, vault, processClock, instance, metrics, sessions, forwarded }: Parts,
  ...[runner, isOpen]: readonly [Runner, () => boolean]
) =>
  openMonitor({
    ...{ views, runner, vault, clock: processClock, sinceBoot, instance, isOpen, log, wake, now: clock },
    isOurs: ({ tags }) => fits(tags, config.gateway.suts),
    useOf: (sutId) => sessions.useOf(sutId),
    isOwn: (address, port) => isOwnAddress(address, port, (own) => isOwnPort(config, own)),
    makeRequestId: () => makeEventId(clock(), randomHex(10)),
    onProbe: metrics.probed,
    hold: forwarded.hold,
  })

/** The streams of the log and of what changes. */
export const openStreams = (
  { origin }: Config,
  { log, ...limits }: World,
  randomHex: RandomHex,
  { store, views, users: known, metrics }: Parts,
  signedIn: SignedIn,
): { readonly feed: Feed; readonly changes: Changes } => {
  const shared = {
    ...{ store, views, users: signedIn },
    randomByte: () => Number.parseInt(randomHex(1), 16),
    onError: (error: unknown) => log.error({ err: error }, 'event stream failed'),
  }
  return {
    feed: makeFeed({
      ...{ ...shared, origin, limits: limits.feed },
      measures: metrics.feed,
      onResumed: logResumed(log),
    }),
    changes: makeChanges({ ...shared, known, limits: limits.changes, measures: metrics.changes }),
  }
}

/** Ends streams and waits at once, while other requests are drained: they would not end by themselves in time. */
export const closeWithStreams = (
  listening: Listening,
  { feed, changes }: ReturnType<typeof openStreams>,
  consoles: Consoles,
  { endWaits }: Parts['forwarded'],
): Listening => ({
  ...listening,
  close: async (within) => {
    const closed = listening.close(within)
    consoles.close()
    endWaits()
    await Promise.all([feed.close(), changes.close()])
    await closed
  },
})

type Making = Pick<
  Parts,
  | 'store'
  | 'views'
  | 'users'
  | 'vault'
  | 'clientPseudonyms'
  | 'metrics'
  | 'isUpToDate'
  | 'catchUpNames'
  | 'catchUpTokens'
>

/** What the application needs of the parts. */
export const dependenciesOf = (
  { store, views, users, vault, clientPseudonyms, metrics, isUpToDate, catchUpNames, catchUpTokens }: Making,
  { clock, randomBytes }: World,
  addresses: ClientAddresses,
  signedIn: Pick<AuthenticatorOptions, 'tokens' | 'sessions'>,
): Omit<AppDependencies, 'routes' | 'isOpen' | 'randomHex' | 'onError' | 'onUnavailable' | 'onAnswered'> => {
  const repeated = makeStoredResponse(views, (kind, version, created) =>
    kind === 'user' ? userResponse(users, version, created) : documentResponse(kind, version, created),
  )
  const authenticator = makeAuthenticator({ users, catchUpNames, catchUpTokens, ...signedIn, randomBytes })
  return {
    gate: makeGate({ isUpToDate, authenticator, addresses, clock, randomBytes }),
    idempotencyKeys: makeRotatingIdempotencyKeys(vault.keys),
    inFlight: makeInFlight(),
    repeated: (key) => {
      const answer = repeated(key)
      if (answer !== undefined && E.isRight(answer)) metrics.retryAnswered()
      return answer
    },
    views,
    synced: () => store.synced?.(),
    clock,
    addressOf: addresses.clientOf,
    pseudonymOf: clientPseudonyms.of,
    userNameOf: makeUserNames(users),
  }
}
