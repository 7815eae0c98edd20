import * as E from 'fp-ts/lib/Either.js'
import { openStoreForCommand } from '../../app/core/open-store.ts'
import { type KeyNeed, keyNeeds } from '../../vault/needs.ts'
import { type Command, DONE, REFUSED } from '../terminal/command.ts'
import { readRing } from './vault-keys.ts'

/** A key and why it is needed. */
interface KeyStatus {
  readonly id: string
  readonly place: 'current' | 'old' | 'missing'
  readonly is_needed: boolean
  /** Number of secrets encrypted with it. */
  readonly secrets: number
  readonly retries_until: string | null
  readonly why: string
}

const whyOf = (place: KeyStatus['place'], need: KeyNeed | undefined, until: string | null): string => {
  if (need === undefined) {
    return place === 'current'
      ? 'a running service loads it within 2 s, otherwise it is loaded at startup'
      : 'never used'
  }
  const secrets = need.secrets === 1 ? '1 secret is' : `${need.secrets} secrets are`
  if (place === 'current') return `encrypts new secrets; ${secrets} encrypted with it`
  if (need.secrets > 0) return `${secrets} encrypted with it${until === null ? '' : `; retries until ${until}`}`
  if (until === null) return 'encrypts new secrets, as far as the log knows'
  return need.isNeeded ? `retries until ${until}` : 'no longer needed'
}

const statusOf = (id: string, ids: readonly string[], need: KeyNeed | undefined): KeyStatus => {
  const place = id === ids[0] ? 'current' : ids.includes(id) ? 'old' : 'missing'
  const until = need?.retriesUntil === undefined ? null : new Date(need.retriesUntil).toISOString()
  return {
    id,
    place,
    is_needed: place === 'current' || (need?.isNeeded ?? false),
    secrets: need?.secrets ?? 0,
    retries_until: until,
    why: whyOf(place, need, until),
  }
}

export const vaultStatusCommand: Command = {
  name: 'vault status',
  options: { json: { type: 'boolean' } },
  summary: 'shows which keys are needed, and what for',
  example: 'vault status --json',
  isOfFiles: true,
  help: `
Prints the keys of the vault, one per line, separated by tabs: id, place (current, old or missing), "needed" or "not
needed", and why. Exits with 1 if a needed key is missing. Works with or without a running service. A key that is not
needed may be deleted from the key file, and does no harm until then.

With --json it prints {"keys":[{"id","place","is_needed","secrets","retries_until","why"}]}.`,
  run: async ({ options }, config, terminal) => {
    const ring = await readRing(config)
    if (E.isLeft(ring)) terminal.stderr(`berth: ${ring.left.why}\n`)
    const ids = E.isRight(ring) ? ring.right.keys.map(({ id }) => id) : []
    await using store = await openStoreForCommand(config)
    const needs = await keyNeeds(store, ids[0] ?? '', terminal.now())
    const all = [...new Set([...ids, ...needs.map(({ id }) => id)])]
    const needOf = (id: string) => needs.find((need) => need.id === id)
    const keys = all.map((id) => statusOf(id, ids, needOf(id)))
    if (options.json) terminal.stdout(`${JSON.stringify({ keys })}\n`)
    else
      for (const { id, place, is_needed, why } of keys) {
        terminal.stdout(`${id}\t${place}\t${is_needed ? 'needed' : 'not needed'}\t${why}\n`)
      }
    return keys.some(({ place, is_needed }) => place === 'missing' && is_needed) ? REFUSED : DONE
  },
}
