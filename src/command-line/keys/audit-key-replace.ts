import type { KeyObject } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { formatKeyId, makeAuditKeyFile, readAuditKey } from '../../audit/audit-key.ts'
import { isSameKey, readKnownKey, saveKnownKey } from '../../audit/known-audit-key.ts'
import { type Verifier, verifierOf, writeVerifier } from '../../audit/signed-note.ts'
import { recordForLog } from '../../commands/record-for-log.ts'
import type { Config } from '../../config/config.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import { openStoreForCommand } from '../../service/open-store.ts'
import { randomHexOf, type Terminal } from '../terminal/command.ts'

/** The new key, and the replaced one if the log has a record of it. */
export interface Replaced {
  readonly verifier: Verifier
  readonly replaces: Verifier | undefined
}

/** What is lost with a key, as sentences. */
const lostWith = (replaces: Verifier | undefined): readonly string[] =>
  replaces === undefined
    ? ['the log has no record of an earlier key']
    : [
        `lost: the key ${formatKeyId(replaces)}, which can no longer sign`,
        `its signatures can still be verified with ${writeVerifier(replaces)}`,
      ]

const replaceIn = async (
  store: EventStore,
  config: Config,
  terminal: Terminal,
): Promise<E.Either<string, Replaced>> => {
  const { now, randomBytes, stderr } = terminal
  const { auditKeyFile: file, origin: name } = config
  const known = await readKnownKey(store)
  if (E.isLeft(known)) stderr(`berth: ${known.left}\n`)
  const replaces = E.isRight(known) ? known.right : undefined
  let read = await readAuditKey(config)
  if (E.isLeft(read)) return read
  const isKnown = (key: KeyObject | undefined): boolean =>
    key !== undefined && replaces !== undefined && isSameKey(replaces, verifierOf({ name, privateKey: key }))
  if (isKnown(read.right)) return E.left('the audit key is not lost; nothing was changed')
  for (const sentence of lostWith(replaces)) stderr(`berth: ${sentence}\n`)
  if (read.right === undefined) {
    const made = await makeAuditKeyFile(file, randomBytes)
    if (E.isLeft(made)) return made
    read = await readAuditKey(config)
  }
  if (E.isLeft(read) || read.right === undefined) return E.left(`the audit key cannot be read from ${file}`)
  const signer = { name, privateKey: read.right }
  const verifier = verifierOf(signer)
  const data = {
    verifier_key: writeVerifier(verifier),
    ...(replaces !== undefined && { replaces: writeVerifier(replaces) }),
  }
  await recordForLog({ type: 'AuditKeyReplaced', data }, { store, now: now(), randomHex: randomHexOf(terminal) })
  await saveKnownKey(store, signer, now(), randomBytes)
  return E.right({ verifier, replaces })
}

/**
 * Replaces a lost audit key and records the change in the log. Left: why nothing was changed.
 *
 * @throws LockTaken while a service runs on the embedded store
 */
export const replaceAuditKey = async (config: Config, terminal: Terminal): Promise<E.Either<string, Replaced>> => {
  const randomHex = randomHexOf(terminal)
  const store = await openStoreForCommand(config, { randomHex, isReadOnly: false })
  try {
    return await replaceIn(store, config, terminal)
  } finally {
    await store.close()
  }
}
