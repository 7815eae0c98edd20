import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { load, type Sample, type Server, type startServer } from '../measure/processes.ts'
import { type Watched, watch } from '../measure/quiet.ts'
import type { Options } from '../measure/sampling.ts'
import { ask, authorization, importSuts, MAIN, PASSWORD, SCRIPT } from './berth.ts'

/** Options common to the parts of the benchmark. */
export interface Setting extends Options {
  readonly seconds: number
  /** For temporary files. */
  readonly directory: string
}

export const CONNECTIONS = 64
export const SUTS = 500
export const ECHO = join(import.meta.dirname, 'echo.ts')

/** Number of 201 responses, and of responses possibly cut off at the end of a sample. */
export interface Answered {
  readonly accepted: number
  readonly cutOff: number
}

/** Creates reservations on a server, each in a new window. Those of several creators of a SUT begin far apart. */
export interface Creator {
  readonly sample: (connections?: number) => Promise<Watched<Sample>>
  /** With another script and further arguments. */
  readonly sampleWith: (script: string, more: readonly string[]) => Promise<Watched<Sample>>
  readonly answered: () => Answered
}

/** Runs a load; throws if any request fails. */
export const loadWell = async (...what: Parameters<typeof load>): Promise<Sample> => {
  const taken = await load(...what)
  if (taken.refused + taken.broken > 0) throw new Error(`${taken.refused} refused, ${taken.broken} broken`)
  return taken
}

export const makeCreator = (
  server: Server,
  { user, sutsFile, seconds, from = 0 }: { user: string; sutsFile: string; seconds: number; from?: number },
): Creator => {
  let next = from
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

/** A service with SUTs, and a creator of reservations on them. */
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

export const environmentOf = (data: string): Record<string, string> => ({
  BERTH_DATA: data,
  BERTH_PORT: '0',
  BERTH_ADMIN_PASSWORD: PASSWORD,
  // The maximum horizon: windows are reserved faster than time passes.
  BERTH_HORIZON: 'P3660D',
})

/** `name` is the name of its directory. */
export const startService = async (
  start: typeof startServer,
  name: string,
  { directory }: Pick<Setting, 'directory'>,
  environment: Readonly<Record<string, string>> = {},
): Promise<Pick<Berth, 'server' | 'data' | 'user'>> => {
  const data = join(directory, name)
  const server = await start([MAIN, 'serve'], { ...environmentOf(data), ...environment })
  return { server, data, user: (await ask(server.url, '/api/user/me'))._id }
}

/** With SUTs. `name` is the name of its directory. */
export const startBerth = async (start: typeof startServer, name: string, setting: Setting): Promise<Berth> => {
  const service = await startService(start, name, setting)
  const sutsFile = writeLines(`${service.data}-suts`, await importSuts(service.server, SUTS))
  const creator = makeCreator(service.server, { user: service.user, sutsFile, seconds: setting.seconds })
  return { ...service, sutsFile, creator }
}
