import { type LookupAddress, lookup } from 'node:dns'

type OnFound = (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void

const waiting = new Map<string, OnFound[]>()

/**
 * Resolves a host name as the system does. Concurrent look-ups of one name share a call, because calls occupy threads
 * that the whole process shares. Nothing is cached. Bounded by the number of connections.
 */
export const lookUp = (host: string, onFound: OnFound): void => {
  const others = waiting.get(host)
  if (others !== undefined) {
    others.push(onFound)
    return
  }
  waiting.set(host, [onFound])
  lookup(host, { all: true }, (error, addresses) => {
    const all = waiting.get(host) ?? []
    waiting.delete(host)
    for (const each of all) each(error, addresses)
  })
}
