import { makeStore, type Store } from '../parts/store.ts'
import { newKey } from '../service/api.ts'
import type { SessionControl } from '../service/session.ts'
import { eventsOf } from './event-stream.ts'
import { takeTurns } from './lease.ts'

export interface Following {
  /** The position of the last change. What is shown is read again when it moves. */
  readonly position: Store<string | undefined>
  /** When the service was last heard of, in Unix milliseconds. */
  readonly heardAt: Store<number>
}

/** What the tab that follows tells the others. */
interface Told {
  readonly position: string | undefined
  readonly heardAt: number
  readonly isAnswered: boolean
}

/** Milliseconds between readings because of changes, and how much they vary, so that pages do not ask together. */
const READ_EVERY = 800
const JITTER = 200
/** Milliseconds before each try to follow again; the last one is repeated. */
const WAITS = [1_000, 2_000, 5_000, 10_000]
/** Milliseconds between what the tab that follows tells. */
const TELL_EVERY = 1_000

/** Moves the position at most about once a second, and only where somebody sees it. */
const makePosition = () => {
  const position = makeStore<string | undefined>(undefined)
  let latest: string | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const show = (): void => {
    if (document.visibilityState === 'hidden' || timer !== undefined || latest === position.get()) return
    position.set(latest)
    timer = setTimeout(
      () => {
        timer = undefined
        show()
      },
      READ_EVERY + Math.random() * JITTER,
    )
  }
  document.addEventListener('visibilitychange', show)
  const move = (to: string | undefined): void => {
    if (to === undefined || to === latest) return
    latest = to
    show()
  }
  return { position, move, latest: () => latest }
}

/** Reads the stream until it ends, again and again, while `isWanted`. */
const readStream = async (
  { api }: SessionControl,
  { move, latest }: ReturnType<typeof makePosition>,
  onHeard: () => void,
  signal: AbortSignal,
): Promise<void> => {
  for (let tries = 0; !signal.aborted; tries++) {
    try {
      const after = latest()
      const stream = await api.open(
        `/api/changes${after === undefined ? '' : `?after=${after}`}`,
        'text/event-stream',
        signal,
      )
      onHeard()
      for await (const { name, id } of eventsOf(stream)) {
        onHeard()
        tries = 0
        if (name === 'ready' || name === 'change' || name === 'reload') move(id)
      }
    } catch {
      // A stream that breaks off is opened again; what has been refused is shown by the banner or the form.
    }
    await new Promise((resolve) => setTimeout(resolve, WAITS[Math.min(tries, WAITS.length - 1)]))
  }
}

/**
 * Follows the changes that the service tells of. One tab of a browser does it, for all of them: a service has many
 * readers, and a browser few connections.
 */
export const followChanges = (control: SessionControl): Following => {
  const place = makePosition()
  const heardAt = makeStore(Date.now())
  const channel = new BroadcastChannel('berth changes')
  const isSignedIn = (): boolean => control.session.get().phase === 'in'
  const tell = (): void => {
    const told: Told = {
      ...{ position: place.latest(), heardAt: heardAt.get(), isAnswered: control.reach.get().isAnswered },
    }
    channel.postMessage(told)
  }
  const onHeard = (): void => {
    heardAt.set(Date.now())
    tell()
  }
  let stop = new AbortController()
  const lead = takeTurns(newKey(), isSignedIn, (isLeading) => {
    stop.abort()
    stop = new AbortController()
    if (isLeading) void readStream(control, place, onHeard, stop.signal)
  })
  channel.onmessage = ({ data }: MessageEvent<Told>) => {
    if (lead.isLeading() || !isSignedIn()) return
    heardAt.set(data.heardAt)
    place.move(data.position)
    // Whether it answers is known to whoever has asked.
    if (data.isAnswered !== control.reach.get().isAnswered) void control.check()
  }
  setInterval(() => {
    if (lead.isLeading()) tell()
  }, TELL_EVERY)
  addEventListener('offline', () => void control.check())
  addEventListener('online', () => void control.check())
  return { position: place.position, heardAt }
}
