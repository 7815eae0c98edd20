import { readFile } from 'node:fs/promises'
import { setImmediate as turn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { eventData } from '../domain/event.ts'
import type { ClosedSession } from '../domain/session/decide.ts'
import { replaceFileWith } from '../files/replace-file.ts'

/** Sessions written per turn of the event loop. */
const LINES = 200

/** Writes a line for each session, in the form of its SessionClosed. Replaces the whole file. */
export const writeSessionsFile = (path: string, sessions: Iterable<ClosedSession>): Promise<void> =>
  replaceFileWith(path, async (file) => {
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
export const readSessionsFile = async (
  path: string,
  log: { readonly warn: (facts: object, sentence: string) => void },
): Promise<readonly ClosedSession[]> => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') log.warn({ err: error }, 'the file of open sessions cannot be read; using the log')
    return ''
  })
  return text.split('\n').flatMap((line) => {
    if (line === '') return []
    const read = E.tryCatch(() => JSON.parse(line) as unknown, E.toError)
    const session = E.isLeft(read) ? read : eventData.SessionClosed.decode(read.right)
    if (E.isRight(session)) return [session.right]
    log.warn({}, 'a line of the file of open sessions is damaged; using the log')
    return []
  })
}
