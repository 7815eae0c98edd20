import * as E from 'fp-ts/lib/Either.js'
import { recordForLog } from '../../commands/record-for-log.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import { openStoreBeside } from '../../service/open-store.ts'
import { withoutChecks } from '../../vault/needs.ts'
import { KEY_CHECKS } from '../../vault/vault.ts'
import { type Command, DONE, refuse } from '../terminal/command.ts'
import { ringAtHand } from './verify-vault.ts'

/** Secrets listed at a time. */
const PAGE = 500
/** SUTs that are printed; the others are in the JSON. */
const SHOWN = 20

/** The SUTs with secrets that were sealed with a key, one for each secret. */
const sealedWith = async (store: EventStore, key: string): Promise<readonly string[]> => {
  const suts: string[] = []
  let page = await store.secretsSealedWith(key, undefined, PAGE)
  while (page.length > 0) {
    for (const { sut_id } of withoutChecks(page)) suts.push(sut_id)
    page = await store.secretsSealedWith(key, page.at(-1), PAGE)
  }
  return suts
}

const told = (key: string, secrets: number, suts: readonly string[]): string => {
  const named = suts.slice(0, SHOWN).join(', ')
  const more = suts.length > SHOWN ? ` and ${suts.length - SHOWN} more` : ''
  const of = secrets === 0 ? 'no secret' : `${secrets} secrets, of the SUTs ${named}${more}: give them theirs anew`
  return `lost with the key ${key}: ${of}. Retries from before are not recognised any more.\n`
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
    const ring = await ringAtHand(config)
    if (E.isLeft(ring)) return refuse(terminal, ring.left)
    if (ring.right.keys.some(({ id }) => id === key)) {
      return refuse(terminal, 'this key is there: nothing is lost, and nothing was changed')
    }
    const randomHex = (bytes: number): string => Buffer.from(randomBytes(bytes)).toString('hex')
    const store = await openStoreBeside(config, { randomHex, isReadOnly: false })
    try {
      const checks = (await store.readSecrets(KEY_CHECKS)).filter(({ key_id }) => key_id === key)
      const sealed = await sealedWith(store, key)
      if (checks.length === 0) {
        const why = sealed.length === 0 ? 'nothing was ever sealed with this key' : 'this key was forgotten before'
        return refuse(terminal, why)
      }
      const suts = [...new Set(sealed)]
      stdout(
        options.json ? `${JSON.stringify({ key, secrets: sealed.length, suts })}\n` : told(key, sealed.length, suts),
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
