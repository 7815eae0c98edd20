import { ALL_HEADS, END } from './heads.ts'
import { fileOf, openDatabase } from './open.ts'

export interface StreamHead {
  readonly stream: string
  readonly revision: number
  readonly position: number
}

/** What leads through a log beside its events: by these a stream is read, and none of it is in the tree. */
export interface Links {
  /**
   * The position of each event's predecessor in its stream, in one text with commas between them: for the events behind
   * one position up to another. Empty where there is none.
   */
  readonly previous: (after: number, upTo: number) => string
  readonly heads: () => Iterable<StreamHead>
  /** The position of the event that was appended last, be it there or not. */
  readonly end: () => number
  /** The position of the last event as of now. */
  readonly last: () => number
  readonly close: () => void
}

/** Milliseconds to wait for whoever else has the file. */
const BUSY_WITHIN = 5_000

/** Opens them beside whoever writes the log. @throws UnusableLog */
export const openLinks = (path: string): Links => {
  const database = openDatabase(fileOf(path), {
    readOnly: true,
    randomHex: () => '',
    busyTimeout: BUSY_WITHIN,
    pagesMax: undefined,
  })
  // One text for a page of them costs a tenth of as many rows.
  const previous = database.prepare(`
    SELECT group_concat(ifnull(previous, ''), ',') AS found
    FROM (SELECT previous FROM event WHERE position > ? AND position <= ? ORDER BY position)
  `)
  const heads = database.prepare(ALL_HEADS)
  const end = database.prepare(END)
  const last = database.prepare('SELECT ifnull(max(position), -1) AS found FROM event')
  return {
    previous: (after, upTo) => String(previous.get(after, upTo)?.found ?? ''),
    heads: () => heads.iterate() as unknown as Iterable<StreamHead>,
    end: () => Number(end.get()?.found),
    last: () => Number(last.get()?.found),
    close: () => database.close(),
  }
}
