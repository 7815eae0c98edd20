import { join } from 'node:path'
import type { FirstUser } from '../../../src/app/core/runtime.ts'
import { openSqliteStore } from '../../../src/event-store/sqlite/store.ts'
import { hashPassword } from '../../../src/users/passwords/password.ts'
import { randomHex } from '../../event-store/new-events.ts'
import { aUser } from '../../users/builders.ts'
import { BOTH_CORES, type Sample, type Server, startServer, withServers } from '../measure/processes.ts'
import { type Watched, watch } from '../measure/quiet.ts'
import { alternate, rowOf, type Samplers, type Taken } from '../measure/sampling.ts'
import type { TableRow } from '../measure/table.ts'
import { rowOf as rowOfRounds } from '../scale/rounds.ts'
import { starts } from '../scale/service.ts'
import { writeUsers } from '../scale/write-users.ts'
import { ask, authorization, forEach, PASSWORD, perSecond } from '../servers/berth.ts'
import { type Berth, CONNECTIONS, loadWell, type Setting, startBerth, writeLines } from '../servers/creating.ts'

/** A lab of 2,000 people with ten tokens each beside one with an administrator only, and many who sign in at once. */

const READ = join(import.meta.dirname, '../load/read.lua')
const [USERS, TOKENS_EACH] = [2_000, 10]
/** People who sign in at once, with passwords that cost what a new one costs. Others each time: checks are cached. */
const SIGNING_IN = 100
const READ_OF = 5_000

const nameOf = (n: number): string => `person ${n}`

const testers = async (): Promise<readonly FirstUser[]> => {
  const hash = await hashPassword(PASSWORD, new Uint8Array(16))
  return Promise.all(
    Array.from({ length: USERS - 1 }, (_, n) => aUser(nameOf(n), PASSWORD, { _id: `user-${n}`, password: hash })),
  )
}

/** The names of the directories of both labs. */
const [MANY, ONE] = ['many-people', 'one-person']

/** Adds people to the administrator of a first start. */
const addPeople = async (setting: Setting): Promise<void> => {
  const data = join(setting.directory, MANY)
  await withServers((start) => startBerth(start, MANY, setting))
  const onFatal = (error: Error): never => {
    throw error
  }
  const store = openSqliteStore({ path: join(data, 'events.db'), randomHex, onFatal })
  await writeUsers(store, data, await testers())
  await store.close()
}

const makeMany = async (start: typeof startServer, setting: Setting): Promise<void> => {
  const many = await startBerth(start, MANY, setting)
  setting.say(`issuing ${USERS * TOKENS_EACH} tokens`)
  const tokenOf = (n: number) => ask(many.server.url, `/api/user/user-${n % (USERS - 1)}/token`, { name: `ci ${n}` })
  await forEach((USERS - 1) * TOKENS_EACH, tokenOf)
}

/** Random reads of reservations made before. */
const reader = async ({ server, data, creator }: Berth, seconds: number) => {
  await creator.sample()
  const { url } = server
  const { sut_reservations } = (await ask(url, '/api/sut_reservation?limit=1000')) as unknown as {
    readonly sut_reservations: readonly { readonly _id: string }[]
  }
  const paths = sut_reservations.slice(0, READ_OF).map(({ _id }) => `/api/sut_reservation/${_id}`)
  const file = writeLines(`${data}-reads`, paths)
  return () => watch(server, () => loadWell(url, READ, CONNECTIONS, seconds, [authorization, file]))
}

/** More than may wait for a check are answered with 503. */
const ANSWERS = [200, 503]

const signIn = async ({ url }: Server, n: number): Promise<void> => {
  const body = JSON.stringify({ name: nameOf(n % (USERS - 1)), password: PASSWORD })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${url}/api/login`, { method: 'POST', headers, body })
  if (!ANSWERS.includes(answer.status)) throw new Error(`a login was answered with ${answer.status}`)
  await answer.body?.cancel()
}

/** A sample of creates during which many sign in at once. */
const besideSignIns = ({ server, creator }: Berth) => {
  let signedIn = 0
  return async (): Promise<Watched<Sample>> => {
    const creating = creator.sample()
    await Promise.all(Array.from({ length: SIGNING_IN }, () => signIn(server, signedIn++)))
    return creating
  }
}

const cpuOf = ({ cpu, requests }: Taken): number => cpu / requests

type Name = 'many' | 'one'

const compared = async (what: string, samplers: Samplers<Name>, setting: Setting): Promise<readonly TableRow[]> => {
  const taken = await alternate(samplers, { ...setting, warmUp: 5 })
  const beside = `${what} with ${USERS} users and ${USERS * TOKENS_EACH} tokens, to those with one user`
  return [
    rowOf(taken, { what: beside, must: { least: 0.95 } }, ({ many, one }) => perSecond(many) / perSecond(one)),
    rowOf(taken, { what: `CPU of ${beside}`, must: { most: 1.05 } }, ({ many, one }) => cpuOf(many) / cpuOf(one)),
    rowOf(taken, { what: `p99 of ${beside}`, must: { most: 1.05 } }, ({ many, one }) => many.p99 / one.p99),
  ]
}

/** Nothing else runs, and on one core the engine's own threads would compete with the start. */
const onBothCores: typeof startServer = (args, environment) => startServer(args, environment, BOTH_CORES)

const startRows = async (setting: Setting): Promise<readonly TableRow[]> => {
  const [many = '', one = ''] = [MANY, ONE].map((name) => join(setting.directory, name))
  const taken = await starts(many, one, setting.rounds, onBothCores)
  const what = `milliseconds that a start takes longer with ${USERS} users and ${USERS * TOKENS_EACH} tokens`
  return [rowOfRounds(taken, { what, must: { most: 200 } }, ([withMany, withOne]) => withMany - withOne)]
}

/** Seconds of a sample at least: a hundred checks of a password take some. */
const SECONDS_MIN = 4

export const peopleRows = async (given: Setting): Promise<readonly TableRow[]> => {
  const setting = { ...given, seconds: Math.max(SECONDS_MIN, given.seconds) }
  await addPeople(setting)
  await withServers(async (start) => {
    await makeMany(start, setting)
    await startBerth(start, ONE, setting)
  })
  // Before anything is reserved, so that the logs differ in nothing else.
  const ofStarts = await startRows(setting)
  return withServers(async (start) => {
    const [many, one] = [await startBerth(start, MANY, setting), await startBerth(start, ONE, setting)]
    const creates = { many: () => many.creator.sample(), one: () => one.creator.sample() }
    const reads = { many: await reader(many, setting.seconds), one: await reader(one, setting.seconds) }
    const beside = await alternate({ beside: besideSignIns(many), alone: () => many.creator.sample() }, setting)
    return [
      ...(await compared('creates', creates, setting)),
      ...(await compared('reads by id', reads, setting)),
      rowOf(
        beside,
        { what: `p99 of creates while ${SIGNING_IN} sign in at once, to that without`, must: { most: 1.5 } },
        (round) => round.beside.p99 / round.alone.p99,
      ),
      ...ofStarts,
    ]
  })
}
