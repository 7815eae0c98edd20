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
  /** Seconds for which a sign of life counts; absent if it needs none. */
  readonly keepalive?: number
  /** When it was made, and last kept alive or 0, in Unix milliseconds. */
  readonly made: number
  readonly kept: number
  /** The revision of its first event: of two of one priority, the lower goes first. */
  readonly revision: number
  readonly offer?: Offer
}

/** A request with an open offer. */
export type OfferedRequest = Waiting & { readonly offer: Offer }

export const hasOffer = (request: Waiting): request is OfferedRequest => request.offer !== undefined

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

/** What a page that has been read holds, in the order of the stream. */
interface Content {
  readonly byId: ReadonlyMap<string, Waiting>
  readonly byPriority: ReadonlyMap<number, readonly Waiting[]>
  readonly offers: readonly Offer[]
}

const contents = new WeakMap<Rows, Content>()
/** Requests as they are stored, so that a page that changes is not written anew. */
const texts = new WeakMap<Waiting, string>()

const contentOf = (requests: readonly Waiting[]): Content => ({
  byId: new Map(requests.map((request) => [request._id, request])),
  byPriority: Map.groupBy(requests, ({ priority }) => priority),
  offers: requests.flatMap(({ offer }) => offer ?? []),
})

const contentIn = ({ pages }: Queue, n: number): Content => {
  const rows = rowsAt(pages, n)
  const known = contents.get(rows)
  if (known !== undefined) return known
  const content = contentOf(rows.texts.map((text) => JSON.parse(text) as Waiting))
  contents.set(rows, content)
  return content
}

const textOf = (request: Waiting): string => {
  const known = texts.get(request)
  if (known !== undefined) return known
  const text = JSON.stringify(request)
  texts.set(request, text)
  return text
}

const makeQueuePage = (requests: readonly Waiting[]): QueuePage => {
  const page = makePage(new Int32Array(0), requests.map(textOf))
  contents.set(page.rows as Rows, contentOf(requests))
  return { page, size: requests.length }
}

function* contentsIn(queue: Queue): Generator<Content> {
  for (let n = 0; n < queue.pages.length; n++) yield contentIn(queue, n)
}

/** In the order of the stream. */
export function* allIn(queue: Queue): Generator<Waiting> {
  for (const { byId } of contentsIn(queue)) yield* byId.values()
}

/** In the order in which they go: by priority, then in the order of the stream. */
export function* rankedIn(queue: Queue): Generator<Waiting> {
  const pages = [...contentsIn(queue)]
  const priorities = new Set(pages.flatMap(({ byPriority }) => [...byPriority.keys()]))
  for (const priority of [...priorities].sort((a, b) => b - a))
    for (const { byPriority } of pages) yield* byPriority.get(priority) ?? []
}

/** The offers that are neither granted nor closed. */
export function* offersIn(queue: Queue): Generator<Offer> {
  for (const { offers } of contentsIn(queue)) yield* offers
}

const locate = (queue: Queue, _id: string): readonly [page: number, request: Waiting] | undefined => {
  for (let n = 0; n < queue.pages.length; n++) {
    const request = contentIn(queue, n).byId.get(_id)
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
  return withPage(queue, n, [...contentIn(queue, n).byId.values(), request])
}

/** Replaces a request, or removes it if `change` returns undefined. Another id changes nothing. */
export const changeWaiting = (queue: Queue, _id: string, change: (request: Waiting) => Waiting | undefined): Queue => {
  const found = locate(queue, _id)
  if (found === undefined) return queue
  const [n, request] = found
  const changed = change(request)
  const requests = [...contentIn(queue, n).byId.values()]
  return withPage(
    queue,
    n,
    requests.flatMap((each) => (each === request ? (changed ?? []) : each)),
  )
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
