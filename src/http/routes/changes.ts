import * as E from 'fp-ts/lib/Either.js'
import { BEFORE_FIRST } from '../../domain/values/position.ts'
import type { DelayedStart } from '../../feed/stream.ts'
import { LATEST } from '../codecs/as-of.ts'
import { type ChangesQuery, changesQuery } from '../codecs/events.ts'
import { everyone, get } from '../protocol/declaration.ts'
import type { Call, RouteResult } from '../protocol/route.ts'
import type { Parts } from './parts.ts'
import {
  beginOrHold,
  EVENT_STREAM,
  isEarly,
  makeDelayedStart,
  requestedPosition,
  startPosition,
  streamResponse,
} from './stream-start.ts'

type ChangesCall = Call<unknown, ChangesQuery>

/** Where a stream begins. A position that the log does not have is one of another log: it is told to read again. */
const startOf = async (parts: Parts, call: ChangesCall): ReturnType<typeof startPosition> => {
  const begun = await startPosition(parts, call, LATEST)
  const requested = requestedPosition(call, LATEST)
  return E.isLeft(begun) && !isEarly(begun.left) && requested !== LATEST ? E.right(requested) : begun
}

const holdFor = (parts: Parts, call: ChangesCall): DelayedStart => ({
  ...makeDelayedStart(parts, call, LATEST),
  begin: async () => {
    const begun = await startOf(parts, call)
    return E.isRight(begun) ? begun.right : undefined
  },
})

/** Tells a user what has changed of what it may read. */
const follow = async (parts: Parts, call: ChangesCall): RouteResult => {
  const { changes, views } = parts
  const digest = await parts.digest()
  return beginOrHold(
    parts,
    async () => {
      const begun = await startOf(parts, call)
      if (E.isLeft(begun)) return begun
      const position = views.position()
      return streamResponse(await changes.subscribe(call.user, { after: begun.right, digest }), position)
    },
    async () => {
      const held = holdFor(parts, call)
      return streamResponse(await changes.subscribe(call.user, { after: BEFORE_FIRST, digest }, held), 'held')
    },
  )
}

export const readChanges = get({
  path: '/api/changes',
  id: 'readChanges',
  summary: 'Follow which objects change',
  description:
    'Server-Sent Events: `ready` with the position from which it follows, then `change` for each object that changed and may be read, one entry an object in 250 ms, and `reload` where there are too many to tell. /asyncapi.json describes them.',
  roles: everyone,
  mediaType: EVENT_STREAM,
  query: changesQuery,
  isResumable: true,
  heldMediaType: EVENT_STREAM,
  answer: { type: 'string' },
  refusals: ['too_many_subscribers'],
  handler: follow,
})
