/** Long answers, sent in pieces as their clients take them. */

import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate as turn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { makeTurns } from '../../concurrency/turns.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { RouteResponse } from '../protocol/call.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'

export interface SendingLimits {
  /** Answers being made and sent, in all and to one user. */
  readonly total: number
  readonly perUser: number
  /** Milliseconds for a client to take an answer. */
  readonly timeout: number
}

const SENDING_LIMITS: SendingLimits = { total: 16, perUser: 4, timeout: 300_000 }

/** The pieces of an answer, each made when the one before has been taken. */
export type MakePieces = () => Iterable<string> | AsyncIterable<string>

/** Whether a response has ended because its client left or took too long. */
const isOfClient = (error: unknown): boolean => {
  const { code, name } = error as Error & { code?: string }
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ERR_STREAM_UNABLE_TO_PIPE' || name === 'AbortError'
}

/** One piece a turn: a client that reads fast would otherwise be sent them all in one. */
async function* paced(makePieces: MakePieces): AsyncGenerator<string> {
  for await (const piece of makePieces()) {
    yield piece
    await turn()
  }
}

const send = async (makePieces: MakePieces, timeout: number, response: ServerResponse): Promise<void> => {
  try {
    await pipeline(Readable.from(paced(makePieces)), response, { signal: AbortSignal.timeout(timeout) })
  } catch (error) {
    // The connection is closed, so that the client can see that the answer is incomplete.
    response.destroy()
    if (!isOfClient(error)) throw error
  }
}

/** A place among the answers that are made and sent. It is left once: by `leave`, or after what `send` returns. */
export interface SendingPlace {
  readonly send: (makePieces: MakePieces, position: PublicPosition) => RouteResponse
  readonly leave: () => void
}

export const makeSending = (overrides: Partial<SendingLimits> = {}) => {
  const { total, perUser, timeout } = { ...SENDING_LIMITS, ...overrides }
  const [all, own] = [makeTurns({ limit: total }), makeTurns({ limit: perUser })]
  /** Takes a place for a user, unless too many are taken. */
  return (userId: string): E.Either<Refusal, SendingPlace> => {
    if (!all.isFree('') || !own.isFree(userId)) {
      return E.left(refusal('unavailable', 'Too many long answers are being sent. Try again.'))
    }
    all.acquire('')
    own.acquire(userId)
    const leave = (): void => {
      all.release('')
      own.release(userId)
    }
    return E.right({
      leave,
      send: (makePieces, position) => {
        const run = (response: ServerResponse) => send(makePieces, timeout, response).finally(leave)
        return { status: 200, body: { run, leave }, position }
      },
    })
  }
}
export type TakeSendingPlace = ReturnType<typeof makeSending>
