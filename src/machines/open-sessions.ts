import { join } from 'node:path'
import { makeEventId, makeId, type RandomHex } from '../domain/values/ids.ts'
import { makeSessions, type Sessions, type SessionsOptions } from '../processes/sessions/sessions.ts'
import type { Alarms } from '../telemetry/alarms.ts'
import { readSessionsFile, writeSessionsFile } from './sessions-file.ts'

/** Between log lines about sessions that are not recorded. */
const LOG_INTERVAL_MS = 60_000

type Log = Record<'warn' | 'error', (facts: object, sentence: string) => void>

export interface OpenSessionsOptions
  extends Omit<
    SessionsOptions,
    'leftover' | 'save' | 'makeSessionId' | 'makeRequestId' | 'onDropped' | 'onCaughtUp' | 'onError'
  > {
  /** The data directory. */
  readonly data: string
  readonly randomHex: RandomHex
  readonly log: Log
  readonly alarms: Pick<Alarms, 'raise' | 'clear'>
}

/** The sessions of this instance, including those that its last run had not recorded. */
export const openSessions = async (options: OpenSessionsOptions): Promise<Sessions> => {
  const { data, clock, sinceBoot, randomHex, log, alarms } = options
  const path = join(data, 'sessions')
  let loggedAt = Number.NEGATIVE_INFINITY
  return makeSessions({
    ...options,
    leftover: await readSessionsFile(path, log),
    save: (sessions) => writeSessionsFile(path, sessions),
    makeSessionId: (at) => makeId(at, randomHex(8)),
    makeRequestId: () => makeEventId(clock.now(), randomHex(10)),
    onDropped: () => {
      if (sinceBoot() - loggedAt < LOG_INTERVAL_MS) return
      loggedAt = sinceBoot()
      alarms.raise('sessions', 'too many sessions wait to be recorded; leaving out further ones')
    },
    onCaughtUp: () => alarms.clear('sessions', 'sessions are recorded again'),
    onError: (error) => log.error({ err: error }, 'sessions were not recorded; retrying'),
  })
}
