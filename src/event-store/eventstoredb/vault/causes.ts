import { LRUCache } from 'lru-cache'
import { parseOwner } from '../../../domain/sealed-secret.ts'
import { sutStream, tokenStream, USERS_STREAM } from '../../../domain/values/ids.ts'
import type { ReadPage } from '../server/read.ts'
import type { SecretCause } from './entry.ts'

/** Events per page of a stream, and pages remembered. */
const PAGE = 256
const PAGES_MAX = 256

/**
 * The ids of the events in streams that name many secrets. A page is read once for all secrets that are read at the
 * same time, and remembered as far as it goes.
 */
const makeEventIds = (readPage: ReadPage) => {
  const pages = new LRUCache<string, { readonly ids: readonly string[]; readonly read: number }>({ max: PAGES_MAX })
  const reading = new Map<string, Promise<void>>()
  let reads = 0

  const readIds = async (page: string, stream: string, number: number): Promise<void> => {
    const read = reads++
    const events = (await readPage(stream, number * PAGE, PAGE)) ?? []
    if (read < (pages.get(page)?.read ?? 0)) return
    pages.set(page, { ids: events.map(({ id }) => id), read })
  }

  const startRead = (page: string, stream: string, number: number): Promise<void> => {
    const started = readIds(page, stream, number).finally(() => {
      if (reading.get(page) === started) reading.delete(page)
    })
    reading.set(page, started)
    return started
  }

  /** Whether the event with a revision has this id. */
  return async (stream: string, revision: number, id: string): Promise<boolean> => {
    const number = Math.floor(revision / PAGE)
    const page = `${number} ${stream}`
    const isKnown = (): boolean => pages.get(page)?.ids[revision % PAGE] === id
    // A read that has begun before may not contain the event yet.
    if (!isKnown()) await reading.get(page)
    if (!isKnown()) await startRead(page, stream, number)
    return isKnown()
  }
}

/** Whether the event that set a secret is in the log. */
export const makeCauses = (readPage: ReadPage): ((owner: string, cause: SecretCause) => Promise<boolean>) => {
  const isInStream = makeEventIds(readPage)
  return async (owner, cause) => {
    if (cause === null) return true
    const { kind, id } = parseOwner(owner)
    if (kind !== 'SUT') return isInStream(kind === 'user' ? USERS_STREAM : tokenStream(id), cause.revision, cause.id)
    const [event] = (await readPage(sutStream(id), cause.revision, 1)) ?? []
    return event?.id === cause.id
  }
}
