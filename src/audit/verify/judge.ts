import type { Recorded } from '../../domain/event.ts'
import { canonicalJson } from '../../domain/values/canonical-json.ts'
import { type PublicPosition, toStorePosition } from '../../domain/values/position.ts'
import type { StoredRecord } from '../../event-store/event-store.ts'
import { decodeParsed, UndecodableEvent } from '../../event-store/stored-event.ts'
import { makeRules } from '../rules/rules.ts'
import type { Findings } from './findings.ts'

/** A decoded event, or what is known of an unreadable one. */
type ParsedEvent =
  | { readonly event: Recorded; readonly isCanonical: boolean }
  | { readonly why: string; readonly stream: string | undefined; readonly revision: number }

/** Decodes a raw event. In verification events go by their public positions only. */
const parseEvent = (text: string, position: PublicPosition): ParsedEvent => {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    return { why: (error as Error).message, stream: undefined, revision: -1 }
  }
  try {
    return { event: decodeParsed(parsed, toStorePosition(position)), isCanonical: canonicalJson(parsed) === text }
  } catch (error) {
    if (!(error instanceof UndecodableEvent)) throw error
    const { stream, revision } = parsed as { readonly stream?: unknown; readonly revision?: unknown }
    const isPlaced = typeof stream === 'string' && Number.isSafeInteger(revision)
    return {
      why: error.message,
      stream: isPlaced ? stream : undefined,
      revision: isPlaced ? (revision as number) : -1,
    }
  }
}

/** Decodes events and checks them against the rules, and the links by which streams are read. */
export const makeJudge = (findings: Findings) => {
  const rules = makeRules()
  return {
    judge: ({ text, previous }: StoredRecord, position: PublicPosition): void => {
      const report = (what: string): void => findings.add(position, `the event ${what}`)
      const read = parseEvent(text, position)
      if ('why' in read) {
        findings.add(position, `the event cannot be read: ${read.why}`)
        if (read.stream !== undefined) rules.skip(read.stream, read.revision, position)
        return
      }
      if (!read.isCanonical) report('is not in canonical form')
      const expected = rules.judge(read.event, position, report)
      // Commands are decided on what the links lead to. A redirected one hides events from them.
      if (previous === undefined || expected === undefined || previous === expected) return
      const led = previous === null ? 'nothing' : `the event at ${previous}`
      const leads = expected === null ? 'nothing' : `the one at ${expected}`
      report(`is linked to ${led} as its predecessor, but follows ${leads}`)
    },
    streams: rules.streams,
  }
}
