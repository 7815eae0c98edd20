import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openEventStoreDb } from '../../src/event-store/eventstoredb.ts'
import { readEventStoreDbAddress } from '../../src/eventstoredb-address.ts'
import { rightOf } from '../users/builders.ts'
import { ask, authorization, MAIN, makeSuts, PASSWORD, perSecond, SCRIPT } from './berth.ts'
import { LOAD_CORE, load, requireTools, type Server, spread, startServer } from './processes.ts'

/**
 * Creates over an EventStoreDB beside the vendor's client appending the same bytes, and the views catching up beside a
 * subscription that only counts. The service and the references have one core, the load and the store's process the
 * other, unless TEST_EVENT_STORE names a store elsewhere.
 */

const CONNECTIONS = 64
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '2' },
    suts: { type: 'string', default: '500' },
  },
})
const say = (line: string): boolean => process.stdout.write(`${line}\n`)
const beside = (file: string): string => join(import.meta.dirname, file)

interface Rate {
  readonly done: number
  readonly microseconds: number
}
const rate = ({ done, microseconds }: Rate): number => (done / microseconds) * 1e6

const askBare = async (bare: Server, path: string, body?: string): Promise<Rate> => {
  const answer = await fetch(bare.url + path, body === undefined ? {} : { method: 'POST', body })
  return (await answer.json()) as Rate
}

/** A reservation as it is recorded. */
const recordedBytes = async (address: string): Promise<string> => {
  const store = await openEventStoreDb({
    address: rightOf(readEventStoreDbAddress(address)),
    randomHex: () => '',
    isReadOnly: true,
  })
  try {
    for await (const page of store.records(-1)) {
      const found = page.find(({ text }) => text.includes('"ReservationCreated"'))
      if (found) return found.text
    }
    throw new Error('nothing is reserved')
  } finally {
    await store.close()
  }
}

const makeUser = (data: string): void => {
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(join(data, 'vault.key'), `k1:${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
  writeFileSync(join(data, 'audit.key'), `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
  const args = [MAIN, 'user', 'add', 'admin', '--role', 'administrator', '--password-stdin']
  execFileSync(process.execPath, args, { input: PASSWORD, env: { ...process.env, BERTH_DATA: data } })
}

const run = async (directory: string): Promise<void> => {
  const own = process.env.TEST_EVENT_STORE === undefined
  const store = own ? await startServer([beside('event-store-server.ts')], {}, LOAD_CORE) : undefined
  const address = store?.url ?? (process.env.TEST_EVENT_STORE as string)
  const prefix = `b${randomBytes(6).toString('hex')}-`
  const data = join(directory, 'data')
  makeUser(data)
  const environment = { BERTH_DATA: data, BERTH_PORT: '0', BERTH_EVENT_STORE: `${address}&streamPrefix=${prefix}` }
  const berth = await startServer([MAIN, 'serve'], environment)
  const bare = await startServer([beside('bare-client.ts'), address, prefix], {})
  while (!(await fetch(`${berth.url}/health/ready`)).ok);
  const idsFile = join(directory, 'ids')
  writeFileSync(idsFile, `${(await makeSuts(berth, Number(values.suts))).join('\n')}\n`)
  const { _id } = await ask(berth.url, '/api/user/me')
  let next = 0
  const creates = async (): Promise<number> => {
    const args = [String(next), _id, authorization, idsFile]
    const taken = await load(berth.url, SCRIPT, CONNECTIONS, Number(values.seconds), args)
    if (taken.refused + taken.broken > 0) throw new Error(`${taken.refused} refused, ${taken.broken} broken`)
    next += taken.requests + 2 * CONNECTIONS
    return perSecond(taken)
  }
  await creates()
  const bytes = await recordedBytes(environment.BERTH_EVENT_STORE)
  const appends = async (): Promise<number> =>
    rate(await askBare(bare, `/append?seconds=${values.seconds}&connections=${CONNECTIONS}`, bytes))
  await appends()
  const rounds: { creates: number; appends: number }[] = []
  for (let i = 0; i < Number(values.rounds); i++) {
    const first = i % 2 === 0 ? await creates() : undefined
    const appended = await appends()
    rounds.push({ creates: first ?? (await creates()), appends: appended })
  }
  await berth.stop()
  const { done: events } = await askBare(bare, '/catch-up')
  const catching: { views: number; bare: number }[] = []
  for (let i = 0; i < Number(values.rounds); i++) {
    const first = i % 2 === 0 ? rate(await askBare(bare, '/catch-up')) : undefined
    const counted = rate(await askBare(bare, `/count?events=${events}`))
    catching.push({ views: first ?? rate(await askBare(bare, '/catch-up')), bare: counted })
  }
  await bare.stop()
  await store?.stop()
  say(
    `${values.rounds} rounds of ${values.seconds} s, ${CONNECTIONS} connections, ${values.suts} SUTs, ${cpus()[0]?.model}`,
  )
  say(own ? 'over the protocol server of the tests' : 'over TEST_EVENT_STORE')
  say(`creates a second            ${spread(rounds.map((round) => round.creates))}`)
  say(`bare appends a second       ${spread(rounds.map((round) => round.appends))}`)
  say(`creates to appends          ${spread(rounds.map((round) => round.creates / round.appends))}   must 0.6`)
  say(`views, events a second      ${spread(catching.map(({ views }) => views))}, of ${events}`)
  say(`counting, events a second   ${spread(catching.map((round) => round.bare))}`)
  say(`views to counting           ${spread(catching.map((round) => round.views / round.bare))}   must 0.6`)
}

requireTools()
const directory = mkdtempSync(join(tmpdir(), 'berth-bench-'))
try {
  await run(directory)
} finally {
  rmSync(directory, { recursive: true, force: true })
}
