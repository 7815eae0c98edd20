import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { eventDeclarations } from '../../domain/event.ts'
import type { ClosedSession } from '../../domain/session/decide.ts'
import { makeId } from '../../domain/values/ids.ts'
import { replaceFile } from '../../files/replace-file.ts'
import { makeSessions, type Sessions, type SessionsOptions } from '../../processes/sessions/sessions.ts'
import type { Lab } from '../core/base.ts'

/** Sessions written per turn of the event loop. */
const SESSIONS_PER_TURN = 200

/** Writes a line for each session, in the form of its SessionClosed. Replaces the whole file. */
const writeSessionsFile = (path: string, sessions: Iterable<ClosedSession>): Promise<void> =>
  replaceFile(path, async (file) => {
    let lines: string[] = []
    for (const session of sessions) {
      if (lines.push(`${JSON.stringify(session)}\n`) < SESSIONS_PER_TURN) continue
      await file.writeFile(lines.join(''))
      lines = []
      await turn()
    }
    await file.writeFile(lines.join(''))
  })

/** Skips unreadable lines: the log still says which sessions are open. */
const readSessionsFile = async (path: string, { log }: Lab): Promise<readonly ClosedSession[]> => {
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

/** The sessions of this instance, including those that its last run had not recorded. */
export const openSessions = async (
  lab: Lab,
  options: Pick<SessionsOptions, 'instance' | 'isForwarded' | 'isServing'>,
): Promise<Sessions> => {
  const { config, processClock: clock, randomHex, log, alarms } = lab
  const path = join(config.data, 'sessions')
  return makeSessions({
    ...{ ...lab, ...options, clock },
    leftover: await readSessionsFile(path, lab),
    save: (sessions) => writeSessionsFile(path, sessions),
    makeSessionId: (at) => makeId(at, randomHex(8)),
    onDropped: () => {
      if (!alarms.isRaised('sessions'))
        alarms.raise('sessions', 'too many sessions wait to be recorded; leaving out further ones')
    },
    onCaughtUp: () => alarms.clear('sessions', 'sessions are recorded again'),
    onError: (error) => log.error({ err: error }, 'sessions were not recorded; retrying'),
  })
}
