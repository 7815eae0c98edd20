import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import type { ExecutionContext } from 'ava'
import type { Tidying } from '../http/harness.ts'

const run = (...[command, ...args]: readonly [string, ...string[]]): boolean => spawnSync(command, args).status === 0

let last = randomInt(256)

export interface Elsewhere {
  /** The address at which it reaches this machine. */
  readonly host: string
  /** Connects from there, and reads all that comes. */
  readonly connect: (port: number) => ChildProcess
  /** From now on nothing comes from there, and nobody says so. */
  readonly vanish: () => void
}

/**
 * A machine that can vanish from the network: a network namespace. Undefined where it cannot be made. A new interface
 * makes every browser break off its requests, so files that use this run when no browser does: `*.alone.thorough`.
 */
export const startElsewhere = (t: ExecutionContext & Tidying): Elsewhere | undefined => {
  const name = `berth${randomInt(1e6)}`
  const [here, there] = [`${name}a`, `${name}b`]
  const network = `198.18.${++last % 256}`
  const [host, guest] = [`${network}.1`, `${network}.2`]
  const inside = ['ip', 'netns', 'exec', name] as const
  const isMade =
    run('ip', 'netns', 'add', name) &&
    run('ip', 'link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', name) &&
    run('ip', 'addr', 'add', `${host}/30`, 'dev', here) &&
    run('ip', 'link', 'set', here, 'up') &&
    run(...inside, 'ip', 'addr', 'add', `${guest}/30`, 'dev', there) &&
    run(...inside, 'ip', 'link', 'set', there, 'up')
  t.teardown(() => void run('ip', 'netns', 'del', name))
  if (!isMade) {
    t.log('NOT RUN: network namespaces cannot be made')
    t.pass()
    return undefined
  }
  return {
    host,
    connect: (port) => {
      const [command, ...args] = [...inside, 'socat', '-u', `TCP:${host}:${port}`, 'OPEN:/dev/null']
      const client = spawn(command, args, { stdio: 'ignore' })
      t.teardown(() => void client.kill('SIGKILL'))
      return client
    },
    vanish: () => void run(...inside, 'ip', 'route', 'add', 'blackhole', `${host}/32`),
  }
}
