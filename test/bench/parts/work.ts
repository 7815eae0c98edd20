import { join } from 'node:path'
import { load, type Sample, withServers } from '../measure/processes.ts'
import { type Watched, watch } from '../measure/quiet.ts'
import { type Alternation, alternate, type Round, rowOf } from '../measure/sampling.ts'
import type { TableRow } from '../measure/table.ts'
import { checkEcho, checkLog, countOn, reservedIn } from '../scale/checks.ts'
import { authorization, makeSuts, perSecond } from '../servers/berth.ts'
import {
  type Answered,
  type Berth,
  CONNECTIONS,
  type Creator,
  ECHO,
  makeCreator,
  reserve,
  type Setting,
  startBerth,
  writeLines,
} from '../servers/creating.ts'

/** Creates with other loads, compared with the echo of the same body. */

const script = (name: string): string => join(import.meta.dirname, '../load', name)
/** In addition to those of the other rows. */
const OTHER_CONNECTIONS = [1, 8, 256]
const HOT_WINDOWS = 200
/** Number of reservations to read from. */
const READ = 5_000

const toEcho = ({ berth, echo }: Round<'berth' | 'echo'>): number => perSecond(berth) / perSecond(echo)

const inWords = (connections: number): string =>
  connections === 1 ? 'creates, 1 connection' : `creates, ${connections} connections`

const connectionsRow = async (connections: number, berth: Creator, echo: Creator, setting: Setting) => {
  const samplers = { berth: () => berth.sample(connections), echo: () => echo.sample(connections) }
  return rowOf(await alternate(samplers, setting), { what: `${inWords(connections)}, to the echo` }, toEcho)
}

/** Four reads per create, after creating enough reservations to read. */
const mixing = async ({ creator, data }: Berth) => {
  while (creator.answered().accepted < READ) await creator.sample()
  const paths = reservedIn(data).map(({ _id }) => `/api/sut_reservation/${_id}`)
  const file = writeLines(`${data}-paths`, paths)
  return () => creator.sampleWith(script('mixed.lua'), [file])
}

/** Every create is refused, because the windows of its SUT are taken. */
const colliding = async (berth: Berth, seconds: number) => {
  const { sut, start } = await reserve(berth, HOT_WINDOWS)
  const { server, user } = berth
  const args = [String(start), String(HOT_WINDOWS), user, authorization, sut]
  const refused = async (): Promise<Sample> => {
    const taken = await load(server.url, script('collide.lua'), CONNECTIONS, seconds, args)
    if (taken.broken > 0 || taken.statuses[409] !== taken.requests) throw new Error(JSON.stringify(taken))
    return taken
  }
  return { sut, sample: () => watch(server, refused) }
}

/** All creates are on one SUT without earlier reservations. */
const onOneSut = ({ server, data, user }: Berth, seconds: number) => {
  const creators: Creator[] = []
  const sample = async (): Promise<Watched<Sample>> => {
    const creator = makeCreator(server, {
      user,
      seconds,
      sutsFile: writeLines(`${data}-sut`, await makeSuts(server, 1)),
    })
    creators.push(creator)
    return creator.sample()
  }
  return { creators, sample }
}

type Name = 'echo' | 'berth' | 'mixed' | 'hot' | 'cold'

const kindsOf = (alternation: Alternation<Name>, onOne: number): readonly TableRow[] => {
  const to = (name: Name, what: string): TableRow =>
    rowOf(alternation, { what: `${what}, to the echo` }, (round) => perSecond(round[name]) / perSecond(round.echo))
  return [
    to('berth', inWords(CONNECTIONS)),
    to('mixed', 'requests, 80 % reads by id and 20 % creates'),
    to('hot', `refusals (409) on one SUT with ${HOT_WINDOWS} windows`),
    to('cold', `creates on one SUT, new in every sample, up to ${onOne} windows`),
  ]
}

export const workRows = (setting: Setting): Promise<readonly TableRow[]> =>
  withServers(async (start) => {
    const berth = await startBerth(start, 'work', setting)
    const echo = await start([ECHO], {})
    const echoing = makeCreator(echo, { ...berth, ...setting })
    const rows: TableRow[] = []
    for (const connections of OTHER_CONNECTIONS) {
      rows.push(await connectionsRow(connections, berth.creator, echoing, setting))
    }
    const mixed = await mixing(berth)
    const hot = await colliding(berth, setting.seconds)
    const cold = onOneSut(berth, setting.seconds)
    const alternation = await alternate(
      { echo: echoing.sample, berth: berth.creator.sample, mixed, hot: hot.sample, cold: cold.sample },
      setting,
    )
    const all = [berth.creator, ...cold.creators].map((creator) => creator.answered())
    const sum = (of: (answered: Answered) => number): number => all.reduce((total, one) => total + of(one), 0)
    const answered = { accepted: sum(({ accepted }) => accepted) + HOT_WINDOWS, cutOff: sum(({ cutOff }) => cutOff) }
    setting.say(`Berth: ${checkLog(berth.data, answered)}`)
    const onHot = countOn(berth.data, hot.sut)
    if (onHot !== HOT_WINDOWS) throw new Error(`${onHot} reservations where there was room for ${HOT_WINDOWS}`)
    await checkEcho(echo)
    const onOne = Math.max(...cold.creators.map((creator) => creator.answered().accepted))
    return [...rows, ...kindsOf(alternation, onOne)]
  })
