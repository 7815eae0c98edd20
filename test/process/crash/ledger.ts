import { join } from 'node:path'
import { openSqliteStore } from '../../../src/event-store/sqlite/store.ts'
import { replay } from '../../../src/read-models/replay.ts'
import type { Client } from '../../http/client.ts'
import { aSut } from '../../http/requests.ts'
import { run } from '../harness.ts'
import { damageOf, type Row, readRows } from '../log-rows.ts'
import { send } from './load.ts'
import { type Attempt, problemsOfAnswers, repeatedKeys } from './truth.ts'

/** Compares the stored documents with a rebuild from the log. */
const replayProblems = async (data: string): Promise<readonly string[]> => {
  const store = openSqliteStore({
    path: join(data, 'events.db'),
    readOnly: true,
    randomHex: () => '',
    onFatal: () => undefined,
  })
  try {
    return (await replay(join(data, 'views.db'), store)).differences
  } finally {
    await store.close()
  }
}

/** What `verify` finds in the log, whether a service writes it or not. */
const verifyProblems = async (data: string): Promise<readonly string[]> => {
  const { code, output, errors } = await run({ data, args: ['verify'] })
  return code === 0 ? [] : [`${output}${errors}`]
}

/** The SUTs and the user of the load. */
export const prepare = async (client: Client): Promise<{ suts: readonly string[]; user: string }> => {
  const me = (await client.get('/api/user/me')).json
  const made = await Promise.all([1, 2, 3, 4].map((n) => client.post('/api/sut/create', aSut({ name: `bench ${n}` }))))
  return { suts: made.map(({ json }) => String(json._id)), user: String(me._id) }
}

const isMade = ({ kind, answer }: Attempt): boolean => kind === 'reserve' && answer?.status === 201

/** Every acknowledged reservation must read the same as it was answered. */
const readingProblems = async (client: Client, attempts: readonly Attempt[]): Promise<readonly string[]> => {
  const read = attempts.filter(isMade).map(async ({ answer }) => {
    const { status, text } = await client.get(`/api/sut_reservation/${answer?.json._id}`)
    return status === 200 && text === answer?.text ? [] : [`${answer?.text} is read as ${status} ${text}`]
  })
  return (await Promise.all(read)).flat()
}

/**
 * Retries each unanswered request twice with its key, and some answered ones. All answers must agree, whether the first
 * attempt was recorded or not.
 */
export const retryingProblems = async (client: Client, attempts: Attempt[]): Promise<readonly string[]> => {
  const keyed = attempts.filter(({ key }) => key !== undefined)
  const retried = [
    ...keyed.filter(({ answer }) => answer === undefined || answer.status === 503),
    ...keyed.filter(({ answer }) => answer !== undefined && answer.status < 300).slice(-10),
  ]
  const retry = async (attempt: Attempt): Promise<readonly string[]> => {
    const { kind, path, body, key } = attempt
    const [first, second]: [Attempt, Attempt] = [
      { kind, path, body, key },
      { kind, path, body, key },
    ]
    await send(client, first)
    await send(client, second)
    attempts.push(first, second)
    return [
      [attempt.answer, first.answer],
      [first.answer, second.answer],
    ].flatMap(([one, other]) => {
      const isOne = one === undefined || one.status >= 300 || (one.status === other?.status && one.text === other.text)
      return isOne ? [] : [`a retry of ${kind} was answered ${other?.status} ${other?.text}, before ${one.text}`]
    })
  }
  return (await Promise.all(retried.map(retry))).flat()
}

export interface Looking {
  /** Whether the service may have answered with errors. */
  readonly isTrouble?: boolean
  /** Whether the documents are compared with a rebuild. */
  readonly isReplayed?: boolean
}

/** Checks of one log while a sequence of services writes to it. */
export const openLedger = (data: string) => {
  const log = join(data, 'events.db')
  let rows: readonly Row[] = []

  const readOn = (): readonly string[] => {
    const last = rows.at(-1)
    const seen = readRows(log, last?.position ?? 0)
    rows = [...rows.slice(0, -1), ...seen]
    return last === undefined || seen[0]?.id === last.id ? [] : [`the event at ${last.position} has changed`]
  }

  return {
    /** Retries and reads with the running service, and compares all answers with the log. */
    look: async (
      client: Client,
      given: readonly Attempt[],
      { isTrouble = false, isReplayed = true }: Looking = {},
    ): Promise<readonly string[]> => {
      const attempts = [...given]
      const retrying = await retryingProblems(client, attempts)
      return [
        ...retrying,
        ...readOn(),
        ...repeatedKeys(rows),
        ...(await verifyProblems(data)),
        ...problemsOfAnswers(attempts, rows, isTrouble),
        ...(await readingProblems(client, attempts)),
        ...(isReplayed ? await replayProblems(data) : []),
      ]
    },
    /** The last check, once no service runs. */
    close: async (): Promise<readonly string[]> => {
      const all = readRows(log)
      const missing = all.length < rows.length ? [`${all.length} events at the end, ${rows.length} seen before`] : []
      return [...missing, ...(await verifyProblems(data)), ...(await replayProblems(data)), ...damageOf(log)]
    },
    events: () => rows.length,
  }
}
