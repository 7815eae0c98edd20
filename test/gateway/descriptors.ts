import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { ExecutionContext } from 'ava'
import { until } from '../http/until.ts'
import { SOON } from './harness.ts'

const FOLDER = '/proc/self/fd'

/** Open descriptors of this process, its worker threads included, by number. */
type Descriptors = ReadonlyMap<string, string>

const targetOf = (name: string): string => {
  try {
    return readlinkSync(`${FOLDER}/${name}`)
  } catch {
    return ''
  }
}

/** Undefined, and logged, without /proc. */
export const openSockets = (t: ExecutionContext): Descriptors | undefined => {
  try {
    const all = readdirSync(FOLDER).map((name) => [name, targetOf(name)] as const)
    return new Map(all.filter(([, target]) => target.startsWith('socket:')))
  } catch {
    t.log(`NOT CHECKED: there is no ${FOLDER}`)
    return undefined
  }
}

/** The connections of sockets, as the kernel's tables have them: with addresses and state in hexadecimal digits. */
const connectionsOf = (sockets: Descriptors): readonly string[] => {
  const inodes = new Set([...sockets.values()].map((target) => /\d+/.exec(target)?.[0]))
  return readFileSync('/proc/self/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => inodes.has(fields[9]))
    .map(([, local, remote, state]) => `${local} ${remote} ${state}`)
}

/** Waits until no more sockets are open than before. */
export const areClosed = async (t: ExecutionContext, before: number | undefined): Promise<void> => {
  if (before === undefined) return
  const count = (): number => openSockets(t)?.size ?? 0
  await until(`${before} sockets`, async () => count() <= before, SOON).catch((error) => {
    t.log(connectionsOf(openSockets(t) ?? new Map()))
    throw error
  })
  t.pass()
}
