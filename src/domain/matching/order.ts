import type { Window } from '../calendar/window.ts'
import type { Opening } from './openings.ts'

/** How a SUT that is free ranks among others. Times are in Unix seconds. */
export interface Rank {
  /** Seconds of the free span that a window leaves. */
  readonly rest: number
  /** Whole days from the end of the reservation before the window to its start; more than any SUT has been idle without one. */
  readonly idleDays: number
  /** Differs for each request and SUT, so that requests at the same time do not all choose alike. */
  readonly hash: number
}

/** More days than any SUT has been idle. */
const NEVER_RESERVED = 1_000_000_000
const DAY = 86_400

/**
 * How a SUT ranks for a window in what it has free, but for its hash.
 *
 * @param span from the current quarter to the latest start of a window: what is free counts within it
 */
export const rankIn = ({ from, until, lastEnd }: Opening, { start, end }: Window, span: Window): Omit<Rank, 'hash'> => {
  const free = Math.max(Math.min(until, span.end), end) - Math.max(from, span.start)
  return {
    rest: Math.max(0, free - (end - start)),
    idleDays: lastEnd === 0 ? NEVER_RESERVED : Math.floor((start - lastEnd) / DAY),
  }
}

/** The smallest rest first, so that long spans stay free; then what was idle longest; then by hash. */
export const compareRanks = (a: Rank, b: Rank): number => a.rest - b.rest || b.idleDays - a.idleDays || a.hash - b.hash

/** A 32-bit hash of text (FNV-1a). */
export const hashText = (text: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

export const mixHashes = (request: number, sut: number): number => {
  let mixed = Math.imul(request ^ sut, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13) ^ (sut >>> 16), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
