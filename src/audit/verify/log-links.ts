import type { PublicPosition } from '../../domain/values/position.ts'
import type { Findings } from './findings.ts'

interface StreamHead {
  readonly stream: string
  readonly revision: number
  readonly position: PublicPosition
}

/** What an embedded log has beside its events (see event-store/sqlite/log-links.ts). */
export interface LogLinks {
  readonly heads: () => Iterable<StreamHead>
  readonly end: () => PublicPosition
  readonly last: () => PublicPosition
  readonly faults: () => readonly string[]
}

type Streams = ReadonlyMap<
  string,
  { readonly revision: number; readonly position: PublicPosition | null; readonly isUncertain: boolean }
>

/** @param before the last event that was read; later ones were appended meanwhile */
export const judgeLinks = (links: LogLinks, streams: Streams, before: PublicPosition, findings: Findings): void => {
  for (const fault of links.faults()) findings.add(null, `the file of the log: ${fault}`)
  const [end, last] = [links.end(), links.last()]
  if (end > last) findings.add(null, `the log ends at ${last}, but the last append was at ${end}`)
  const missing = new Set(streams.keys())
  for (const { stream, revision, position } of links.heads()) {
    missing.delete(stream)
    const found = streams.get(stream)
    const isLater = position > before && position <= last
    if (isLater || found?.isUncertain || (found?.position === position && found.revision === revision)) continue
    const ends = found === undefined ? 'has no event' : `ends at ${found.position} with the revision ${found.revision}`
    findings.add(null, `the stream ${stream} ${ends}, but its head is at ${position} with the revision ${revision}`)
  }
  for (const stream of missing)
    if (!streams.get(stream)?.isUncertain) findings.add(null, `the stream ${stream} has no head`)
}
