import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { integer, listOf, matching } from '../../domain/codec/codec.ts'
import { type EventType, type Recorded, schemaVersion } from '../../domain/event.ts'
import { type PublicPosition, toPublicPosition, toStorePosition } from '../../domain/values/position.ts'
import { decodeParsed, UndecodableEvent } from '../../event-store/stored-event.ts'
import { answer, describeProblem, line, parseJson } from '../service/call.ts'
import { CommandFailure } from '../terminal/command.ts'

/** Events as a service answers them: CloudEvents, which histories extend. */

const Changed = answer({ path: line }, { from: t.unknown, to: t.unknown, changed: t.literal(true) })

export const AnsweredEvent = answer(
  {
    ...{ id: line, source: line, stream: line, time: line, actor: line, actorrole: line, requestid: line },
    type: matching('type', /^berth\.[A-Za-z]{1,64}$/, 'must be berth. and the type of an event'),
    sequence: matching('sequence', /^\d{20}$/, 'must be a position'),
    data: t.UnknownRecord,
  },
  {
    // A tester with a scope sees none.
    revision: integer(0, Number.MAX_SAFE_INTEGER),
    ...{ reason: line, client: line, actorname: line, changes: listOf(Changed) },
  },
)
export type AnsweredEvent = t.TypeOf<typeof AnsweredEvent>

/** The event as it was recorded. Its store position here is the public one. @throws CommandFailure */
export const recordedOf = (shown: AnsweredEvent): Recorded => {
  const { id, stream, revision = 0, type, data, time, actor, actorrole: role, requestid, reason, client } = shown
  const optional = { ...(reason !== undefined && { reason }), ...(client !== undefined && { client }) }
  const name = type.slice('berth.'.length) as EventType
  // A service upgrades what it shows.
  const metadata = { actor, role, request_id: requestid, time, schema: schemaVersion(name), ...optional }
  const event = { id, stream, revision, type: name, data, metadata }
  try {
    return decodeParsed(event, toStorePosition(positionOf(shown)))
  } catch (error) {
    if (!(error instanceof UndecodableEvent)) throw error
    throw new CommandFailure(`an event of the service cannot be read: ${error.message}`)
  }
}

export const positionOf = ({ sequence }: Pick<AnsweredEvent, 'sequence'>): PublicPosition =>
  toPublicPosition(Number(sequence))

const Line = t.union([
  AnsweredEvent,
  answer({ checkpoint: answer({}, { sequence: t.unknown }) }, {}),
  answer({ error: answer({ detail: line }, {}) }, {}),
])

/** A line of a transfer of events. @throws CommandFailure if it is none, or if the service ended the transfer */
export const readLine = (text: string): AnsweredEvent | 'complete' => {
  const parsed = parseJson(text)
  if (parsed === undefined) throw new CommandFailure('the service did not answer with lines of JSON')
  const read = Line.decode(parsed)
  if (E.isLeft(read)) throw new CommandFailure(`a line of the service cannot be read: ${describeProblem(read.left)}`)
  if ('error' in read.right) throw new CommandFailure(`the service ended the transfer: ${read.right.error.detail}`)
  return 'checkpoint' in read.right ? 'complete' : read.right
}
