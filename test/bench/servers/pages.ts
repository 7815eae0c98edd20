/**
 * Open pages in a process of their own, which its parent tells what to open: each with its stream and with what the
 * schedule of the page reads, by the page's own code, but without a browser.
 */

import { signal } from '@preact/signals'
import { type CacheOptions, openCache } from '../../../src/web/data/cache.ts'
import { MACHINES, ownRequests, PEOPLE } from '../../../src/web/data/lists.ts'
import { gatherNews, type News, newsIn } from '../../../src/web/data/news.ts'
import { ofKinds, type Source } from '../../../src/web/data/query.ts'
import { openReservations } from '../../../src/web/data/reservations.ts'
import { type Answer, type Readable, Refused } from '../../../src/web/service/api.ts'

export interface Person {
  readonly _id: string
  readonly authorization: string
}

export interface PagesAsked {
  readonly url: string
  readonly count: number
  readonly people: readonly Person[]
  /** The machines that each of them has in view. */
  readonly inView: readonly string[]
}

export type PagesTold = PagesAsked | 'report'
/** How many were told to read everything again, and how often they read anything. */
export type PagesReport = 'started' | 'opened' | { readonly reloaded: number; readonly reads: number }

const DAY = 86_400_000
const HOUR = 3_600_000

let reads = 0

const makeApi = (url: string, authorization: string): Readable => ({
  get: async <A>(path: string, sent: { readonly after?: string | undefined } = {}): Promise<Answer<A>> => {
    reads += 1
    const headers = { authorization, ...(sent.after !== undefined && { 'berth-after': sent.after }) }
    const response = await fetch(url + path, { headers }).catch(() => undefined)
    if (response?.ok !== true) {
      await response?.body?.cancel()
      throw new Refused(response?.status ?? 0, { code: 'refused', detail: `${path}: ${response?.status}` })
    }
    return {
      value: (await response.json()) as A,
      etag: undefined,
      position: response.headers.get('berth-position') ?? undefined,
    }
  },
})

/** What the schedule reads. */
const openReadings = (options: CacheOptions, userId: string, inView: readonly string[]): void => {
  const reservations = openReservations(signal(userId))
  const midnight = Math.floor(Date.now() / DAY) * DAY
  const soon = { from: Math.floor(Date.now() / HOUR) * HOUR, to: Math.floor(Date.now() / HOUR) * HOUR + 2 * HOUR }
  const span = { from: midnight - DAY, to: midnight + 2.5 * DAY }
  const cache = openCache(options)
  const { of } = ofKinds('sut_reservation')
  cache.entry(MACHINES).use()
  cache.entry(PEOPLE).use()
  cache.entry(reservations.readOwn).use()
  cache.entry(ownRequests(userId)).use()
  const read = (source: Source) => reservations.readSpan(source, soon)
  cache.entry({ key: 'soon', of, isInView: () => false, read }).use()
  cache
    .entry({
      key: 'rows',
      of: ({ kind, sut_id }) =>
        kind === 'sut_reservation' && inView.includes(sut_id ?? '') ? (sut_id ?? '') : undefined,
      read: (source, ids) => reservations.readRows(source, span, ids ?? inView),
    })
    .use()
}

const openPage = async ({ url, inView }: PagesAsked, { _id, authorization }: Person) => {
  const api = makeApi(url, authorization)
  const { position } = await api.get('/api/user/me')
  const response = await fetch(`${url}/api/changes?after=${position}`, { headers: { authorization } })
  if (!response.ok || response.body === null) throw new Error(`/api/changes: ${response.status}`)
  const news = signal<News | undefined>(undefined)
  openReadings({ api, news, isAnswered: signal(true) }, _id, inView)
  let isReloaded = false
  const gathering = gatherNews(
    () => true,
    (told) => {
      news.value = told
    },
  )
  const follow = async (body: ReadableStream<Uint8Array>): Promise<void> => {
    for await (const told of newsIn(body)) {
      if (told === undefined) continue
      isReloaded ||= told.changes === undefined
      gathering.add(told)
    }
  }
  follow(response.body).catch(() => undefined)
  return { isReloaded: () => isReloaded }
}

const pages: Awaited<ReturnType<typeof openPage>>[] = []
const report = (what: PagesReport): void => void process.send?.(what)

process.on('message', async (told: PagesTold) => {
  if (told === 'report') return report({ reloaded: pages.filter((page) => page.isReloaded()).length, reads })
  for (let n = 0; n < told.count; n++) pages.push(await openPage(told, told.people[n % told.people.length] as Person))
  report('opened')
})
process.on('disconnect', () => process.exit())
report('started')
