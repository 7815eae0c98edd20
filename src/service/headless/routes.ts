import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Runner } from '../../commands/order.ts'
import {
  type EndBindings,
  type EndReservations,
  makeEndBindings,
  makeEndReservations,
} from '../../commands/users/end-reservations.ts'
import { eraseUser } from '../../commands/users/erase-user.ts'
import { failure } from '../../domain/failure.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import { RESERVATIONS_REPEATABLE, reservationsQuery } from '../../http/codecs/reservations.ts'
import { getWithQuery, type Route } from '../../http/protocol/route.ts'
import { makeCsvLists } from '../../http/response/csv-lists.ts'
import { makeObjects, type Objects } from '../../http/response/objects.ts'
import { makeUserNames } from '../../http/response/user-names.ts'
import { makeAsOfReads } from '../../http/routes/as-of-reads.ts'
import { isOpen as isServing } from '../../http/routes/health.ts'
import { makeReservationReads } from '../../http/routes/reservation-reads.ts'
import { makeUserHandlers } from '../../http/routes/users/user-handlers.ts'
import { hashedUsersRoute } from '../../http/routes/users/user-import.ts'
import { userRoutes } from '../../http/routes/users/user-routes.ts'
import { makeUnfinished } from '../../read-models/unfinished.ts'
import type { Views } from '../../read-models/views.ts'
import type { Users } from '../../users/users.ts'
import type { Config } from '../config/config.ts'
import type { Core, Opening } from '../open-core.ts'
import { conditionOf } from '../parts.ts'
import type { World } from '../world.ts'

/** Milliseconds that lists and new passwords, and removals with all reservations, wait for views that are behind. */
const LIST_TIMEOUT = 2_000
const REMOVAL_TIMEOUT = 5_000
const POLL_EVERY = 20

export interface People {
  readonly views: Views
  readonly runner: Runner
  readonly users: Users
}

/** Users are shown from the log, so that no command on them waits for the views. */
const fromLogAlone = (views: Views, objects: Objects): Objects => ({
  ...objects,
  asOf: () => undefined,
  after: async (kind, id, stream, { kind: outcome, revision }) =>
    (await views.fromLog(kind, id, revision, stream, outcome === 'already')).version,
})

/** Waits until the views are at the end of the log. Once they were late, nothing waits for them any more. */
const makeWaitForViews = (isReady: () => boolean) => {
  let isLate = false
  return async (within: number): Promise<boolean> => {
    const end = performance.now() + within
    while (!isLate && !isReady()) {
      await delay(POLL_EVERY)
      isLate = performance.now() >= end
    }
    return isReady()
  }
}

/** Ends reservations and bindings, which only the views can find. */
const makeEndings = (
  world: World,
  core: Core,
  { views, runner }: People,
  wait: (within: number) => Promise<boolean>,
) => {
  const ending = { runner, unfinished: makeUnfinished({ views, store: core.store, clock: world.clock }) }
  const [endReservations, endBindings] = [makeEndReservations(ending), makeEndBindings(ending)]
  let isWarned = false
  return {
    // The next service ends them.
    endReservations: async (...given: Parameters<EndReservations>) => {
      if (await wait(REMOVAL_TIMEOUT)) return endReservations(...given)
      throw new StoreUnavailable('the views are behind the log')
    },
    // A lost password must not wait for views of a long log.
    endBindings: async (...given: Parameters<EndBindings>) => {
      if (await wait(LIST_TIMEOUT)) return endBindings(...given)
      if (!isWarned) world.log.warn({}, 'bindings of running reservations were not ended: the views are behind the log')
      isWarned = true
    },
  }
}

/** The routes of users, which need no views, and the list of reservations, which waits for them a while. */
export const makeRoutes = (
  { quotaDefault }: Config,
  world: World,
  opening: Opening,
  core: Core,
  people: People,
): readonly Route[] => {
  const { randomHex, alarms, stage } = opening
  const { store, vault } = core
  const { views, runner, users } = people
  const { clock, randomBytes } = world
  const objects = fromLogAlone(views, makeObjects(views, store))
  const wait = makeWaitForViews(() => isServing(conditionOf({ alarms, views, isUpToDate: () => true, stage })))
  const handlers = makeUserHandlers({
    ...{ runner, objects, users, quotaDefault, vault, store, clock, randomHex, randomBytes },
    ...makeEndings(world, core, people, wait),
    eraseSecrets: (id) => eraseUser(store, id),
  })
  const behind = failure('unavailable', 'The log has not been read yet. Try again.')
  const nameOf = makeUserNames(users)
  const asOf = makeAsOfReads({ objects, views, store, clock })
  const reads = makeReservationReads({ objects, asOf, nameOf, csv: makeCsvLists({ views, nameOf }), clock })
  return [
    ...userRoutes(handlers, async () => E.left(behind)),
    hashedUsersRoute({ runner, users, quotaDefault, vault, clock, randomHex }),
    getWithQuery({
      path: '/api/sut_reservation',
      may: ['administrator'],
      query: reservationsQuery,
      repeatable: RESERVATIONS_REPEATABLE,
      handle: async (call) => ((await wait(LIST_TIMEOUT)) ? reads.list(call) : E.left(behind)),
    }),
  ]
}
