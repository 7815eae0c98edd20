import type { Recorded } from '../../domain/event.ts'
import { canonicalJson } from '../../domain/values/canonical-json.ts'
import {
  BEFORE_FIRST,
  makePositionCounter,
  nextPosition,
  type PublicPosition,
  toStorePosition,
} from '../../domain/values/position.ts'
import type { StoredRecord } from '../../event-store/event-store.ts'
import { decodeParsed, leafHash, UndecodableEvent } from '../../event-store/stored-event.ts'
import { growTree } from '../merkle-tree.ts'
import { makeRules, type Rules } from '../rules/rules.ts'
import { type CheckpointComparison, compareCheckpoints, type Divergence, type SignedHead } from './checkpoints.ts'

export interface Finding {
  /** Position in the log; null for the log as a whole. */
  readonly position: PublicPosition | null
  /** One sentence. */
  readonly what: string
}

/** In the order of the log, what concerns it as a whole last. */
export const byPosition = (a: Finding, b: Finding): number =>
  (a.position ?? Number.POSITIVE_INFINITY) - (b.position ?? Number.POSITIVE_INFINITY) || 0

/** More are only counted. */
export const FINDINGS_MAX = 10_000
const PROGRESS_EVERY = 8_192

/** What an embedded log has beside its events (see event-store/sqlite/copy.ts). */
interface LogLinks {
  readonly heads: () => Iterable<Readonly<{ stream: string; revision: number; position: PublicPosition }>>
  readonly end: () => PublicPosition
  readonly last: () => PublicPosition
  readonly faults: () => readonly string[]
}

interface VerifyOptions {
  /** The whole raw log. */
  readonly records: AsyncIterable<readonly StoredRecord[]>
  /** Those of the embedded store, whose positions are public ones, so that gaps are missing events. */
  readonly links?: LogLinks | undefined
  readonly against?: readonly SignedHead[]
  readonly onProgress?: (done: number) => void
}

export interface Verified {
  readonly events: number
  /** Head of the log's Merkle tree, in base64. */
  readonly root: string
  /** Number of findings; the first 10,000 are listed. */
  readonly found: number
  readonly findings: readonly Finding[]
  readonly against: readonly CheckpointComparison[]
  /** Where the log diverged from what was signed, as far as the checkpoints show. */
  readonly place?: Divergence
}

type Add = (position: PublicPosition | null, what: string) => void

/** The stream and the revision of an event that cannot be decoded, if it has them. */
const placeOf = (parsed: unknown): Pick<Recorded, 'stream' | 'revision'> | undefined => {
  const { stream, revision } = (parsed ?? {}) as { readonly stream?: unknown; readonly revision?: unknown }
  const isPlaced = typeof stream === 'string' && Number.isSafeInteger(revision)
  return isPlaced ? { stream, revision: revision as number } : undefined
}

/** Decodes an event and checks it against the rules, and the link by which its stream is read. */
const judge = ({ text, previous }: StoredRecord, position: PublicPosition, rules: Rules, add: Add): void => {
  const report = (what: string): void => add(position, `the event ${what}`)
  let parsed: unknown
  let event: Recorded
  try {
    parsed = JSON.parse(text)
    // In verification events go by their public positions only.
    event = decodeParsed(parsed, toStorePosition(position))
  } catch (error) {
    if (!(error instanceof UndecodableEvent || error instanceof SyntaxError)) throw error
    report(`cannot be read: ${error.message}`)
    const place = placeOf(parsed)
    if (place !== undefined) rules.skip(place.stream, place.revision, position)
    return
  }
  if (canonicalJson(parsed) !== text) report('is not in canonical form')
  const expected = rules.judge(event, position, report)
  // Commands are decided on what the links lead to. A redirected one hides events from them.
  if (previous === undefined || expected === undefined || previous === expected) return
  const led = previous === null ? 'nothing' : `the event at ${previous}`
  const leads = expected === null ? 'nothing' : `the one at ${expected}`
  report(`is linked to ${led} as its predecessor, but follows ${leads}`)
}

/** @param before the last event that was read; later ones were appended meanwhile */
const judgeLinks = (links: LogLinks, streams: ReturnType<Rules['streams']>, before: PublicPosition, add: Add): void => {
  for (const fault of links.faults()) add(null, `the file of the log: ${fault}`)
  const [end, last] = [links.end(), links.last()]
  if (end > last) add(null, `the log ends at ${last}, but the last append was at ${end}`)
  const missing = new Set(streams.keys())
  for (const { stream, revision, position } of links.heads()) {
    missing.delete(stream)
    const known = streams.get(stream)
    const isLater = position > before && position <= last
    if (isLater || known?.isUncertain || (known?.position === position && known.revision === revision)) continue
    const ends = known === undefined ? 'has no event' : `ends at ${known.position} with the revision ${known.revision}`
    add(null, `the stream ${stream} ${ends}, but its head is at ${position} with the revision ${revision}`)
  }
  for (const stream of missing) if (!streams.get(stream)?.isUncertain) add(null, `the stream ${stream} has no head`)
}

/**
 * Verifies a log against Berth's rules and signed checkpoints in a single pass.
 *
 * @throws StoreUnavailable if it cannot be read to its end
 */
export const verifyLog = async (options: VerifyOptions): Promise<Verified> => {
  const { records, links, against = [], onProgress } = options
  const findings: Finding[] = []
  let found = 0
  const add: Add = (position, what) => {
    if (found++ < FINDINGS_MAX) findings.push({ position, what })
  }
  const [tree, checkpoints, rules] = [growTree(), compareCheckpoints(against), makeRules()]
  const positionOf = makePositionCounter(links !== undefined)
  let last = BEFORE_FIRST
  checkpoints.compare(tree)
  for await (const page of records) {
    for (const record of page) {
      const [position, next] = [positionOf(record.storePosition), nextPosition(last)]
      if (position - 1 === next) add(position, `the event at ${next} is missing`)
      else if (position !== next) add(position, `the events from ${next} to ${position - 1} are missing`)
      const leaf = leafHash(record.text)
      if (record.leaf !== undefined && !leaf.equals(record.leaf)) add(position, 'the event does not match its hash')
      tree.add(leaf)
      checkpoints.compare(tree)
      judge(record, position, rules, add)
      last = position
      if (tree.size() % PROGRESS_EVERY === 0) onProgress?.(tree.size())
    }
  }
  if (links !== undefined) judgeLinks(links, rules.streams(), last, add)
  const place = checkpoints.place()
  return {
    events: tree.size(),
    root: tree.root().toString('base64'),
    found,
    findings: findings.toSorted(byPosition),
    against: checkpoints.compared(),
    ...(place && { place }),
  }
}
