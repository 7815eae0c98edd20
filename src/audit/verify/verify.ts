import {
  BEFORE_FIRST,
  makePositionCounter,
  nextPosition,
  type PublicPosition,
  type StorePosition,
  toPublicPosition,
} from '../../domain/values/position.ts'
import type { StoredRecord } from '../../event-store/event-store.ts'
import { leafHash } from '../../event-store/stored-event.ts'
import { growTree } from '../merkle-tree.ts'
import { type CheckpointComparison, compareCheckpoints, type Divergence, type SignedHead } from './checkpoints.ts'
import { byPosition, type Finding, type Findings, makeFindings } from './findings.ts'
import { makeJudge } from './judge.ts'
import { judgeLinks, type LogLinks } from './log-links.ts'

export interface VerifyOptions {
  /** The whole raw log. */
  readonly records: AsyncIterable<readonly StoredRecord[]>
  /** Those of the embedded store, whose positions are public ones, so that gaps are missing events. */
  readonly links?: LogLinks | undefined
  readonly against?: readonly SignedHead[]
  /** Called with the number of events checked. */
  readonly onProgress?: (done: number) => void
}

export interface Verified {
  /** Number of events in the log. */
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

/** Events between progress reports. */
const PROGRESS_EVERY = 8_192

const makePositions = (findings: Findings, isDense: boolean) => {
  const positionOf = makePositionCounter(isDense)
  let next = toPublicPosition(0)
  /** Returns the public position of a record. */
  return (storePosition: StorePosition): PublicPosition => {
    const position = positionOf(storePosition)
    if (position !== next) {
      const missing =
        position - 1 === next ? `the event at ${next} is` : `the events from ${next} to ${position - 1} are`
      findings.add(position, `${missing} missing`)
    }
    next = nextPosition(position)
    return position
  }
}

/**
 * Verifies a log against Berth's rules and signed checkpoints in a single pass.
 *
 * @throws StoreUnavailable if it cannot be read to its end
 */
export const verifyLog = async (options: VerifyOptions): Promise<Verified> => {
  const { records, links, against = [], onProgress } = options
  const findings = makeFindings()
  const [tree, checkpoints, { judge, streams }] = [growTree(), compareCheckpoints(against), makeJudge(findings)]
  const positionOf = makePositions(findings, links !== undefined)
  let last = BEFORE_FIRST
  checkpoints.compare(tree)
  for await (const page of records) {
    for (const record of page) {
      const position = positionOf(record.storePosition)
      const leaf = leafHash(record.text)
      if (record.leaf !== undefined && !leaf.equals(record.leaf))
        findings.add(position, 'the event does not match its hash')
      tree.add(leaf)
      checkpoints.compare(tree)
      judge(record, position)
      last = position
      if (tree.size() % PROGRESS_EVERY === 0) onProgress?.(tree.size())
    }
  }
  if (links !== undefined) judgeLinks(links, streams(), last, findings)
  const place = checkpoints.place()
  return {
    events: tree.size(),
    root: tree.root().toString('base64'),
    found: findings.count(),
    findings: findings.list().toSorted(byPosition),
    against: checkpoints.compared(),
    ...(place && { place }),
  }
}
