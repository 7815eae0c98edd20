import { type Api, type Readable, Refused } from '../service/api.ts'
import { type Change, isAfter, type News } from './news.ts'
import {
  type Begun,
  beginning,
  divided,
  dueAt,
  EVERYTHING,
  joinWanted,
  leftAfter,
  type Wanted,
  wantedFor,
  wantedNow,
} from './wanted.ts'

/** Something that the page shows, read again when it has changed. No browser is needed here. */

/** Which changes concern what is shown. */
export interface About {
  /** The object to read again because of a change; undefined where the change does not matter. */
  readonly of: (change: Change) => string | undefined
  /** Whether anybody sees that object now. What nobody sees is read again later. Without it, all are seen. */
  readonly isInView?: ((id: string) => boolean) | undefined
}

export const NOTHING: About = { of: () => undefined }

/** Objects of some kinds. */
export const ofKinds = (...kinds: readonly Change['kind'][]): About => ({
  of: ({ kind, _id }) => (kinds.includes(kind) ? _id : undefined),
})

/** All machines, and what is reserved of some. */
export const ofSuts = (sutIds: ReadonlySet<string>): About => ({
  of: ({ kind, _id, sut_id }) =>
    kind === 'sut' || (kind === 'sut_reservation' && sut_id !== null && sutIds.has(sut_id)) ? _id : undefined,
})

/** One user. */
export const ofUser = (userId: string): About => ({
  of: ({ kind, _id }) => (kind === 'user' && _id === userId ? _id : undefined),
})

/** One machine, with what is recorded about it. */
export const ofSut = (sutId: string, ...kinds: readonly Change['kind'][]): About => ({
  of: ({ kind, _id, sut_id }) =>
    (sut_id ?? _id) === sutId && (kinds.length === 0 || kinds.includes(kind)) ? _id : undefined,
})

export interface ReadingOptions<A> extends About {
  readonly api: Readable
  /** Reads objects by their ids, or everything. `get` waits until the answer shows what was told. */
  readonly read: (api: Readable, ids: readonly string[] | undefined) => Promise<A>
  readonly onValue: (value: A) => void
  readonly onFailed: (failed: Refused) => void
}

export interface OpenReading {
  readonly tell: (news: News) => void
  /** Also reads these, and what has come into view. */
  readonly readVisible: (ids?: readonly string[]) => void
  /** Reads everything, at once. */
  readonly again: () => void
  readonly close: () => void
}

/** Between tries after a failure. */
export const RETRY_DELAY_MS = 8_000
/** Tries at what the service says is not there: an instance that is behind may say so of what was just made. */
const MISSING_TRIES = 3

/** An interface whose answers have reached a position; and the least position that they have reached. */
const reaching = (api: Readable, after: string | undefined) => {
  let least: string | undefined
  const get: Api['get'] = async (path, sent) => {
    const answer = await api.get(path, { ...sent, after: sent?.after ?? after })
    const { position = '0' } = answer
    if (least === undefined || isAfter(least, position)) least = position
    return answer
  }
  return { api: { get }, reached: () => least ?? '0' }
}

type Read<A> = Pick<ReadingOptions<A>, 'api' | 'read'>

/** Reads what is wanted; with the position of the answers. */
const readWanted = async <A>({ api, read }: Read<A>, { isAll, ids, after }: Wanted) => {
  const asked = reaching(api, after)
  try {
    return { value: await read(asked.api, isAll ? undefined : [...ids.keys()]), reached: asked.reached() }
  } catch (error) {
    if (error instanceof Refused) return error
    throw error
  }
}

/** Reads at once, and then what has changed. One reading at a time; after a failure everything, some time later. */
export const openReading = <A>(options: ReadingOptions<A>): OpenReading => {
  const { of, isInView = () => true, onValue, onFailed } = options
  let wanted: Wanted | undefined
  /** The position of the last reading of everything. */
  let reached = '0'
  let begun: Begun = { last: Number.NEGATIVE_INFINITY, lastOfAll: Number.NEGATIVE_INFINITY, inARow: 0 }
  let [isReading, isClosed] = [false, false]
  let missing = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const isWaitedFor = (): boolean => wanted?.isUrgent ?? false
  const plan = (least = 0): void => {
    clearTimeout(timer)
    if (wanted === undefined || isReading || isClosed) return
    const wait = Math.max(least, dueAt(wanted, begun, isInView) - Date.now())
    if (wait <= 0) void start(wanted)
    else timer = setTimeout(() => wanted && void start(wanted), wait)
  }
  const start = async (due: Wanted): Promise<void> => {
    const [now, left] = divided(due, begun, Date.now())
    wanted = left
    isReading = true
    begun = beginning(now, begun, Date.now())
    const result = await readWanted(options, now)
    isReading = false
    if (isClosed) return
    if (result instanceof Refused) {
      missing = result.problem.code.endsWith('_not_found') ? missing + 1 : 0
      // Then it is not asked for again, until something tells of it.
      if (missing >= MISSING_TRIES) return onFailed(result)
      const isUrgent = isWaitedFor()
      begun = { ...begun, inARow: 0 }
      wanted = { ...EVERYTHING, isUrgent }
      onFailed(result)
      return plan(isUrgent ? 0 : RETRY_DELAY_MS)
    }
    missing = 0
    if (now.isAll) {
      reached = result.reached
      wanted = leftAfter(wanted, reached)
    }
    onValue(result.value)
    plan()
  }
  const want = (more: Omit<Wanted, 'isUrgent'> | undefined): void => {
    if (more !== undefined) wanted = joinWanted(wanted, more)
    plan()
  }
  const again = (): void => {
    wanted = { ...EVERYTHING, isUrgent: true }
    plan()
  }
  again()
  return {
    again,
    tell: (news) => want(wantedFor(news, reached, of)),
    readVisible: (ids = []) => want(ids.length === 0 ? undefined : wantedNow(ids)),
    close: () => {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
