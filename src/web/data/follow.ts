import { type ReadonlySignal, signal } from '@preact/signals'
import { newKey } from '../service/api.ts'
import type { SessionControl } from '../service/session.ts'
import { readStored, store } from '../service/stored.ts'
import { currentTime } from '../service/time.ts'
import { gatherNews, heardFrom, joined, type News, newsIn, type Told } from './news.ts'

/** What of `localStorage` has the lease of the tab that follows, as Web Locks need HTTPS. */
const KEPT = 'berth leader'
/** Lifetime of a lease, and the interval between checks of it. */
const LEASE_MS = 2_000
const CHECK_INTERVAL_MS = 600

interface Lease {
  readonly tab: string
  /** Unix milliseconds. */
  readonly until: number
}

const readLease = () => readStored<Lease>(KEPT)

/**
 * Calls `onLead` when this tab begins or ceases to lead, and tells whether it does. It leads only while `isWanted`. A
 * lease ends by itself when its tab does not renew it: tabs that nobody sees run rarely.
 */
const takeTurns = (tab: string, isWanted: () => boolean, onLead: (isLeading: boolean) => void) => {
  let isLeading = false
  const set = (next: boolean): void => {
    if (next === isLeading) return
    isLeading = next
    onLead(next)
  }
  const giveUp = (): void => {
    if (readLease()?.tab === tab) localStorage.removeItem(KEPT)
    set(false)
  }
  const renew = (): void => {
    if (!isWanted()) {
      giveUp()
      return
    }
    const lease = readLease()
    const isFree = lease === undefined || !(lease.until > Date.now()) || lease.until > Date.now() + LEASE_MS
    // The tab that wrote last leads. The others see it at their next check.
    if (isFree || lease.tab === tab) store(KEPT, { tab, until: Date.now() + LEASE_MS })
    set(isLeading ? readLease()?.tab === tab : lease?.tab === tab)
  }
  setInterval(renew, CHECK_INTERVAL_MS)
  addEventListener('pagehide', giveUp)
  addEventListener('storage', ({ key }) => {
    if (key === KEPT) renew()
  })
  renew()
  return (): boolean => isLeading
}

export interface Following {
  /** What has changed, about once a second. What shows it is read again. */
  readonly news: ReadonlySignal<News | undefined>
  /** When the service was last heard of, in Unix milliseconds. */
  readonly heardAt: ReadonlySignal<number>
}

interface ToldByTab extends Told {
  readonly heardAt: number
  readonly isAnswered: boolean
}

/** Milliseconds before each try to follow again; the last one is repeated. */
const WAITS = [1_000, 2_000, 5_000, 10_000]
/** Between messages of the tab that follows, and how long it gathers what it has heard. */
const TELL_INTERVAL_MS = 1_000
const TELL_DELAY_MS = 50

/** A stream without a sign of life for so long is dead, whatever the network says: the service has a heartbeat of 15 s. */
const SILENCE_MAX_MS = 35_000
/** So is a connection that was kept open, and on which the stream does not begin. */
const OPENING_MAX_MS = 15_000

/** Aborts unless it is told of a sign of life in time. */
const watchSilence = () => {
  const silence = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const wait = (limitMs: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), limitMs)
  }
  wait(OPENING_MAX_MS)
  return { signal: silence.signal, hear: () => wait(SILENCE_MAX_MS), end: () => clearTimeout(timer) }
}

const readStream = async (
  { api }: SessionControl,
  latest: () => string | undefined,
  onHeard: (news: News | undefined) => void,
  signal: AbortSignal,
): Promise<void> => {
  for (let tries = 0; !signal.aborted; tries++) {
    const silence = watchSilence()
    try {
      const after = latest()
      const path = `/api/changes${after === undefined ? '' : `?after=${after}`}`
      const stream = await api.open(path, 'text/event-stream', AbortSignal.any([signal, silence.signal]))
      onHeard(undefined)
      for await (const news of newsIn(stream)) {
        tries = 0
        silence.hear()
        onHeard(news)
      }
    } catch {
      // A stream that breaks off is opened again; what has been refused is shown by the banner or the form.
    } finally {
      silence.end()
    }
    await new Promise((resolve) => setTimeout(resolve, WAITS[Math.min(tries, WAITS.length - 1)]))
  }
}

/**
 * Where this tab is, and what it shows of the news: only while somebody sees it. It begins where somebody has signed
 * in, as all that is shown is read after that.
 */
const makePlace = ({ session }: SessionControl) => {
  const news = signal<News | undefined>(undefined)
  let latest: string | undefined
  const gathering = gatherNews(
    () => document.visibilityState !== 'hidden',
    (next) => {
      news.value = next
    },
  )
  document.addEventListener('visibilitychange', gathering.deliver)
  session.subscribe(({ since }) => {
    latest ??= since
  })
  const move = (next: News): void => {
    latest = next.position
    gathering.add(next)
  }
  let isChecked = false
  /** Another instance may have answered that was not as far. */
  const check = (): void => {
    if (!isChecked && latest !== undefined) news.value = { position: latest, changes: undefined }
    isChecked = true
  }
  return { news, move, check, latest: () => latest }
}

/**
 * Follows the changes that the service tells of. One tab of a browser does it, for all of them: a service has many
 * readers, and a browser few connections.
 */
export const followChanges = (control: SessionControl): Following => {
  const place = makePlace(control)
  const heardAt = signal(currentTime())
  const channel = new BroadcastChannel('berth changes')
  const isSignedIn = (): boolean => control.session.peek().phase === 'in'
  // It has just answered who that is.
  control.session.subscribe(() => {
    heardAt.value = currentTime()
  })
  let untold: { news: News | undefined; since: string | undefined } | undefined
  const tell = (): void => {
    const position = place.latest()
    const { news, since } = untold ?? { news: undefined, since: position }
    untold = undefined
    const isAnswered = control.isAnswered.peek()
    channel.postMessage({ news, since, position, heardAt: heardAt.peek(), isAnswered } satisfies ToldByTab)
  }
  const onHeard = (next: News | undefined): void => {
    heardAt.value = currentTime()
    place.check()
    if (untold === undefined) setTimeout(tell, TELL_DELAY_MS)
    untold ??= { news: undefined, since: place.latest() }
    if (next === undefined) return
    untold.news = joined(untold.news, next)
    place.move(next)
  }
  let stop = new AbortController()
  const isLeading = takeTurns(newKey(), isSignedIn, (isNow) => {
    stop.abort()
    stop = new AbortController()
    if (isNow) void readStream(control, place.latest, onHeard, stop.signal)
  })
  channel.onmessage = ({ data: told }: MessageEvent<ToldByTab>) => {
    if (isLeading() || !isSignedIn()) return
    heardAt.value = told.heardAt
    place.check()
    const next = heardFrom(place.latest(), told)
    if (next !== undefined) place.move(next)
    // The caller that asked knows whether it answers.
    if (told.isAnswered !== control.isAnswered.peek()) void control.check()
  }
  setInterval(() => {
    if (isLeading()) tell()
  }, TELL_INTERVAL_MS)
  addEventListener('offline', () => void control.check())
  addEventListener('online', () => void control.check())
  return { news: place.news, heardAt }
}
