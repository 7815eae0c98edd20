/**
 * Creates beside open pages that live on what changes: 500 a second, and as many as the service takes. The service has
 * both cores. Pages, which are on other machines in a lab, give way to the client that creates.
 */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { BOTH_CORES, withServers } from '../measure/processes.ts'
import { alternate, rowOf, type Samplers } from '../measure/sampling.ts'
import type { TableRow } from '../measure/table.ts'
import { ask, PASSWORD, perSecond } from '../servers/berth.ts'
import { type Berth, makeCreator, type Setting, SUTS, startBerth } from '../servers/creating.ts'
import type { PagesReport, PagesTold, Person } from '../servers/pages.ts'

const PAGES = 200
/** A user may have 64 streams. */
const PEOPLE = 4
const IN_VIEW = 40
/** Seconds of a sample at least: of 500 creates a second, p99 needs some. */
const SECONDS_MIN = 4
/** Seconds of a sample at the full rate: pages that are told to read everything do so once a minute in the end. */
const FULL_SECONDS = 60
/** The number of a reservation that begins a hundred days later than the first. */
const LATER = 100 * 96 * SUTS
/** Reservations of every machine in the days that pages show: of an hour, every six hours. */
const SHOWN = 10
const HOUR = 3_600_000
/** Milliseconds until pages that have just been opened, or closed, are at rest. */
const REST = 2_000
const LOWEST_PRIORITY = 19
const PACED = join(import.meta.dirname, '../load/paced.lua')

type Name = 'alone' | 'beside' | 'fullAlone' | 'fullBeside'

const makePerson = async (url: string, n: number): Promise<Person> => {
  const name = `page ${n}`
  const { _id } = await ask(url, '/api/user/create', { name, role: 'tester', password: PASSWORD })
  return { _id, authorization: `Basic ${Buffer.from(`${name}:${PASSWORD}`).toString('base64')}` }
}

const startPages = async () => {
  const child = fork(join(import.meta.dirname, '../servers/pages.ts'), { execArgv: ['--no-warnings'] })
  setPriority(child.pid as number, LOWEST_PRIORITY)
  const next = async (): Promise<PagesReport> => ((await once(child, 'message')) as [PagesReport])[0]
  const tell = (told: PagesTold): Promise<PagesReport> => {
    child.send(told)
    return next()
  }
  await next()
  const kill = async (): Promise<void> => {
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  return { tell, kill }
}

/** Books part of the days that pages show. What is measured is reserved later, or they would read ever more. */
const fillDays = async (url: string, { user: user_id, sutsFile }: Berth): Promise<void> => {
  const begin = Math.floor(Date.now() / HOUR) * HOUR
  for (const sut_id of readFileSync(sutsFile, 'utf8').trim().split('\n'))
    await Promise.all(
      Array.from({ length: SHOWN }, (_, n) => {
        const [start_time, end_time] = [6 * n + 1, 6 * n + 2].map((hour) => new Date(begin + hour * HOUR).toISOString())
        return ask(url, '/api/sut_reservation/create', { user_id, sut_id, start_time, end_time })
      }),
    )
}

export const besidePagesRows = (given: Setting): Promise<readonly TableRow[]> => {
  const setting = { ...given, seconds: Math.max(SECONDS_MIN, given.seconds) }
  return withServers(async (start) => {
    const berth = await startBerth((args, more) => start(args, more, BOTH_CORES), 'pages', setting)
    const { url } = berth.server
    const people = await Promise.all(Array.from({ length: PEOPLE }, (_, n) => makePerson(url, n)))
    const { suts } = (await ask(url, `/api/sut?limit=${IN_VIEW}`)) as unknown as { suts: readonly { _id: string }[] }
    const asked = { url, count: PAGES, people, inView: suts.map(({ _id }) => _id) }
    const reloaded: number[] = []
    const beside =
      (sample: Samplers<Name>[Name], isFull: boolean): Samplers<Name>[Name] =>
      async () => {
        // A process of their own for each sample: none still reads in the next one.
        const { tell, kill } = await startPages()
        await tell(asked)
        await delay(REST)
        const watched = await sample()
        const report = await tell('report')
        await kill()
        await delay(REST)
        if (typeof report === 'object') {
          if (isFull) reloaded.push(report.reloaded / PAGES)
          setting.say(`${report.reads} readings, ${report.reloaded} pages were told to read everything`)
        }
        // Work of the pages is not foreign.
        return { ...watched, foreign: undefined }
      }
    await fillDays(url, berth)
    const creatorFor = (seconds: number, nth: number) =>
      makeCreator(berth.server, { ...berth, seconds, from: nth * LATER })
    const [creator, longCreator] = [creatorFor(setting.seconds, 1), creatorFor(FULL_SECONDS, 2)]
    const paced = () => creator.sampleWith(PACED, [])
    const taken = await alternate<Name>(
      {
        alone: paced,
        beside: beside(paced, false),
        fullAlone: () => creator.sample(),
        fullBeside: beside(() => longCreator.sample(), true),
      },
      setting,
    )
    return [
      rowOf(
        taken,
        { what: `p99 of 500 creates a second beside ${PAGES} pages, to that without`, must: { most: 1.3 } },
        (round) => round.beside.p99 / round.alone.p99,
      ),
      rowOf(
        taken,
        { what: `creates at the full rate beside ${PAGES} pages, to those without`, must: { least: 0.9 } },
        (round) => perSecond(round.fullBeside) / perSecond(round.fullAlone),
      ),
      { what: 'share of the pages that are told to reload at the full rate', figures: reloaded, must: { least: 1 } },
      rowOf(taken, { what: 'creates beside pages', unit: 'a second', digits: 0 }, (round) => perSecond(round.beside)),
    ]
  })
}
