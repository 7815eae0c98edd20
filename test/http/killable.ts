import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { basic, connectTo } from './client.ts'
import { type Running, type Setting, type Tidying, temporaryData } from './harness.ts'
import { until } from './until.ts'

const SERVICE = fileURLToPath(new URL('child-service.ts', import.meta.url))

/** A whole service in a process of its own, with a clock of its own. It looks at its clock by itself. */
export interface Killable extends Pick<Running, 'as' | 'anyone' | 'data' | 'port' | 'tick'> {
  /** Resolves when its clock shows this time. */
  readonly setClock: (time: string) => Promise<void>
  /** Kills it as a crash does, and resolves when it is gone. */
  readonly kill: () => Promise<void>
}

/** What a process can be given. */
export type KillableSetting = Pick<Setting, 'now' | 'environment' | 'data'>

export const startKillable = async (t: Tidying, setting: KillableSetting): Promise<Killable> => {
  const data = setting.data ?? (await temporaryData(t))
  const child = fork(SERVICE, [JSON.stringify({ ...setting, data })])
  const gone = once(child, 'exit')
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await gone
  }
  t.teardown(kill)
  const ended = gone.then(([code]) => {
    throw new Error(`the service ended with ${code}`)
  })
  ended.catch(() => undefined)
  const [port] = (await Promise.race([once(child, 'message'), ended])) as [number]
  const connections = connectTo(port)
  t.teardown(connections.close)
  const anyone = connections.client({})
  await until('ready', async () => (await anyone.get('/health/ready')).status === 200, 60_000)
  return {
    ...{ data, port, anyone, kill },
    as: (name) => connections.client({ Authorization: basic(name) }),
    tick: () => undefined,
    setClock: async (time) => {
      const set = once(child, 'message')
      child.send(time)
      await set
    },
  }
}
