import { makeQuotas, type Quotas } from '../../commands/quotas.ts'
import { userDecider } from '../../domain/user/decide.ts'
import { USERS_STREAM } from '../../domain/values/ids.ts'
import { makeUsages } from '../../read-models/usages.ts'
import { waitForHead } from '../../read-models/wait-for-head.ts'
import { makeCatchUpUsers, NOTHING_TO_CATCH_UP } from '../../users/catch-up.ts'
import { openUsers, type Users } from '../../users/users.ts'
import type { Lab } from '../core/base.ts'

/** How long users count as known after all of them were. */
const KNOWN_FOR_MS = 10_000
const POLL_INTERVAL_MS = 250
/** Between two readings for credentials that are wrong here, which anybody may send. */
const CREDENTIALS_INTERVAL_MS = 1_000

type OpenUsersOptions = Omit<Lab, 'users'>

/** Watches how long ago this instance last knew all users, and whether the vault has other keys. */
const watchKnowledge = ({ views, vault, isShared, opened }: OpenUsersOptions, users: Users) => {
  const isKnown = (): boolean => !users.isFailing() && users.settled() === undefined && (!isShared || views.isCurrent())
  // Users that could not be read at first are not known at all.
  let knownAt = users.isFailing() ? Number.NEGATIVE_INFINITY : performance.now()
  const check = (): boolean => {
    const isKnownNow = isKnown()
    if (isKnownNow) knownAt = performance.now()
    return isKnownNow
  }
  let keys = vault.keys()
  const looking = setInterval(() => {
    check()
    if (vault.keys() === keys) return
    // Secrets that could not be opened are read again. If this fails, an event that could not be read raises the alarm.
    keys = vault.keys()
    users.refresh().catch(() => undefined)
  }, POLL_INTERVAL_MS)
  looking.unref()
  opened.defer(() => clearInterval(looking))
  return (): boolean => check() || performance.now() - knownAt < KNOWN_FOR_MS
}

/** Opens the users, who follow the log. An alarm says when they cannot be read. */
export const openAllUsers = async (options: OpenUsersOptions) => {
  const { runner, views, vault, store, alarms, isShared, opened } = options
  const users = await openUsers({
    isShared,
    readState: () => runner.inspect(userDecider, USERS_STREAM, (state) => state),
    readSecrets: (ids) => vault.readUsers(...ids),
    watch: (listener) =>
      views.watch((events) => {
        if (events.some(({ stream }) => stream === USERS_STREAM)) listener()
      }),
    onError: (error) => alarms.raise('users', 'the users cannot be read; retrying', error),
    onRecovery: () => alarms.clear('users', 'the users can be read again'),
  })
  opened.defer(users.close)
  return {
    users,
    /** Whether the users are those of the log, or were a moment ago. */
    isUpToDate: watchKnowledge(options, users),
    /** Credentials that are wrong here may be those of a user or token that another instance has just made. */
    catchUp: isShared
      ? makeCatchUpUsers(() => Promise.all([users.refresh(), waitForHead(views, store)]), CREDENTIALS_INTERVAL_MS)
      : NOTHING_TO_CATCH_UP,
  }
}

export const openQuotas = ({ config, users, views, clock, opened }: Lab): Quotas => {
  const usages = makeUsages({ views, clock })
  opened.defer(usages.close)
  return makeQuotas({
    quotaOf: (userId) => {
      const member = users.member(userId)
      return member?.role === 'tester' ? (member.quota ?? config.quotaDefault) : undefined
    },
    usageOf: usages.of,
    waitForViews: (storePosition) => views.waitForStorePosition(storePosition),
  })
}
