import { setTimeout as delay } from 'node:timers/promises'
import type { AppendExpectedRevision, AppendResult } from '@eventstore/db-client'
import * as E from 'fp-ts/lib/Either.js'
import type { NewEvent } from '../../domain/event.ts'
import type { SealedSecret } from '../../domain/sealed-secret.ts'
import { toStorePosition } from '../../domain/values/position.ts'
import { type Appended, type AppendFailure, before, NO_STREAM, StoreUnavailable } from '../event-store.ts'
import { encodeEvent } from '../stored-event.ts'
import { retryDelay, type StoreConnection } from './server/connection.ts'
import { faultOf } from './server/faults.ts'
import { type ReadPage, storePositionOf, toClient } from './server/read.ts'

/**
 * Of one attempt. Attempts are repeated until the outcome is known, or the time of the append is over. A cluster whose
 * leader was killed has a new one in half of that. If the leader is frozen, it takes 9 to 13 s (24.10) or more than 27
 * s (23.10).
 */
const ATTEMPT_TIMEOUT_MS = 3_000

interface AppendOptions {
  readonly connection: StoreConnection
  readonly readPage: ReadPage
  /** Stores secrets that become current when the event with that revision and id is in the log. */
  readonly keepSecrets: (secrets: readonly SealedSecret[], revision: number, eventId: string) => Promise<void>
}

type Append = (
  stream: string,
  expected: number,
  events: readonly NewEvent[],
  secrets: readonly SealedSecret[],
  within: number,
) => Promise<E.Either<AppendFailure, Appended>>

/**
 * Store position of the last event of an append. If the server recognised a repetition, its response may omit it or
 * give the first event's.
 */
const makeAppendedAt =
  (readPage: ReadPage) =>
  async (stream: string, revision: number, { position }: AppendResult, isAlone: boolean): Promise<Appended> => {
    if (isAlone && position !== undefined && position.commit === position.prepare) {
      return { revision, storePosition: toStorePosition(Number(position.commit)) }
    }
    const [last] = (await readPage(stream, revision, 1)) ?? []
    if (last === undefined) throw new StoreUnavailable(`${stream} does not contain the appended events`)
    return { revision, storePosition: storePositionOf(last) }
  }

/** Keeps none for an append that is repeated or conflicts: the secrets may have been erased since it was written. */
const makeKeepSecretsOnce =
  (readPage: ReadPage, keepSecrets: AppendOptions['keepSecrets']) =>
  async (secrets: readonly SealedSecret[], stream: string, revision: number, eventId: string): Promise<void> => {
    if (secrets.length === 0) return
    const [taken] = (await readPage(stream, revision, 1)) ?? []
    if (taken === undefined) await keepSecrets(secrets, revision, eventId)
  }

/**
 * Appends, and retries if the response was lost. The server recognises the same event ids at the same expected
 * revision, so nothing is written twice and a written append is never reported as `moved`.
 */
export const makeAppend = ({ connection, readPage, keepSecrets }: AppendOptions): Append => {
  const { prefix } = connection
  const appendedAt = makeAppendedAt(readPage)
  const keepSecretsOnce = makeKeepSecretsOnce(readPage, keepSecrets)

  return async (stream, expected, events, secrets, within) => {
    const [first] = events
    if (first === undefined) throw new TypeError('an append without events')
    // Encode first to reject events without a canonical form, which could not be verified later. The client would send
    // them.
    for (const [i, event] of events.entries()) encodeEvent(stream, expected + 1 + i, event)
    const clientEvents = events.map(toClient)
    const revision = expected + events.length
    const expectedRevision: AppendExpectedRevision = expected === NO_STREAM ? 'no_stream' : BigInt(expected)
    const until = performance.now() + within
    let [isSent, isOver, mayBeWritten] = [false, false, false]

    const tryOnce = async (): Promise<Appended> => {
      isSent = false
      await keepSecretsOnce(secrets, stream, expected + 1, first.id)
      if (isOver) throw new StoreUnavailable('the time of the append is over')
      isSent = true
      const deadline = Math.max(1, Math.min(ATTEMPT_TIMEOUT_MS, Math.ceil(until - performance.now())))
      const result = await connection.use((client) =>
        client.append(prefix + stream, clientEvents, expectedRevision, deadline),
      )
      mayBeWritten = true
      return appendedAt(stream, revision, result, events.length === 1)
    }

    for (let attempt = 1; ; attempt++) {
      try {
        return E.right(await before(until, tryOnce()))
      } catch (error) {
        const fault = faultOf(error)
        if (fault === 'moved') return E.left('moved')
        if (fault === 'refused') throw error
        const pause = retryDelay(attempt)
        const isLate = performance.now() + pause > until
        // What is still on its way when the time is over may be written later.
        mayBeWritten ||= isSent && fault === 'unanswered' && (isLate || !(error instanceof StoreUnavailable))
        isOver = isLate || fault === 'denied' || error instanceof StoreUnavailable
        if (isOver) return E.left(mayBeWritten ? 'unknown' : 'unavailable')
        await delay(pause)
      }
    }
  }
}
