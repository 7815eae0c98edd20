import type { StoredRecord } from '../../event-store/event-store.ts'
import { leafHash } from '../../event-store/stored-event.ts'
import { type Against, type Compared, holdAgainst, type Place } from './checkpoints.ts'
import { judgeCorrections } from './corrections.ts'
import { type Finding, type Findings, makeFindings } from './findings.ts'
import { type Judge, makeJudge, type Placed } from './judge.ts'
import { growTree } from './tree.ts'

export interface VerifyOptions {
  /** The whole log as it lies. */
  readonly records: AsyncIterable<readonly StoredRecord[]>
  /** Reads it once more, where it says of itself that times were wrong. */
  readonly again: () => AsyncIterable<readonly StoredRecord[]>
  /** Whether marks are positions, as in the embedded store: none may be left out. */
  readonly isDense?: boolean
  /** Who holds the events against the rules; in this thread, and without links between them, unless given. */
  readonly judge?: Judge
  readonly against?: readonly Against[]
  /** Told how many events have been looked at. */
  readonly onProgress?: (done: number) => void
}

export interface Verified {
  /** How many events the log has. */
  readonly events: number
  /** The head of the Merkle tree over them, in base64. */
  readonly root: string
  /** How many things were found; the first 10,000 are named. */
  readonly found: number
  readonly findings: readonly Finding[]
  readonly against: readonly Compared[]
  /** Where the log is no longer what was signed, as far as the checkpoints tell. */
  readonly place?: Place
}

/** Events between two words about the progress. */
const EVERY = 8_192

const judgePlaces = (findings: Findings, isDense: boolean) => {
  let next = 0
  /** The public position of a record. */
  return (mark: number): number => {
    const position = isDense ? mark : next
    if (position !== next) {
      const missing =
        position - 1 === next ? `the event at ${next} is` : `the events from ${next} to ${position - 1} are`
      findings.add(position, `${missing} missing`)
    }
    next = position + 1
    return position
  }
}

const inOrder = (a: Finding, b: Finding): number =>
  (a.position ?? Number.POSITIVE_INFINITY) - (b.position ?? Number.POSITIVE_INFINITY) || 0

/**
 * Reads a whole log once and holds it against everything that Berth promises of it, and against checkpoints.
 *
 * @throws StoreUnavailable where it cannot be read to its end
 */
export const verifyLog = async (options: VerifyOptions): Promise<Verified> => {
  const { records, again, isDense = false, against = [], judge = makeJudge(undefined), onProgress } = options
  const findings = makeFindings()
  const [tree, checkpoints, placeOf] = [growTree(), holdAgainst(against), judgePlaces(findings, isDense)]
  checkpoints.look(tree)
  for await (const page of records) {
    const placed: Placed[] = []
    for (const { mark, text, leaf: kept } of page) {
      const position = placeOf(mark)
      const leaf = leafHash(text)
      if (kept !== undefined && !leaf.equals(kept)) {
        findings.add(position, 'the event does not match its hash')
      }
      tree.add(leaf)
      checkpoints.look(tree)
      placed.push({ position, text })
      if (tree.size() % EVERY === 0) onProgress?.(tree.size())
    }
    await judge.take(placed)
  }
  const judged = await judge.end()
  if (judged.corrections.length > 0) await judgeCorrections(again(), judged.corrections, findings, isDense)
  const place = checkpoints.place()
  return {
    events: tree.size(),
    root: Buffer.from(tree.root()).toString('base64'),
    found: findings.count() + judged.found,
    findings: [...findings.kept(), ...judged.findings].sort(inOrder),
    against: checkpoints.compared(),
    ...(place && { place }),
  }
}
