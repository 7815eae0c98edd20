import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ask, authorization, MAIN, makeSuts, PASSWORD, type Reserved, SCRIPT } from './berth.ts'
import { load, type Sample, type Server, type startServer } from './processes.ts'
import { type Watched, watch } from './quiet.ts'
import type { Options } from './sampling.ts'

/** What the parts of the benchmark have in common. */
export interface Setting extends Options {
  readonly seconds: number
  /** For files that are of no more use afterwards. */
  readonly directory: string
}

export const CONNECTIONS = 64
export const SUTS = 500
const DAY = 86_400_000
const QUARTER = 900_000
export const ECHO = join(import.meta.dirname, 'echo.ts')

/** What was answered with 201, and how many answers may have been cut off at the end of a sample. */
export interface Answered {
  readonly accepted: number
  readonly cutOff: number
}

/** Creates reservations on a server, none in a window that it has asked for before. */
export interface Creator {
  readonly sample: (connections?: number) => Promise<Watched<Sample>>
  /** With another script, which is told of more than `create.lua`. */
  readonly sampleWith: (script: string, more: readonly string[]) => Promise<Watched<Sample>>
  readonly answered: () => Answered
}

/** A load of which every answer has to be a success. */
export const loadWell = async (...what: Parameters<typeof load>): Promise<Sample> => {
  const taken = await load(...what)
  if (taken.refused + taken.broken > 0) throw new Error(`${taken.refused} refused, ${taken.broken} broken`)
  return taken
}

export const makeCreator = (
  server: Server,
  { user, sutsFile, seconds }: { user: string; sutsFile: string; seconds: number },
): Creator => {
  let next = 0
  let answered: Answered = { accepted: 0, cutOff: 0 }
  const sample = async (script: string, connections: number, more: readonly string[]): Promise<Watched<Sample>> => {
    const args = [String(next), user, authorization, sutsFile, ...more]
    const watched = await watch(server, () => loadWell(server.url, script, connections, seconds, args))
    const { requests, statuses } = watched.taken
    next += requests + 2 * connections
    const { accepted, cutOff } = answered
    answered = { accepted: accepted + (statuses[201] ?? requests), cutOff: cutOff + connections }
    return watched
  }
  return {
    sample: (connections = CONNECTIONS) => sample(SCRIPT, connections, []),
    sampleWith: (script, more) => sample(script, CONNECTIONS, more),
    answered: () => answered,
  }
}

/** A service with SUTs, and who creates reservations of them. */
export interface Berth {
  readonly server: Server
  readonly data: string
  readonly user: string
  readonly sutsFile: string
  readonly creator: Creator
}

export const writeLines = (path: string, lines: readonly string[]): string => {
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

/** `name` is that of its directory. */
export const startBerth = async (start: typeof startServer, name: string, setting: Setting): Promise<Berth> => {
  const data = join(setting.directory, name)
  // As far ahead as can be: windows are asked for faster than time goes by.
  const server = await start([MAIN, 'serve'], {
    BERTH_DATA: data,
    BERTH_PORT: '0',
    BERTH_ADMIN_PASSWORD: PASSWORD,
    BERTH_HORIZON: 'P3660D',
  })
  const { _id: user } = await ask(server.url, '/api/user/me')
  const sutsFile = writeLines(`${data}-suts`, await makeSuts(server, SUTS))
  const creator = makeCreator(server, { user, sutsFile, seconds: setting.seconds })
  return { server, data, user, sutsFile, creator }
}

/** Reservations of one SUT for consecutive quarters of an hour. */
export interface Reservations {
  readonly sut: string
  /** Of the first, in Unix seconds. */
  readonly start: number
  /** As their creates were answered. */
  readonly made: readonly Reserved[]
}

/** Makes them one by one, of a new SUT and from tomorrow on. */
export const reserve = async (
  { server, user }: Pick<Berth, 'server' | 'user'>,
  quarters: number,
): Promise<Reservations> => {
  const [sut_id = ''] = await makeSuts(server, 1)
  const start = Math.ceil(Date.now() / DAY + 1) * DAY
  const made: Reserved[] = []
  for (let at = start; made.length < quarters; at += QUARTER) {
    const [start_time, end_time] = [at, at + QUARTER].map((time) => new Date(time).toISOString())
    const answer = await ask(server.url, '/api/sut_reservation/create', { user_id: user, sut_id, start_time, end_time })
    made.push(answer as Reserved)
  }
  return { sut: sut_id, start: start / 1_000, made }
}
