import type { Runner } from '../commands/command-envelope.ts'
import { BERTH } from '../commands/listen-ports.ts'
import { eraseUser, makeIsRemovalInForce } from '../commands/users/removal-in-force.ts'
import { revokeTokens } from '../commands/users/revoke-tokens.ts'
import { makeEventId, type RandomHex } from '../domain/values/ids.ts'
import type { EventStore } from '../event-store/event-store.ts'
import { type RemovalsOptions, runRemovals } from '../processes/removals.ts'
import type { Users } from '../users/users.ts'

interface FinishOptions extends Pick<RemovalsOptions, 'endReservations' | 'isServing' | 'pause' | 'signal'> {
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly log: { readonly error: (facts: object, sentence: string) => void }
  readonly randomHex: RandomHex
  readonly store: Pick<EventStore, 'eraseSecrets'>
  readonly users: Pick<Users, 'members'>
  readonly runner: Pick<Runner, 'run' | 'inspect'>
}

/** Finishes removals and erasures until the signal aborts. */
export const finishRemovals = ({
  clock,
  log,
  randomHex,
  store,
  users,
  runner,
  ...options
}: FinishOptions): Promise<void> => {
  const isInForce = makeIsRemovalInForce(runner)
  const makeRequestId = (): string => makeEventId(clock(), randomHex(10))
  return runRemovals({
    ...options,
    clock,
    removed: () => users.members().filter(({ removal }) => removal !== null),
    revokeTokens: (removal) =>
      revokeTokens(runner, removal.user_id, {
        actor: BERTH,
        makeRequestId,
        isStillDue: () => isInForce(removal),
      }),
    erased: () => users.members().flatMap(({ _id, status }) => (status === 'erased' ? [_id] : [])),
    eraseSecrets: (id) => eraseUser(store, id),
    makeRequestId,
    onError: (error) => log.error({ err: error }, 'what a removed user left was not ended; retrying'),
  })
}
