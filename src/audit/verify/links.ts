import type { Findings } from './findings.ts'

interface StreamHead {
  readonly stream: string
  readonly revision: number
  readonly position: number
}

/** What leads through an embedded log beside its events: see event-store/sqlite-links.ts. */
export interface LinksOf {
  readonly previous: (after: number, upTo: number) => string
  readonly heads: () => Iterable<StreamHead>
  readonly end: () => number
  readonly last: () => number
}

type Streams = ReadonlyMap<
  string,
  { readonly revision: number; readonly position: number | null; readonly isUncertain: boolean }
>

export interface LinkJudge {
  /** @param previous where the event before it in its stream lies: null for none, undefined where nobody can say */
  readonly expect: (position: number, previous: number | null | undefined) => void
  /** Compares what was expected since the page before. */
  readonly endPage: () => void
  readonly judgeHeads: (streams: Streams) => void
}

/** By these links a stream is read and commands are decided, so that one turned aside hides events from both. */
export const makeLinkJudge = (links: LinksOf, findings: Findings): LinkJudge => {
  let before = -1
  let positions: number[] = []
  let expected: (number | null | undefined)[] = []

  const judgePage = (after: number): void => {
    const found = links.previous(after, positions.at(-1) as number)
    if (found === expected.join(',')) return
    const each = found.split(',')
    for (const [n, position] of positions.entries()) {
      const wanted = expected[n]
      if (wanted === undefined || each[n] === String(wanted ?? '')) continue
      const led = each[n] === '' ? 'nothing' : `the event at ${each[n]}`
      const leads = wanted === null ? 'nothing' : `the one at ${wanted}`
      findings.add(position, `the event is linked to ${led} as the one before it in its stream, and follows ${leads}`)
    }
  }

  const judgeHead = ({ stream, revision, position }: StreamHead, streams: Streams, last: number): void => {
    // What has been appended meanwhile.
    if (position > before && position <= last) return
    const found = streams.get(stream)
    if (found?.isUncertain) return
    if (found?.position === position && found.revision === revision) return
    const ends = found === undefined ? 'has no event' : `ends at ${found.position} with the revision ${found.revision}`
    findings.add(null, `the stream ${stream} ${ends}, and its head is at ${position} with the revision ${revision}`)
  }

  return {
    expect: (position, previous) => {
      positions.push(position)
      expected.push(previous)
    },
    endPage: () => {
      if (positions.length === 0) return
      judgePage(before)
      before = positions.at(-1) as number
      positions = []
      expected = []
    },
    judgeHeads: (streams) => {
      const end = links.end()
      const last = links.last()
      if (end > last) findings.add(null, `the log ends at ${last}, and what was appended last at ${end}`)
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
