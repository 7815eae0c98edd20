import type { KeyObject } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { formatKeyId, makeAuditKeyFile, readAuditKey } from '../../audit/audit-key.ts'
import { isSameKey, readKnownKey, saveKnownKey } from '../../audit/known-audit-key.ts'
import { type Verifier, verifierOf, writeVerifier } from '../../audit/signed-note.ts'
import { recordForLog } from '../../commands/log-version.ts'
import type { Config } from '../../config/config.ts'
import { openStoreForCommand } from '../../service/open-store.ts'
import { CommandFailure, orFail, randomHexOf, type Terminal } from '../terminal/command.ts'

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

/**
 * Replaces a lost audit key and records the change in the log.
 *
 * @throws LockTaken while a service runs on the embedded store; CommandFailure if nothing was changed
 */
export const replaceAuditKey = async (config: Config, terminal: Terminal): Promise<Replaced> => {
  const { now, randomBytes, stderr } = terminal
  const { auditKeyFile: file, origin: name } = config
  const randomHex = randomHexOf(terminal)
  await using store = await openStoreForCommand(config, { randomHex, isReadOnly: false })
  const known = await readKnownKey(store)
  if (E.isLeft(known)) stderr(`berth: ${known.left}\n`)
  const replaces = E.isRight(known) ? known.right : undefined
  let privateKey = orFail(await readAuditKey(config))
  if (privateKey && replaces && isSameKey(replaces, verifierOf({ name, privateKey })))
    throw new CommandFailure('the audit key is not lost; nothing was changed')
  for (const sentence of lostWith(replaces)) stderr(`berth: ${sentence}\n`)
  if (privateKey === undefined) {
    orFail(await makeAuditKeyFile(file, randomBytes))
    privateKey = E.getOrElse((): KeyObject | undefined => undefined)(await readAuditKey(config))
  }
  if (privateKey === undefined) throw new CommandFailure(`the audit key cannot be read from ${file}`)
  const signer = { name, privateKey }
  const verifier = verifierOf(signer)
  const data = {
    verifier_key: writeVerifier(verifier),
    ...(replaces !== undefined && { replaces: writeVerifier(replaces) }),
  }
  await recordForLog({ type: 'AuditKeyReplaced', data }, { store, now: now(), randomHex })
  await saveKnownKey(store, signer, now(), randomBytes)
  return { verifier, replaces }
}
