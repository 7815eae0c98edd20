import { BEFORE_FIRST, type PublicPosition } from '../../domain/values/position.ts'
import type { Findings } from './findings.ts'

interface StreamHead {
  readonly stream: string
  readonly revision: number
  readonly position: PublicPosition
}

/** The links of an embedded log (see event-store/sqlite/log-links.ts). */
export interface LogLinks {
  readonly previous: (after: PublicPosition, upTo: PublicPosition) => string
  readonly heads: () => Iterable<StreamHead>
  readonly end: () => PublicPosition
  readonly last: () => PublicPosition
  readonly faults: () => readonly string[]
}

type Streams = ReadonlyMap<
  string,
  { readonly revision: number; readonly position: PublicPosition | null; readonly isUncertain: boolean }
>

/** Streams are read by these links and commands are decided on the result. A redirected link hides events from both. */
export const makeLinkJudge = (links: LogLinks, findings: Findings) => {
  let before = BEFORE_FIRST
  let positions: PublicPosition[] = []
  let expected: (number | null | undefined)[] = []

  const judgePage = (after: PublicPosition): void => {
    const found = links.previous(after, positions.at(-1) as PublicPosition)
    if (found === expected.join(',')) return
    const each = found.split(',')
    for (const [n, position] of positions.entries()) {
      const wanted = expected[n]
      if (wanted === undefined || each[n] === String(wanted ?? '')) continue
      const led = each[n] === '' ? 'nothing' : `the event at ${each[n]}`
      const leads = wanted === null ? 'nothing' : `the one at ${wanted}`
      findings.add(position, `the event is linked to ${led} as its predecessor, but follows ${leads}`)
    }
  }

  const judgeHead = ({ stream, revision, position }: StreamHead, streams: Streams, last: PublicPosition): void => {
    // Appended during verification.
    if (position > before && position <= last) return
    const found = streams.get(stream)
    if (found?.isUncertain) return
    if (found?.position === position && found.revision === revision) return
    const ends = found === undefined ? 'has no event' : `ends at ${found.position} with the revision ${found.revision}`
    findings.add(null, `the stream ${stream} ${ends}, but its head is at ${position} with the revision ${revision}`)
  }

  return {
    /** @param previous position of the previous event in its stream; null if there is none, undefined if uncertain */
    expect: (position: PublicPosition, previous: number | null | undefined): void => {
      positions.push(position)
      expected.push(previous)
    },
    /** Checks the links of the page. */
    endPage: (): void => {
      if (positions.length === 0) return
      judgePage(before)
      before = positions.at(-1) as PublicPosition
      positions = []
      expected = []
    },
    judgeHeads: (streams: Streams): void => {
      for (const fault of links.faults()) findings.add(null, `the file of the log: ${fault}`)
      const end = links.end()
      const last = links.last()
      if (end > last) findings.add(null, `the log ends at ${last}, but the last append was at ${end}`)
      const missing = new Set(streams.keys())
      for (const head of links.heads()) {
        missing.delete(head.stream)
        judgeHead(head, streams, last)
      }
      for (const stream of missing) {
        if (!streams.get(stream)?.isUncertain) findings.add(null, `the stream ${stream} has no head`)
      }
    },
  }
}
