import type { Recorded } from '../../domain/event.ts'
import { canonicalJson } from '../../domain/values/canonical-json.ts'
import { type PublicPosition, toStorePosition } from '../../domain/values/position.ts'
import { decodeParsed, UndecodableEvent } from '../../event-store/stored-event.ts'

/** A decoded event, or what is known of an unreadable one. */
export type ParsedEvent =
  | { readonly event: Recorded; readonly isCanonical: boolean }
  | { readonly why: string; readonly stream: string | undefined; readonly revision: number }

/** Decodes a raw event. In verification events go by their public positions only. */
export const parseEvent = (text: string, position: PublicPosition): ParsedEvent => {
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
