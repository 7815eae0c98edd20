import { X509Certificate } from 'node:crypto'
import { resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { type EventStoreDbAddress, readEventStoreDbAddress } from '../../event-store/eventstoredb/server/address.ts'
import { readRegularFile } from '../../files/read-regular-file.ts'

/** Which adapter holds the log, and where. Paths are absolute. */
export type EventStoreConfig =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'eventstoredb'; readonly address: EventStoreDbAddress }

/** The store's name for the log, without credentials. */
export const nameOfStore = (store: EventStoreConfig): string => {
  if (store.kind === 'sqlite') return store.path
  const { hosts, isDiscovered } = store.address
  return `esdb${isDiscovered ? '+discover' : ''}://${hosts.map(({ address, port }) => `${address}:${port}`).join(',')}`
}

/** @returns Left completes the sentence "BERTH_EVENT_STORE ...", without the value */
export const readEventStore = (value: string, directory: string): E.Either<string, EventStoreConfig> => {
  if (/^esdb(?:\+discover)?:/.test(value)) {
    return E.bimap(
      (problems: readonly string[]) => problems.join('; '),
      (address: EventStoreDbAddress): EventStoreConfig => ({
        kind: 'eventstoredb',
        address: inPlace(address, directory),
      }),
    )(readEventStoreDbAddress(value))
  }
  const path = /^sqlite:(?!\/\/[^/])(.+)$/s.exec(value)?.[1]
  if (path === ':memory:') return E.left('must name a file; a log in memory would be lost')
  if (path === undefined) return E.left('must be like sqlite:./data/events.db or esdb://name:password@host:2113')
  return E.right({ kind: 'sqlite', path: resolve(directory, path) })
}

const inPlace = (address: EventStoreDbAddress, directory: string): EventStoreDbAddress =>
  address.caFile === undefined ? address : { ...address, caFile: resolve(directory, address.caFile) }

/** Why the file of trusted authorities cannot be used, if there is one that cannot. */
export const authorityProblems = async (caFile: string | undefined): Promise<readonly string[]> => {
  if (caFile === undefined) return []
  try {
    new X509Certificate(await readRegularFile(caFile))
    return []
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const isSystem = /^E[A-Z]+$/.test(String(code))
    const why = isSystem ? `cannot be read: ${message.split(',')[0]}` : 'contains no PEM certificate'
    return [`BERTH_EVENT_STORE: the tlsCAFile ${caFile} ${why}`]
  }
}
