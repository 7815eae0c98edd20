import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { eventDeclarations } from '../../domain/event.ts'
import type { ClosedSession } from '../../domain/session/decide.ts'
import { makeEventId, makeId } from '../../domain/values/ids.ts'
import { replaceFile } from '../../files/replace-file.ts'
import { makeSessions, type Sessions, type SessionsOptions } from '../../processes/sessions/sessions.ts'
import type { Opened } from '../accounts/opened.ts'

/** Between log lines about sessions that are not recorded. */
const LOG_INTERVAL_MS = 60_000

/** Sessions written per turn of the event loop. */
const LINES = 200

/** Writes a line for each session, in the form of its SessionClosed. Replaces the whole file. */
const writeSessionsFile = (path: string, sessions: Iterable<ClosedSession>): Promise<void> =>
  replaceFile(path, async (file) => {
    let lines: string[] = []
    for (const session of sessions) {
      if (lines.push(`${JSON.stringify(session)}\n`) < LINES) continue
      await file.writeFile(lines.join(''))
      lines = []
      await turn()
    }
    await file.writeFile(lines.join(''))
  })

/** Skips unreadable lines: the log still says which sessions are open. */
const readSessionsFile = async (path: string, log: Opened['log']): Promise<readonly ClosedSession[]> => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') log.warn({ err: error }, 'the file of open sessions cannot be read; using the log')
    return ''
  })
  return text.split('\n').flatMap((line) => {
    if (line === '') return []
    const read = E.tryCatch(() => JSON.parse(line) as unknown, E.toError)
    const session = E.isLeft(read) ? read : eventDeclarations.SessionClosed.data.decode(read.right)
    if (E.isRight(session)) return [session.right]
    log.warn({}, 'a line of the file of open sessions is damaged; using the log')
    return []
  })
}

export interface OpenSessionsOptions
  extends Omit<
      SessionsOptions,
      'leftover' | 'save' | 'makeSessionId' | 'makeRequestId' | 'onDropped' | 'onCaughtUp' | 'onError'
    >,
    Pick<Opened, 'randomHex' | 'log' | 'alarms'> {
  /** The data directory. */
  readonly data: string
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
