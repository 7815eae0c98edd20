import { signal } from '@preact/signals'
import { eventsOf } from '../../../src/web/data/event-stream.ts'
import { openLab } from '../../../src/web/data/lab.ts'
import { gatherNews, newsOf } from '../../../src/web/data/news.ts'
import { openOwn } from '../../../src/web/data/own.ts'
import { type OpenReading, ofKinds, openReading, type ReadingOptions } from '../../../src/web/data/reading.ts'
import { type Answer, type Readable, Refused } from '../../../src/web/service/api.ts'

/**
 * Open pages in a process of their own, which its parent tells what to open: each with its stream and with what the
 * schedule of the page reads, by the page's own code, but without a browser.
 */

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
const openReadings = (api: Readable, inView: readonly string[]): readonly OpenReading[] => {
  const lab = openLab()
  const midnight = Math.floor(Date.now() / DAY) * DAY
  const soon = { from: Math.floor(Date.now() / HOUR) * HOUR, to: Math.floor(Date.now() / HOUR) * HOUR + 2 * HOUR }
  const span = { from: midnight - DAY, to: midnight + 2.5 * DAY }
  const open = (options: Pick<ReadingOptions<void>, 'read' | 'of' | 'isInView'>): OpenReading =>
    openReading({ api, ...options, onValue: () => undefined, onFailed: () => undefined })
  const { of } = ofKinds('sut_reservation')
  return [
    open({ ...ofKinds('sut'), read: (asked) => lab.readSuts(asked) }),
    open({ ...ofKinds('user'), read: (asked) => lab.readPeople(asked) }),
    open({ of, isInView: () => false, read: (asked) => lab.readSoon(asked, soon) }),
    open({
      of: ({ kind, sut_id }) =>
        kind === 'sut_reservation' && inView.includes(sut_id ?? '') ? (sut_id ?? '') : undefined,
      read: (asked, ids) => lab.readRows(asked, span, ids ?? inView),
    }),
  ]
}

const openPage = async ({ url, inView }: PagesAsked, { _id, authorization }: Person) => {
  const api = makeApi(url, authorization)
  const { position } = await api.get('/api/user/me')
  const response = await fetch(`${url}/api/changes?after=${position}`, { headers: { authorization } })
  if (!response.ok || response.body === null) throw new Error(`/api/changes: ${response.status}`)
  const readings = openReadings(api, inView)
  const news = signal<Parameters<OpenReading['tell']>[0] | undefined>(undefined)
  const own = openOwn(api, () => _id, news)
  own.follow()
  let isReloaded = false
  const gathering = gatherNews(
    () => true,
    (told) => {
      for (const reading of readings) reading.tell(told)
      news.value = told
    },
  )
  const follow = async (body: ReadableStream<Uint8Array>): Promise<void> => {
    for await (const event of eventsOf(body)) {
      isReloaded ||= event.name === 'reload'
      const told = newsOf(event)
      if (told !== undefined) gathering.add(told)
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
