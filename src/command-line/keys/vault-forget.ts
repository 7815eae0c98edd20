import { openStoreForCommand } from '../../app/core/open-store.ts'
import { recordForLog } from '../../commands/log-events.ts'
import { parseOwner } from '../../domain/sealed-secret.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import { KEY_CHECKS } from '../../vault/cipher.ts'
import { sealedWith, withoutChecks } from '../../vault/needs.ts'
import { type Command, CommandFailure, randomHexOf } from '../terminal/command.ts'
import { readConfiguredKeys } from './vault-keys.ts'

/** Maximum number of SUTs and of users printed; the JSON has all. */
const SHOWN = 20

/** The owner of each secret encrypted with a key. */
const ownersOf = async (store: EventStore, key: string): Promise<readonly string[]> => {
  const owners: string[] = []
  for await (const page of sealedWith(store, key)) for (const { owner } of withoutChecks(page)) owners.push(owner)
  return owners
}

/** The ids of the SUTs, or of the users that lose secrets or names of tokens, each once. */
const idsOf = (what: 'SUT' | 'user', owners: readonly string[]): readonly string[] => {
  const isWanted = ({ kind }: ReturnType<typeof parseOwner>): boolean => (kind === 'SUT') === (what === 'SUT')
  return [...new Set(owners.map(parseOwner).flatMap((owner) => (isWanted(owner) ? [owner.id] : [])))]
}

/** What is lost with a key. */
interface Lost {
  readonly key: string
  readonly secrets: number
  readonly suts: readonly string[]
  readonly users: readonly string[]
}

const listed = (what: string, ids: readonly string[]): readonly string[] => {
  if (ids.length === 0) return []
  const more = ids.length > SHOWN ? ` and ${ids.length - SHOWN} more` : ''
  return [`of the ${what} ${ids.slice(0, SHOWN).join(', ')}${more}`]
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
    const sealed = await ownersOf(store, key)
    if (checks.length === 0) {
      const isUnknown = sealed.length === 0
      throw new CommandFailure(
        isUnknown ? 'nothing was ever encrypted with this key' : 'this key has already been forgotten',
      )
    }
    const lost = { key, secrets: sealed.length, suts: idsOf('SUT', sealed), users: idsOf('user', sealed) }
    stdout(options.json ? `${JSON.stringify(lost)}\n` : report(lost))
    const data = { key, secrets: sealed.length }
    await recordForLog({ type: 'VaultKeyForgotten', data }, { store, now: now(), randomHex })
    await store.exchangeSecrets(checks.map((old) => ({ old })))
  },
}
