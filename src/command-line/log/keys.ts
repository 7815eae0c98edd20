import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Config } from '../../app/config/config.ts'
import { openStoreForCommand } from '../../app/core/open-store.ts'
import { recordForLog } from '../../commands/log-events.ts'
import { parseOwner } from '../../domain/sealed-secret.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import { acquireLock, LockTaken } from '../../files/lock.ts'
import { parseAddress } from '../../http/protocol/client-address.ts'
import { KEY_CHECKS } from '../../vault/cipher.ts'
import { makeClientPseudonyms } from '../../vault/derived/client-pseudonyms.ts'
import { type KeyPlace, type KeyRing, readKeyRing, rotateKeyFile } from '../../vault/keys.ts'
import { type KeyNeed, keyNeeds, sealedWith, withoutChecks } from '../../vault/needs.ts'
import { readKnownKeyIds } from '../../vault/vault.ts'
import { type Command, CommandFailure, DONE, Misused, orFail, REFUSED, randomHexOf } from '../terminal/command.ts'

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

/** Maximum number of SUTs, users and webhooks printed; the JSON has all. */
const OWNERS_SHOWN = 20

/** The configured keys; none if their file does not exist. @throws CommandFailure */
export const readConfiguredKeys = async (place: KeyPlace): Promise<Pick<KeyRing, 'keys'>> =>
  place.vaultKeys === undefined && !existsSync(place.vaultKeyFile) ? { keys: [] } : orFail(await readKeyRing(place))

/** What is lost with a key: the SUTs, users and webhooks whose secrets, or names of tokens, are encrypted with it. */
const findLost = async (store: EventStore, key: string) => {
  let secrets = 0
  const [suts, users, webhooks] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const lost = { SUT: suts, user: users, tokens: users, webhook: webhooks }
  for await (const page of sealedWith(store, key))
    for (const { owner } of withoutChecks(page)) {
      secrets++
      const { kind, id } = parseOwner(owner)
      lost[kind].add(id)
    }
  return { key, secrets, suts: [...suts], users: [...users], webhooks: [...webhooks] }
}

const listed = (what: string, ids: readonly string[]): readonly string[] => {
  const more = ids.length > OWNERS_SHOWN ? ` and ${ids.length - OWNERS_SHOWN} more` : ''
  return ids.length === 0 ? [] : [`of the ${what} ${ids.slice(0, OWNERS_SHOWN).join(', ')}${more}`]
}

const report = ({ key, secrets, suts, users, webhooks }: Awaited<ReturnType<typeof findLost>>): string => {
  const owners = [...listed('SUTs', suts), ...listed('users', users), ...listed('webhooks', webhooks)].join(' and ')
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

With --json it prints {"key","secrets","suts","users","webhooks"}.`,
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

export const clientCommand: Command = {
  name: 'client',
  operands: ['ADDRESS'],
  options: { json: { type: 'boolean' } },
  summary: 'prints what a client address looks like in the log',
  example: 'client 192.0.2.7',
  isOfFiles: true,
  help: `
No address is in the log: events that a request recorded name its client by a keyed hash. Prints this name under each
key of the vault, the current one first, one per line: search the log or the feed for it. Every loopback address is the
same client, and of an IPv6 address the first BERTH_GATEWAY_IPV6_PREFIX bits count. Works with or without a running
service.

With --json it prints {"clients":[...]}.`,
  run: async ({ operands: [typed = ''], options }, config, terminal) => {
    const address = parseAddress(typed)
    if (address === undefined) throw new Misused('expected an IPv4 or IPv6 address')
    const { keys } = orFail(await readKeyRing(config))
    const clients = keys.map((key) =>
      makeClientPseudonyms(() => ({ current: key, keys: [key] }), config.gateway.ipv6Prefix).of(address),
    )
    if (options.json) terminal.stdout(`${JSON.stringify({ clients })}\n`)
    else for (const client of clients) terminal.stdout(`${client}\n`)
  },
}
