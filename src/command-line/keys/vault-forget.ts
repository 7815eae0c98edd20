import * as E from 'fp-ts/lib/Either.js'
import { recordForLog } from '../../commands/record-for-log.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import { openStoreBeside } from '../../service/open-store.ts'
import { withoutChecks } from '../../vault/needs.ts'
import { KEY_CHECKS } from '../../vault/vault.ts'
import { type Command, DONE, refuse } from '../terminal/command.ts'
import { readConfiguredKeys } from './verify-vault.ts'

/** Secrets per page. */
const PAGE = 500
/** Maximum number of SUTs printed; the JSON has all. */
const SHOWN = 20

/** The SUT of each secret encrypted with a key. */
const ownersOf = async (store: EventStore, key: string): Promise<readonly string[]> => {
  const suts: string[] = []
  let page = await store.secretsSealedWith(key, undefined, PAGE)
  while (page.length > 0) {
    for (const { owner } of withoutChecks(page)) suts.push(owner)
    page = await store.secretsSealedWith(key, page.at(-1), PAGE)
  }
  return suts
}

const report = (key: string, secrets: number, suts: readonly string[]): string => {
  const named = suts.slice(0, SHOWN).join(', ')
  const more = suts.length > SHOWN ? ` and ${suts.length - SHOWN} more` : ''
  const of = secrets === 0 ? 'no secret' : `${secrets} secrets of the SUTs ${named}${more}; set them again`
  return `lost with the key ${key}: ${of}. Retries of earlier requests are no longer recognised.\n`
}

export const vaultForgetCommand: Command = {
  name: 'vault forget',
  operands: ['KEY'],
  options: { json: { type: 'boolean' } },
  summary: 'continues without a vault key that is permanently lost',
  example: 'vault forget 2026-11-02-1f3a',
  help: `
The service does not start without a vault key that secrets were encrypted with. Where such a key is permanently lost,
this reports what is lost with the key with the id KEY and records in the log that it was forgotten (VaultKeyForgotten).
The service then starts without it. The encrypted secrets are kept: if the key is found after all, add it to the key
file after the others, and they open again. Stop the service first. With an EventStoreDB, make sure that no instance has
the key.

With --json it prints {"key","secrets","suts"}.`,
  run: async ({ operands: [key = ''], options }, config, terminal) => {
    const { now, randomBytes, stdout } = terminal
    const ring = await readConfiguredKeys(config)
    if (E.isLeft(ring)) return refuse(terminal, ring.left)
    if (ring.right.keys.some(({ id }) => id === key)) {
      return refuse(terminal, 'this key is not lost; nothing was changed')
    }
    const randomHex = (bytes: number): string => Buffer.from(randomBytes(bytes)).toString('hex')
    const store = await openStoreBeside(config, { randomHex, isReadOnly: false })
    try {
      const checks = (await store.readSecrets(KEY_CHECKS)).filter(({ key_id }) => key_id === key)
      const sealed = await ownersOf(store, key)
      if (checks.length === 0) {
        const why =
          sealed.length === 0 ? 'nothing was ever encrypted with this key' : 'this key has already been forgotten'
        return refuse(terminal, why)
      }
      const suts = [...new Set(sealed)]
      stdout(
        options.json ? `${JSON.stringify({ key, secrets: sealed.length, suts })}\n` : report(key, sealed.length, suts),
      )
      const data = { key, secrets: sealed.length }
      await recordForLog({ type: 'VaultKeyForgotten', data }, { store, now: now(), randomHex })
      await store.exchangeSecrets(checks.map((old) => ({ old })))
      return DONE
    } finally {
      await store.close()
    }
  },
}
