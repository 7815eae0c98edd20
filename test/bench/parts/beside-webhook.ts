/** 500 creates a second while a webhook is sent each of their events. The receiver, which is elsewhere in a lab, gives way. */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { BOTH_CORES, withServers } from '../measure/processes.ts'
import { alternate, rowOf } from '../measure/sampling.ts'
import type { TableRow } from '../measure/table.ts'
import { ask, perSecond } from '../servers/berth.ts'
import { makeCreator, type Setting, startBerth } from '../servers/creating.ts'

/** Seconds of a sample at least: of 500 creates a second, p99 needs some. */
const SECONDS_MIN = 4
const LOWEST_PRIORITY = 19
/** Milliseconds between looks whether everything was delivered. */
const LOOK_EVERY = 100
const PACED = join(import.meta.dirname, '../load/paced.lua')

type Name = 'alone' | 'beside'

const startReceiver = async (): Promise<{ readonly url: string; readonly kill: () => void }> => {
  const child = fork(join(import.meta.dirname, '../servers/receiver.ts'), { execArgv: ['--no-warnings'] })
  setPriority(child.pid as number, LOWEST_PRIORITY)
  const [port] = (await once(child, 'message')) as [number]
  return { url: `http://127.0.0.1:${port}/`, kill: () => child.kill('SIGKILL') }
}

export const besideWebhookRows = (given: Setting): Promise<readonly TableRow[]> => {
  const setting = { ...given, seconds: Math.max(SECONDS_MIN, given.seconds) }
  return withServers(async (start) => {
    const berth = await startBerth((args, more) => start(args, more, BOTH_CORES), 'webhook', setting)
    const { url } = berth.server
    const receiver = await startReceiver()
    const creator = makeCreator(berth.server, { ...berth, seconds: setting.seconds })
    const paced = () => creator.sampleWith(PACED, [])
    const lags: number[] = []
    const beside = async () => {
      const { _id } = await ask(url, '/api/webhook/create', { url: receiver.url })
      const watched = await paced()
      const lag = async () => ((await ask(url, `/api/webhook/${_id}`)) as unknown as { lag: number }).lag
      lags.push(await lag())
      // What is delivered later must not disturb the next sample.
      while ((await lag()) > 0) await delay(LOOK_EVERY)
      await ask(url, `/api/webhook/${_id}/remove`, {})
      // Work of the receiver is not foreign.
      return { ...watched, foreign: undefined }
    }
    try {
      const taken = await alternate<Name>({ alone: paced, beside }, setting)
      return [
        rowOf(
          taken,
          { what: 'p99 of 500 creates a second beside a webhook, to that without', must: { most: 1.1 } },
          (round) => round.beside.p99 / round.alone.p99,
        ),
        rowOf(taken, { what: 'creates beside a webhook', unit: 'a second', digits: 0 }, (round) =>
          perSecond(round.beside),
        ),
        { what: 'events that the webhook is behind then', figures: lags, digits: 0 },
      ]
    } finally {
      receiver.kill()
    }
  })
}
