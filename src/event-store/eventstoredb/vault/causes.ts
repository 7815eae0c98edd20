import * as t from 'io-ts'
import { LRUCache } from 'lru-cache'
import { integer, text } from '../../../domain/codec/codec.ts'
import { closed } from '../../../domain/codec/object-codec.ts'
import { parseOwner } from '../../../domain/sealed-secret.ts'
import { sutStream, tokenStream, USERS_STREAM } from '../../../domain/values/ids.ts'
import type { ReadPage } from '../server/read.ts'

/**
 * The event a secret belongs to, by its place in the stream of its SUT, of all users or of a user's tokens; null if no
 * event names it.
 */
export const SecretCause = t.union([
  t.null,
  closed('cause', { revision: integer(0, Number.MAX_SAFE_INTEGER), id: text(36, 36) }, {}),
])
export type SecretCause = t.TypeOf<typeof SecretCause>

/** Events per page of a stream, and pages remembered. */
const PAGE = 256
const PAGES_MAX = 256

/**
 * Whether an event is in a stream that names many secrets. Its pages are remembered as far as they go, and read once for
 * all secrets that are read at the same time.
 */
const makeIsInStream = (readPage: ReadPage) => {
  const pages = new LRUCache<string, Promise<readonly string[]>>({ max: PAGES_MAX })
  return async (stream: string, revision: number, id: string): Promise<boolean> => {
    const from = revision - (revision % PAGE)
    const page = `${from} ${stream}`
    const has = async (ids?: Promise<readonly string[]>): Promise<boolean> => (await ids)?.[revision - from] === id
    const remembered = pages.get(page)
    if (await has(remembered)) return true
    // What was read before may not contain the event yet.
    if (pages.get(page) === remembered) {
      const ids = readPage(stream, from, PAGE).then((events) => (events ?? []).map((event) => event.id))
      pages.set(page, ids)
      ids.catch(() => pages.delete(page))
    }
    return has(pages.get(page))
  }
}

/** Whether the event that set a secret is in the log. */
export const makeCauses = (readPage: ReadPage): ((owner: string, cause: SecretCause) => Promise<boolean>) => {
  const isInStream = makeIsInStream(readPage)
  return async (owner, cause) => {
    if (cause === null) return true
    const { kind, id } = parseOwner(owner)
    if (kind !== 'SUT') return isInStream(kind === 'user' ? USERS_STREAM : tokenStream(id), cause.revision, cause.id)
    const [event] = (await readPage(sutStream(id), cause.revision, 1)) ?? []
    return event?.id === cause.id
  }
}
