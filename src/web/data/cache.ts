/** What was read, each query once, for all that show it. No browser is needed here. */

import { type ReadonlySignal, signal } from '@preact/signals'
import type { Readable, Refused } from '../service/api.ts'
import type { News } from './news.ts'
import type { Query } from './query.ts'
import { type OpenReading, openReading } from './reading.ts'

export interface Result<A> {
  /** What was read last; undefined before the first answer. It stays while reading again fails. */
  readonly value: A | undefined
  readonly failed: Refused | undefined
}

/** A query, read as long as somebody uses it. */
export type Entry<A> = ReturnType<typeof openEntry<A>>
export type Cache = ReturnType<typeof openCache>

export interface CacheOptions {
  readonly api: Readable
  readonly news: ReadonlySignal<News | undefined>
  /** Whether the service answers: after an outage everything is read again. */
  readonly isAnswered: ReadonlySignal<boolean>
}

/** After the last use: what one screen has shown, the next one may. */
const CLOSE_DELAY_MS = 500

const EMPTY = { value: undefined, failed: undefined }

const openEntry = <A>({ api, news, isAnswered }: CacheOptions, first: Query<A>, onUnused: () => void) => {
  const result = signal<Result<A>>(EMPTY)
  let query = first
  let [users, version] = [0, undefined as string | number | undefined]
  let reading: OpenReading | undefined
  let ends: readonly (() => void)[] = []
  let closing: ReturnType<typeof setTimeout> | undefined
  let repeating: ReturnType<typeof setTimeout> | undefined
  const onValue = (value: A): void => {
    const before = result.peek().value
    result.value = { value, failed: undefined }
    const wait = query.again?.(value, before)
    clearTimeout(repeating)
    if (wait !== undefined) repeating = setTimeout(() => reading?.again(), wait)
  }
  const open = (): OpenReading => {
    const opened = openReading<A>({
      api,
      read: (source, ids) => query.read(source, ids, result.peek().value),
      of: (change) => query.of(change),
      isInView: (id) => query.isInView?.(id) ?? true,
      onValue,
      onFailed: (failed) => {
        result.value = { ...result.peek(), failed }
      },
    })
    let wasAnswered = isAnswered.peek()
    ends = [
      opened.close,
      news.subscribe((told) => told && opened.tell(told)),
      isAnswered.subscribe((isNow) => {
        if (isNow && !wasAnswered) opened.again()
        wasAnswered = isNow
      }),
    ]
    return opened
  }
  const close = (): void => {
    for (const end of ends) end()
    for (const timer of [closing, repeating]) clearTimeout(timer)
    ends = []
    reading = undefined
  }
  const forget = (): void => {
    close()
    result.value = EMPTY
  }
  return {
    result,
    /** Another way of reading the same. */
    set: (next: Query<A>) => {
      query = next
    },
    /** Begins to use it. The returned function ends this. */
    use: () => {
      users += 1
      clearTimeout(closing)
      reading ??= open()
      return () => {
        users -= 1
        if (users === 0) closing = setTimeout(query.isKept === true ? close : onUnused, CLOSE_DELAY_MS)
      }
    },
    /** Reads it again when this is another one than before. */
    at: (next: string | number) => {
      const isOther = version !== undefined && version !== next
      version = next
      if (isOther) reading?.again()
    },
    again: () => reading?.again(),
    readVisible: (ids?: readonly string[]) => reading?.readVisible(ids),
    forget,
  }
}

export const openCache = (options: CacheOptions) => {
  const entries = new Map<string, Entry<never>>()
  return {
    entry: <A>(query: Query<A>): Entry<A> => {
      const { key } = query
      const made = openEntry(options, query, () => {
        made.forget()
        if (entries.get(key) === (made as never)) entries.delete(key)
      })
      if (!entries.has(key)) entries.set(key, made as never)
      return entries.get(key) as unknown as Entry<A>
    },
    again: (key: string) => entries.get(key)?.again(),
    /** Forgets everything, as for another user. */
    clear: () => {
      for (const entry of entries.values()) entry.forget()
      entries.clear()
    },
  }
}
