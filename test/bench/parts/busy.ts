import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { LOAD_CORE, SERVER_CORE, withServers } from '../measure/processes.ts'
import { rowOf, type Taken } from '../measure/sampling.ts'
import type { TableRow } from '../measure/table.ts'
import { perSecond } from '../servers/berth.ts'
import { ECHO, makeCreator, type Setting, startBerth } from '../servers/creating.ts'

/**
 * Creates while another process of equal priority is busy on each core: their remaining rate compared with that of the
 * echo. A service whose threads wait for each other may lose more than the scheduler's half.
 */

/** Warm-up samples of each server. */
const WARM_UP = 10

/** Two busy processes that can be paused. */
const startBusy = () => {
  const children = [SERVER_CORE, LOAD_CORE].map((core) =>
    spawn('taskset', ['-c', core, process.execPath, '-e', 'for (;;);'], { stdio: 'ignore' }),
  )
  const signal = (name: NodeJS.Signals) => (child: ChildProcess) => child.kill(name)
  return {
    pause: () => children.forEach(signal('SIGSTOP')),
    resume: () => children.forEach(signal('SIGCONT')),
    stop: async (): Promise<void> => {
      const ended = children.map((child) => once(child, 'exit'))
      children.forEach(signal('SIGKILL'))
      await Promise.all(ended)
    },
  }
}

type Name = 'berth' | 'echo' | 'busyBerth' | 'busyEcho'

export const busyRows = (setting: Setting): Promise<readonly TableRow[]> =>
  withServers(async (start) => {
    const berth = await startBerth(start, 'busy', setting)
    const echo = makeCreator(await start([ECHO], {}), { ...berth, ...setting })
    const busy = startBusy()
    try {
      busy.pause()
      for (let n = 0; n < WARM_UP; n++) for (const { sample } of [berth.creator, echo]) await sample()
      const rounds: Readonly<Record<Name, Taken>>[] = []
      const taken = async (sample: typeof echo.sample): Promise<Taken> => {
        const { taken, cpu } = await sample()
        return { ...taken, cpu }
      }
      for (let n = 0; n < setting.rounds; n++) {
        const [quietBerth, quietEcho] = [await taken(berth.creator.sample), await taken(echo.sample)]
        busy.resume()
        const [busyBerth, busyEcho] = [await taken(berth.creator.sample), await taken(echo.sample)]
        busy.pause()
        rounds.push({ berth: quietBerth, echo: quietEcho, busyBerth, busyEcho })
      }
      const share = (busy: Taken, quiet: Taken): number => perSecond(busy) / perSecond(quiet)
      return [
        rowOf(
          { rounds },
          {
            what: 'share of creates kept with a busy process on each core, to the share of echoes kept',
            must: { least: 0.8 },
          },
          (round) => share(round.busyBerth, round.berth) / share(round.busyEcho, round.echo),
        ),
        rowOf({ rounds }, { what: 'share of creates kept with a busy process on each core' }, (round) =>
          share(round.busyBerth, round.berth),
        ),
        rowOf({ rounds }, { what: 'share of echoes kept' }, (round) => share(round.busyEcho, round.echo)),
      ]
    } finally {
      await busy.stop()
    }
  })
