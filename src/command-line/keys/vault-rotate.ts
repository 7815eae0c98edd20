import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../../app/config/config.ts'
import { openStoreForCommand } from '../../app/core/open-store.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import { acquireLock, LockTaken } from '../../files/lock.ts'
import { readKeyRing } from '../../vault/keys.ts'
import { rotateKeyFile } from '../../vault/rotate-key-file.ts'
import { readKnownKeyIds } from '../../vault/vault.ts'
import { type Command, CommandFailure, orFail } from '../terminal/command.ts'

/** For a running service to load a new key. */
const LOAD_TIMEOUT_MS = 10_000
const POLL_INTERVAL_MS = 100

const IN_VARIABLE =
  'the keys are in BERTH_VAULT_KEY: put a new one before them, as ID:KEY and a comma, with KEY from ' +
  '"openssl rand -base64 32", and restart the service; it then re-encrypts the secrets'

/** Whether a service uses the data, so that it loads the key now and not at its start. */
const isServiceRunning = ({ data }: Config): boolean => {
  try {
    acquireLock(join(data, 'berth.lock')).release()
    return false
  } catch (error) {
    if (error instanceof LockTaken) return true
    throw error
  }
}

/** @throws CommandFailure if the running service does not load the key, which is in the file all the same */
const waitUntilUsed = async (key: string, store: EventStore, file: string): Promise<void> => {
  const end = performance.now() + LOAD_TIMEOUT_MS
  while (performance.now() < end) {
    if ((await readKnownKeyIds(store)).includes(key)) return
    await delay(POLL_INTERVAL_MS)
  }
  const what = `the key ${key} is in ${file}, but the running service has not loaded it`
  throw new CommandFailure(`${what} within ${LOAD_TIMEOUT_MS / 1000} s; see its log, or check that it uses this file`)
}

export const vaultRotateCommand: Command = {
  name: 'vault rotate',
  options: { json: { type: 'boolean' } },
  summary: 'encrypts the secrets of SUTs and users with a new key',
  example: 'vault rotate',
  help: `
Puts a new key before those in the key file. The service encrypts with it from then on, and every older secret again in
the background: a running one within 2 s, for which the command waits, and otherwise the next that starts. For keys in
BERTH_VAULT_KEY it explains how to rotate them there.

Old keys stay in the file until "vault status" says that they are not needed. Instances that share an EventStoreDB each
have their own copy of the key file, in which a new key is added by hand.

With --json it prints {"key","file","service"}; "service" is "running" or "none".`,
  run: async ({ options }, config, { now, randomBytes, stdout }) => {
    const { vaultKeyFile: file, eventStore } = config
    if (config.vaultKeys !== undefined) throw new CommandFailure(IN_VARIABLE)
    await using store = await openStoreForCommand(config)
    const { keys } = orFail(await readKeyRing(config))
    const missing = (await readKnownKeyIds(store)).filter((known) => !keys.some(({ id }) => id === known))
    if (missing.length > 0)
      throw new CommandFailure(missing.map((id) => `the key "${id}" is missing, which the log needs`))
    const key = orFail(await rotateKeyFile(file, { now: now(), randomBytes }))
    const isRunning = isServiceRunning(config)
    if (isRunning) await waitUntilUsed(key, store, file)
    if (options.json) return stdout(`${JSON.stringify({ key, file, service: isRunning ? 'running' : 'none' })}\n`)
    const user = isRunning ? 'the running service uses it now' : 'the service uses it from its next start on'
    stdout(`new key ${key} in ${file}; ${user}, and re-encrypts older secrets in the background\n`)
    if (eventStore.kind !== 'sqlite')
      stdout(
        `Copy ${file} to every other instance on this store now: they cannot read what is encrypted with the new key.\n`,
      )
    stdout(`Keep a copy of ${file} in another place.\n`)
  },
}
