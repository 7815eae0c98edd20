import { existsSync } from 'node:fs'
import { openStoreForCommand } from '../../app/core/open-store.ts'
import { recordForLog } from '../../commands/log-events.ts'
import { parseOwner } from '../../domain/sealed-secret.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import { KEY_CHECKS } from '../../vault/cipher.ts'
import { type KeyPlace, type KeyRing, readKeyRing } from '../../vault/keys.ts'
import { sealedWith, withoutChecks } from '../../vault/needs.ts'
import { type Command, CommandFailure, orFail, randomHexOf } from '../terminal/command.ts'

/** Maximum number of SUTs and of users printed; the JSON has all. */
const SHOWN = 20

/** The configured keys; none if their file does not exist. @throws CommandFailure */
export const readConfiguredKeys = async (place: KeyPlace): Promise<Pick<KeyRing, 'keys'>> =>
  place.vaultKeys === undefined && !existsSync(place.vaultKeyFile) ? { keys: [] } : orFail(await readKeyRing(place))

/** What is lost with a key. */
interface Lost {
  readonly key: string
  readonly secrets: number
  readonly suts: readonly string[]
  /** Those who lose secrets, or names of tokens. */
  readonly users: readonly string[]
}

/** The SUTs and users whose secrets are encrypted with a key. */
const findLost = async (store: EventStore, key: string): Promise<Lost> => {
  let secrets = 0
  const [suts, users] = [new Set<string>(), new Set<string>()]
  for await (const page of sealedWith(store, key))
    for (const { owner } of withoutChecks(page)) {
      secrets++
      const { kind, id } = parseOwner(owner)
      ;(kind === 'SUT' ? suts : users).add(id)
    }
  return { key, secrets, suts: [...suts], users: [...users] }
}

const listed = (what: string, ids: readonly string[]): readonly string[] => {
  const more = ids.length > SHOWN ? ` and ${ids.length - SHOWN} more` : ''
  return ids.length === 0 ? [] : [`of the ${what} ${ids.slice(0, SHOWN).join(', ')}${more}`]
}

const report = ({ key, secrets, suts, users }: Lost): string => {
  const owners = [...listed('SUTs', suts), ...listed('users', users)].join(' and ')
  const of = secrets === 0 ? 'no secret' : `${secrets} secrets ${owners}; set them again`
  return `lost with the key ${key}: ${of}. Retries of earlier requests are no longer recognised.\n`
}

export const vaultForgetCommand: Command = {
  name: 'vault forget',
  operands: ['KEY'],
  options: { json: { type: 'boolean' } },
  summary: 'continues without a vault key that is permanently lost',
  example: 'vault forget 2026-11-02-1f3a',
  isOfFiles: true,
  help: `
The service does not start without a vault key that secrets were encrypted with. Where such a key is permanently lost,
this reports what is lost with the key with the id KEY and records in the log that it was forgotten (VaultKeyForgotten).
The service then starts without it. The encrypted secrets are kept: if the key is found after all, add it to the key
file after the others, and they open again. Stop the service first. With an EventStoreDB, make sure that no instance has
the key.

With --json it prints {"key","secrets","suts","users"}.`,
  run: async ({ operands: [key = ''], options }, config, terminal) => {
    const { now, stdout } = terminal
    const { keys } = await readConfiguredKeys(config)
    if (keys.some(({ id }) => id === key)) throw new CommandFailure('this key is not lost; nothing was changed')
    const randomHex = randomHexOf(terminal)
    await using store = await openStoreForCommand(config, { randomHex, isReadOnly: false })
    const checks = (await store.readSecrets(KEY_CHECKS)).filter(({ key_id }) => key_id === key)
    const lost = await findLost(store, key)
    if (checks.length === 0) {
      const why =
        lost.secrets === 0 ? 'nothing was ever encrypted with this key' : 'this key has already been forgotten'
      throw new CommandFailure(why)
    }
    stdout(options.json ? `${JSON.stringify(lost)}\n` : report(lost))
    const data = { key, secrets: lost.secrets }
    await recordForLog({ type: 'VaultKeyForgotten', data }, { store, now: now(), randomHex })
    await store.exchangeSecrets(checks.map((old) => ({ old })))
  },
}
