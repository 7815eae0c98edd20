const MINUTE_MS = 60_000

/** Attempts under one key within a minute. */
export interface Count {
  /** The beginning of the minute: the first failure, or an earlier attempt. */
  readonly since: number
  readonly failed: number
  /** Attempts refused unchecked for lack of capacity. */
  readonly refused: number
  readonly inFlight: number
}

/** A store of counts. */
export interface CountStore {
  readonly get: (key: string) => Count | undefined
  /** Stores a count, as the newest if its minute has just begun. */
  readonly set: (key: string, count: Count, now: number) => void
  readonly delete: (key: string) => void
  readonly size: () => number
}

/** A clock that goes back ends the minute rather than extending it. */
const isOver = ({ since }: Count, now: number): boolean => now < since || now >= since + MINUTE_MS

const isIdle = (count: Count, now: number): boolean => count.inFlight === 0 && isOver(count, now)

/**
 * Counts ordered by the beginning of their minutes. Expired ones are removed from the front. Beyond `max`, the oldest
 * is evicted.
 */
export const makeCountMap = (max: number): CountStore => {
  const counts = new Map<string, Count>()
  return {
    get: (key) => counts.get(key),
    set: (key, count, now) => {
      if (counts.get(key)?.since === count.since) return void counts.set(key, count)
      counts.delete(key)
      for (const [oldest, old] of counts) {
        if (counts.size < max && !isIdle(old, now)) break
        counts.delete(oldest)
      }
      counts.set(key, count)
    },
    delete: (key) => void counts.delete(key),
    size: () => counts.size,
  }
}

/** Entries per row. More entries mean later evictions. */
const ROW = 16

/** The first entry of a key's row, and its tag within the row; 0 marks a free entry. */
const placeOf = (key: string, rows: number): { readonly first: number; readonly tag: bigint } => {
  const bytes = Buffer.from(key, 'base64url')
  return { first: (bytes.readUInt32LE(8) % rows) * ROW, tag: bytes.readBigUInt64LE(0) || 1n }
}

const makeColumns = (entries: number) => ({
  tags: new BigUint64Array(entries),
  since: new Float64Array(entries),
  failed: new Uint16Array(entries),
  refused: new Uint16Array(entries),
  inFlight: new Uint16Array(entries),
})

type Columns = ReturnType<typeof makeColumns>

const countAt = ({ since, failed, refused, inFlight }: Columns, at: number): Count => ({
  since: since[at] as number,
  failed: failed[at] as number,
  refused: refused[at] as number,
  inFlight: inFlight[at] as number,
})

/** The entry of a key, or -1. */
const find = ({ tags }: Columns, first: number, tag: bigint): number => {
  for (let at = first; at < first + ROW; at++) if (tags[at] === tag) return at
  return -1
}

/** A free entry, or the one to evict. */
const makeRoom = (columns: Columns, first: number, now: number): number => {
  const { tags, since } = columns
  let oldest = first
  for (let at = first; at < first + ROW; at++) {
    if (tags[at] === 0n || isIdle(countAt(columns, at), now)) return at
    if ((since[at] as number) < (since[oldest] as number)) oldest = at
  }
  return oldest
}

/**
 * Counts in a table of fixed size, 22 bytes each, allocated with the first count. A key is a hash that selects a row
 * and a 64-bit tag. A full row evicts the entry whose minute began first.
 *
 * @param rows a power of two
 */
export const makeCountTable = (rows: number): CountStore => {
  let columns: Columns | undefined
  return {
    get: (key) => {
      if (columns === undefined) return undefined
      const { first, tag } = placeOf(key, rows)
      const at = find(columns, first, tag)
      return at === -1 ? undefined : countAt(columns, at)
    },
    set: (key, count, now) => {
      columns ??= makeColumns(rows * ROW)
      const { first, tag } = placeOf(key, rows)
      const found = find(columns, first, tag)
      const at = found === -1 ? makeRoom(columns, first, now) : found
      columns.tags[at] = tag
      columns.since[at] = count.since
      columns.failed[at] = Math.min(count.failed, 0xffff)
      columns.refused[at] = Math.min(count.refused, 0xffff)
      columns.inFlight[at] = count.inFlight
    },
    delete: (key) => {
      if (columns === undefined) return
      const { first, tag } = placeOf(key, rows)
      const at = find(columns, first, tag)
      if (at !== -1) columns.tags[at] = 0n
    },
    size: () => columns?.tags.reduce((size, tag) => (tag === 0n ? size : size + 1), 0) ?? 0,
  }
}

/** How an attempt ended. `refused`: it was not checked. */
export type AttemptOutcome = 'passed' | 'failed' | 'refused'

/** The rule for counting attempts, independent of the store. */
export interface FailureCounts {
  /** Seconds until fewer than `max` failures lie within a minute. */
  readonly waitOf: (key: string, max: number, now: number) => number
  /** Attempts within the minute, checked or not. */
  readonly tried: (key: string, now: number) => number
  readonly begin: (key: string, now: number) => void
  readonly end: (key: string, how: AttemptOutcome, now: number) => void
  readonly size: () => number
}

export const makeFailureCounts = (store: CountStore): FailureCounts => {
  /** The current count. An expired one keeps only attempts in flight. */
  const current = (key: string, now: number): Count => {
    const count = store.get(key)
    if (count === undefined) return { since: now, failed: 0, refused: 0, inFlight: 0 }
    return isOver(count, now) ? { since: now, failed: 0, refused: 0, inFlight: count.inFlight } : count
  }

  return {
    waitOf: (key, max, now) => {
      const { since, failed, inFlight } = current(key, now)
      if (failed >= max) return Math.ceil((since + MINUTE_MS - now) / 1000)
      return failed + inFlight >= max ? 1 : 0
    },
    tried: (key, now) => {
      const { failed, refused, inFlight } = current(key, now)
      return failed + refused + inFlight
    },
    begin: (key, now) => {
      const count = current(key, now)
      store.set(key, { ...count, inFlight: count.inFlight + 1 }, now)
    },
    end: (key, how, now) => {
      // An attempt evicted while in flight still counts.
      const count = current(key, now)
      const ended = { ...count, inFlight: Math.max(0, count.inFlight - 1) }
      if (how === 'failed') {
        const since = count.failed === 0 ? now : count.since
        store.set(key, { ...ended, since, failed: count.failed + 1 }, now)
      } else if (how === 'refused') store.set(key, { ...ended, refused: count.refused + 1 }, now)
      else if (ended.failed + ended.refused + ended.inFlight === 0) store.delete(key)
      else store.set(key, ended, now)
    },
    size: store.size,
  }
}
