import { bytesOf, makePage, type Page, type Rows, rowsAt } from '../calendar/page.ts'
import type { Window } from '../calendar/window.ts'
import type { Actor } from '../decider.ts'
import type { Criteria } from '../events/criteria.ts'

/** A SUT that is about to be reserved for a request. Its window is in Unix seconds. */
export interface Offer extends Window {
  readonly user_id: string
  readonly sut_id: string
  readonly sut_reservation_id: string
  /** Seconds, as asked for. */
  readonly duration: number
  /** Unix milliseconds. */
  readonly time: number
}

/** A request that waits. */
export interface Waiting {
  readonly _id: string
  readonly user_id: string
  /** Who made the request. */
  readonly asker: Actor
  /** The address of its client as a keyed hash. */
  readonly client?: string
  /** What a SUT must be; otherwise `sut_id` says which one. */
  readonly match?: Criteria
  readonly sut_id?: string
  /** Seconds. */
  readonly duration: number
  /** Unix milliseconds. */
  readonly expiresAt: number
  readonly priority: number
  /** Seconds. */
  readonly keepalive?: number
  /** The revision of its first event: of two of one priority, the lower goes first. */
  readonly revision: number
  readonly offer?: Offer
}

/**
 * Requests in the order in which they were made, in non-empty pages. Consecutive queues share all pages but the one that
 * an event changes, so that an append costs the same however many wait.
 */
export interface Queue {
  readonly pages: readonly QueuePage[]
  readonly size: number
}

export interface QueuePage {
  readonly page: Page
  readonly size: number
}

const PAGE_MAX = 64

export const EMPTY_QUEUE: Queue = { pages: [], size: 0 }

/** The requests of pages that have been read. */
const read = new WeakMap<Rows, readonly Waiting[]>()

const requestsIn = (rows: Rows): readonly Waiting[] => {
  const known = read.get(rows)
  if (known !== undefined) return known
  const requests = rows.texts.map((text) => JSON.parse(text) as Waiting)
  read.set(rows, requests)
  return requests
}

const makeQueuePage = (requests: readonly Waiting[]): QueuePage => {
  const page = makePage(
    new Int32Array(0),
    requests.map((request) => JSON.stringify(request)),
  )
  read.set(page.rows as Rows, requests)
  return { page, size: requests.length }
}

export function* allIn({ pages }: Queue): Generator<Waiting> {
  for (let n = 0; n < pages.length; n++) yield* requestsIn(rowsAt(pages, n))
}

const locate = ({ pages }: Queue, _id: string): readonly [page: number, request: Waiting] | undefined => {
  for (let n = 0; n < pages.length; n++) {
    const request = requestsIn(rowsAt(pages, n)).find((each) => each._id === _id)
    if (request !== undefined) return [n, request]
  }
  return undefined
}

export const findWaiting = (queue: Queue, _id: string): Waiting | undefined => locate(queue, _id)?.[1]

const withPage = ({ pages, size }: Queue, n: number, requests: readonly Waiting[]): Queue => {
  const before = pages[n]?.size ?? 0
  const changed = requests.length === 0 ? [] : [makeQueuePage(requests)]
  return { pages: pages.toSpliced(n, 1, ...changed), size: size - before + requests.length }
}

/** Adds a request behind all others. */
export const enqueue = (queue: Queue, request: Waiting): Queue => {
  const n = queue.pages.length - 1
  const last = queue.pages[n]
  if (last === undefined || last.size >= PAGE_MAX) return withPage(queue, n + 1, [request])
  return withPage(queue, n, [...requestsIn(rowsAt(queue.pages, n)), request])
}

/** Replaces a request, or removes it if `change` returns undefined. Another id changes nothing. */
export const changeWaiting = (queue: Queue, _id: string, change: (request: Waiting) => Waiting | undefined): Queue => {
  const found = locate(queue, _id)
  if (found === undefined) return queue
  const [n, request] = found
  const changed = change(request)
  const requests = requestsIn(rowsAt(queue.pages, n)).flatMap((each) => (each === request ? (changed ?? []) : each))
  return withPage(queue, n, requests)
}

/** Bytes of a request with criteria of typical length, as text and as an object. */
const REQUEST_BYTES = 1_000

export const queueBytes = ({ pages, size }: Queue): number => bytesOf(pages.length, 0) + REQUEST_BYTES * size

/** Sizes of the pages, which a snapshot stores separately. */
export const queueToDirectory = ({ pages }: Queue): readonly number[] => pages.map(({ size }) => size)

export const queueFromDirectory = (sizes: readonly number[], pages: readonly Page[]): Queue => ({
  pages: sizes.map((size, n) => ({ page: pages[n] as Page, size })),
  size: sizes.reduce((sum, size) => sum + size, 0),
})
