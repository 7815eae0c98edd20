import { hash, randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The EventStoreDB that services are run over instead of the embedded store; undefined as a rule. */
export const SHARED_STORE = process.env.TEST_EVENT_STORE || undefined

/** Milliseconds between two signs of life, whatever is asked: the least that is taken. */
let keepAlive = 10_000

/**
 * The address of a log of its own for whatever has this directory: what a test finds there no other has left. Whoever
 * connects to it has connections of its own: clients of one process whose options are equal share one, and its 100 calls.
 */
export const addressFor = (address: string, directory: string): string => {
  // Subscriptions take the one behind it.
  keepAlive += 2
  const prefix = `t${hash('sha256', directory).slice(0, 16)}-`
  return `${address}${address.includes('?') ? '&' : '?'}streamPrefix=${prefix}&keepAliveInterval=${keepAlive}`
}

/** What a service over a shared store is given: the address of a log of its own, and the keys that it makes none of. */
export const sharedEnvironment = (data: string): Readonly<Record<string, string>> => {
  // A test that has chosen the embedded store before goes on with it.
  if (SHARED_STORE === undefined || existsSync(join(data, 'events.db'))) return {}
  for (const [name, id] of [
    ['vault.key', 'k1:'],
    ['audit.key', ''],
  ] as const) {
    const keys = join(data, name)
    if (!existsSync(keys)) writeFileSync(keys, `${id}${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
  }
  return { BERTH_EVENT_STORE: addressFor(SHARED_STORE, data) }
}
