import { join } from 'node:path'
import type { Sample, Server } from '../measure/processes.ts'

/** The service under measurement, and requests to it. */
export const MAIN = join(import.meta.dirname, '../../../src/command-line/berth.js')
export const SCRIPT = join(import.meta.dirname, '../load/create.lua')
export const PASSWORD = 'bench password'

export const authorization = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`

/** A reservation in a response. */
export interface Reserved {
  readonly _id: string
  readonly user_id: string
  readonly sut_id: string
  readonly start_time: string
  readonly end_time: string
}

export const ask = async (url: string, path: string, body?: object): Promise<{ _id: string }> => {
  const headers = { authorization, 'content-type': 'application/json' }
  const method = body === undefined ? 'GET' : 'POST'
  const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as { _id: string }
}

/** Requests of a preparation at once. */
const AT_ONCE = 32

/** Calls `one` for every number below `count`, some at once. */
export const forEach = async (count: number, one: (n: number) => Promise<unknown>): Promise<void> => {
  let next = 0
  const work = async (): Promise<void> => {
    while (next < count) await one(next++)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

/** The most SUTs of one import. */
const IMPORTED = 500

/** Returns their ids. */
export const importSuts = async (
  { url }: Server,
  count: number,
  more: (n: number) => object = () => ({}),
): Promise<readonly string[]> => {
  const ids: string[] = []
  const rows = Array.from({ length: count }, (_, n) => ({
    ...{ name: `machine ${n}`, address: '192.0.2.1', port: 5900, sut_type: 'vnc' },
    ...more(n),
  }))
  for (let from = 0; from < count; from += IMPORTED) {
    const answer = await ask(url, '/api/sut/import', { suts: rows.slice(from, from + IMPORTED) })
    ids.push(
      ...(answer as unknown as { readonly suts: readonly { readonly _id: string }[] }).suts.map(({ _id }) => _id),
    )
  }
  return ids
}

export const perSecond = ({ requests, microseconds }: Sample): number => (requests / microseconds) * 1e6
