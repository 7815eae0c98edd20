import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Row } from '../measure/table.ts'
import { newestPrograms } from '../peers/postgres.ts'

const PEERS = join(import.meta.dirname, '../peers')
const POSTGRES = join(PEERS, 'fastify-postgres.ts')

export type PeerName = 'postgres' | 'tuned'

/** An alternative that users might have chosen. */
export interface Peer {
  readonly name: PeerName
  readonly title: string
  /** Its script and options. */
  readonly args: readonly string[]
  /** Bounds for Berth's creates compared with the peer's. */
  readonly bounds?: Pick<Row, 'must' | 'aim'>
}

export const PEER_LIST: readonly Peer[] = [
  {
    name: 'postgres',
    title: 'Fastify + PostgreSQL',
    args: [POSTGRES],
    bounds: { must: { least: 4 }, aim: { least: 5 } },
  },
  { name: 'tuned', title: 'the same, prepared and over a socket', args: [POSTGRES, '--tuned'] },
]

/** The command that is needed before the peer can run, if any. */
export const hindrance = (): string | undefined => {
  if (!existsSync(join(PEERS, 'node_modules'))) return 'npm ci --prefix test/bench/peers'
  try {
    newestPrograms()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
