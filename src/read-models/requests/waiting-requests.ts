import { hasOffer, type OfferedRequest, type Waiting } from '../../domain/request/waiting.ts'

/** The requests that wait, found without passing through all of them. */
export interface WaitingRequests {
  readonly size: () => number
  readonly get: (_id: string) => Waiting | undefined
  /** In the order in which they go: by priority, then in the order of the stream. */
  readonly ranked: () => IteratorObject<Waiting>
  /** Those with an open offer. */
  readonly offered: () => IteratorObject<OfferedRequest>
  /** Whose requests they are. */
  readonly users: () => Iterable<string>
  readonly isWaiting: (userId: string) => boolean
}

export const makeWaitingRequests = () => {
  const byId = new Map<string, Waiting>()
  /** In the order of the stream. */
  const byPriority = new Map<number, Map<string, Waiting>>()
  const offered = new Map<string, OfferedRequest>()
  const numbers = new Map<string, number>()

  const count = (userId: string, by: number): void => {
    const number = (numbers.get(userId) ?? 0) + by
    if (number === 0) numbers.delete(userId)
    else numbers.set(userId, number)
  }
  const remove = ({ _id, user_id, priority }: Waiting): void => {
    const equals = byPriority.get(priority)
    equals?.delete(_id)
    if (equals?.size === 0) byPriority.delete(priority)
    byId.delete(_id)
    offered.delete(_id)
    count(user_id, -1)
  }
  const set = (request: Waiting): void => {
    const { _id, user_id, priority } = request
    if (!byId.has(_id)) count(user_id, 1)
    byId.set(_id, request)
    const equals = byPriority.get(priority) ?? new Map<string, Waiting>()
    byPriority.set(priority, equals.set(_id, request))
    if (hasOffer(request)) offered.set(_id, request)
    else offered.delete(_id)
  }

  const value: WaitingRequests = {
    size: () => byId.size,
    get: (_id) => byId.get(_id),
    *ranked() {
      const priorities = [...byPriority.keys()].sort((a, b) => b - a)
      for (const priority of priorities) yield* byPriority.get(priority)?.values() ?? []
    },
    offered: () => offered.values(),
    users: () => numbers.keys(),
    isWaiting: (userId) => numbers.has(userId),
  }
  return { value, set, remove }
}
