import type { Socket } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { User } from '../../users/user.ts'
import { type ClientAddresses, clientNetworkOf, peerOf } from '../protocol/client-address.ts'

/** User and address pairs that have authenticated, most recent first; about 300 bytes each. */
const SEEN_USERS_MAX = 10_000

/**
 * Remembers where users have authenticated. At a locked-out address, verified credentials keep working only for users
 * seen there before. Otherwise a locked-out address could keep guessing at the speed of the credential cache.
 */
export const makeSeenUsers = (addresses: ClientAddresses) => {
  const at = new LRUCache<string, User>({ maxSize: SEEN_USERS_MAX, sizeCalculation: () => 1 })
  const on = new WeakMap<Socket, User>()
  const keyOf = (address: string, { _id }: User): string => `${clientNetworkOf(address)} ${_id}`
  return {
    /** Whether this user was seen on this very connection, which no other client can share. */
    isOn: (socket: Socket, user: User): boolean => on.get(socket) === user,
    isAt: (address: string, user: User): boolean => at.get(keyOf(address, user)) === user,
    add: (socket: Socket, address: string, user: User): void => {
      at.set(keyOf(address, user), user)
      if (!addresses.trusts(peerOf(socket))) on.set(socket, user)
    },
  }
}
