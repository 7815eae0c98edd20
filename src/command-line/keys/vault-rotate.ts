import { join } from 'node:path'
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import type { Config } from '../../app/config/config.ts'
import { openStoreForCommand } from '../../app/core/open-store.ts'
import { acquireLock, type Lock, LockTaken } from '../../files/lock.ts'
import { readKeyRing } from '../../vault/keys.ts'
import { reseal } from '../../vault/reseal.ts'
import { rotateKeyFile } from '../../vault/rotate-key-file.ts'
import { makeVault, readKnownKeyIds } from '../../vault/vault.ts'
import { type Command, CommandFailure, orFail, randomHexOf, type Terminal } from '../terminal/command.ts'

/** For a running service to load a new key. */
const LOAD_TIMEOUT_MS = 10_000
const POLL_INTERVAL_MS = 100

/** Result of a rotation. */
interface Rotated {
  readonly key: string
  readonly service: 'running' | 'none'
  /** Re-encrypted secrets; null with a running service, which re-encrypts them itself. */
  readonly resealed: number | null
}

const IN_VARIABLE =
  'the keys are in BERTH_VAULT_KEY: put a new one before them, as ID:KEY and a comma, with KEY from ' +
  '"openssl rand -base64 32", and restart the service; it then re-encrypts the secrets'

/** Undefined if another process uses the data. */
const tryLock = (config: Config): Lock | undefined => {
  try {
    return acquireLock(join(config.data, 'berth.lock'))
  } catch (error) {
    if (error instanceof LockTaken) return undefined
    throw error
  }
}

/** Without a running service: creates the key and re-encrypts everything with it. */
const rotateAlone = async (config: Config, terminal: Terminal): Promise<Rotated> => {
  const { now: clock, randomBytes } = terminal
  const file = config.vaultKeyFile
  await using store = await openStoreForCommand(config, { randomHex: randomHexOf(terminal), isReadOnly: false })
  const before = orFail(await readKeyRing(config))
  const vault = makeVault({ store, keys: before, clock, randomBytes })
  orFail(await vault.check())
  const key = orFail(await rotateKeyFile(file, { now: clock(), randomBytes }))
  orFail(await vault.take(orFail(await readKeyRing(config))))
  const pause = async (): Promise<void> => turn()
  const sealed = await reseal({ store, keys: vault.keys, clock, randomBytes, pause, isStopped: () => false })
  if (sealed.unreadable.length > 0) throw new CommandFailure(sealed.unreadable)
  return { key, service: 'none', resealed: sealed.secrets }
}

/** With a running service: creates the key and waits until the service uses it. */
const rotateWithService = async (config: Config, { now, randomBytes }: Terminal): Promise<Rotated> => {
  const key = orFail(await rotateKeyFile(config.vaultKeyFile, { now: now(), randomBytes }))
  await using store = await openStoreForCommand(config)
  const end = performance.now() + LOAD_TIMEOUT_MS
  while (performance.now() < end) {
    if ((await readKnownKeyIds(store)).includes(key)) return { key, service: 'running', resealed: null }
    await delay(POLL_INTERVAL_MS)
  }
  const what = `the key ${key} is in ${config.vaultKeyFile}, but the running service has not loaded it`
  throw new CommandFailure(`${what} within ${LOAD_TIMEOUT_MS / 1000} s; see its log, or check that it uses this file`)
}

const sentence = ({ key, resealed }: Rotated, { eventStore, vaultKeyFile: file }: Config): string => {
  const done =
    resealed === null
      ? 'the running service uses it now and re-encrypts older secrets in the background'
      : `re-encrypted ${resealed} secrets with it`
  const others =
    eventStore.kind === 'sqlite'
      ? ''
      : `Copy ${file} to every other instance on this store now: they cannot read what is encrypted with the new key.\n`
  return `new key ${key} in ${file}; ${done}\n${others}Keep a copy of ${file} in another place.\n`
}

export const vaultRotateCommand: Command = {
  name: 'vault rotate',
  options: { json: { type: 'boolean' } },
  summary: 'encrypts the secrets of SUTs and users with a new key',
  example: 'vault rotate',
  isOfFiles: true,
  help: `
Puts a new key before those in the key file and encrypts every secret again with it. Works without a service, or with a
running one, which takes the new key within 2 s. It can be interrupted at any time: the next start continues it. For
keys in BERTH_VAULT_KEY it explains how to rotate them there.

Old keys stay in the file until "vault status" says that they are not needed. Instances that share an EventStoreDB each
have their own copy of the key file, in which a new key is added by hand.

With --json it prints {"key","file","service","resealed"}.`,
  run: async ({ options }, config, terminal) => {
    const file = config.vaultKeyFile
    if (config.vaultKeys !== undefined) throw new CommandFailure(IN_VARIABLE)
    await (await openStoreForCommand(config)).close()
    const lock = tryLock(config)
    try {
      const rotated = await (lock === undefined ? rotateWithService : rotateAlone)(config, terminal)
      terminal.stdout(options.json ? `${JSON.stringify({ ...rotated, file })}\n` : sentence(rotated, config))
    } finally {
      lock?.release()
    }
  },
}
