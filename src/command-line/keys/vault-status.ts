import * as E from 'fp-ts/lib/Either.js'
import { openStoreForCommand } from '../../app/core/open-store.ts'
import { readKeyRing } from '../../vault/keys.ts'
import { type KeyNeed, keyNeeds } from '../../vault/needs.ts'
import { type Command, DONE, REFUSED } from '../terminal/command.ts'

/** Why a key is needed, or is not. */
const whyOf = (isCurrent: boolean, need: KeyNeed | undefined, until: string | null): string => {
  if (need === undefined)
    return isCurrent ? 'a running service loads it within 2 s, otherwise it is loaded at startup' : 'never used'
  const secrets = need.secrets === 1 ? '1 secret is' : `${need.secrets} secrets are`
  if (isCurrent) return `encrypts new secrets; ${secrets} encrypted with it`
  if (need.secrets > 0) return `${secrets} encrypted with it${until === null ? '' : `; retries until ${until}`}`
  if (until === null) return 'encrypts new secrets, as far as the log knows'
  return need.isNeeded ? `retries until ${until}` : 'no longer needed'
}

/** @param ids of the keys at hand, the current one first */
const statusOf = (id: string, ids: readonly string[], need: KeyNeed | undefined) => {
  const isCurrent = id === ids[0]
  const retries_until = need?.retriesUntil === undefined ? null : new Date(need.retriesUntil).toISOString()
  return {
    id,
    place: isCurrent ? 'current' : ids.includes(id) ? 'old' : 'missing',
    is_needed: isCurrent || (need?.isNeeded ?? false),
    secrets: need?.secrets ?? 0,
    retries_until,
    why: whyOf(isCurrent, need, retries_until),
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
  run: async ({ options }, config, { stdout, stderr, now }) => {
    const ring = await readKeyRing(config)
    if (E.isLeft(ring)) for (const problem of ring.left) stderr(`berth: ${problem}\n`)
    const ids = E.isRight(ring) ? ring.right.keys.map(({ id }) => id) : []
    await using store = await openStoreForCommand(config)
    const needs = new Map((await keyNeeds(store, ids[0] ?? '', now())).map((need) => [need.id, need]))
    const keys = [...new Set([...ids, ...needs.keys()])].map((id) => statusOf(id, ids, needs.get(id)))
    const lines = keys.map(({ id, place, is_needed, why }) =>
      [id, place, is_needed ? 'needed' : 'not needed', `${why}\n`].join('\t'),
    )
    stdout(options.json ? `${JSON.stringify({ keys })}\n` : lines.join(''))
    return keys.some(({ place, is_needed }) => place === 'missing' && is_needed) ? REFUSED : DONE
  },
}
