import { hash, randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Address of an EventStoreDB to use instead of the embedded store; usually undefined. */
export const SHARED_STORE = process.env.TEST_EVENT_STORE || undefined

/** Keep-alive interval in milliseconds; the minimum allowed. */
let keepAlive = 10_000

/** An address with a log of its own in the store. */
export const ownLogAt = (address: string, name: string): string =>
  `${address}${address.includes('?') ? '&' : '?'}streamPrefix=t${name}-`

/**
 * The address of a separate log for this directory, so that tests do not see each other's events. The interval makes
 * the options unique: clients with equal options in one process share a connection and its limit of 100 calls.
 */
export const addressFor = (address: string, directory: string): string => {
  // Subscriptions use the next value.
  keepAlive += 2
  return `${ownLogAt(address, hash('sha256', directory).slice(0, 16))}&keepAliveInterval=${keepAlive}`
}

/** Environment of a service on a shared store: its own log. Also writes the keys that it does not generate. */
export const sharedEnvironment = (data: string): Readonly<Record<string, string>> => {
  // A directory with an embedded store keeps it.
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
