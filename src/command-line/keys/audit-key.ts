import type { KeyObject } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { Config } from '../../app/config/config.ts'
import { openStoreForCommand } from '../../app/core/open-store.ts'
import {
  formatKeyId,
  isSameKey,
  makeAuditKeyFile,
  readAuditKey,
  readKnownKey,
  saveKnownKey,
} from '../../audit/audit-key.ts'
import { readVerifier, type Signer, type Verifier, verifierOf, writeVerifier } from '../../audit/signed-note.ts'
import { recordForLog } from '../../commands/log-events.ts'
import { makeCall, multiline } from '../service/call.ts'
import { type Command, CommandFailure, orFail, randomHexOf, type Terminal } from '../terminal/command.ts'

/**
 * Replaces a lost audit key and records the change in the log. Resolves to the new key, and to the one before it if the
 * log knows that.
 *
 * @throws LockTaken while a service runs on the embedded store; CommandFailure if nothing was changed
 */
const replaceAuditKey = async (config: Config, terminal: Terminal) => {
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
  if (replaces === undefined) stderr('berth: the log has no record of an earlier key\n')
  else {
    stderr(`berth: lost: the key ${formatKeyId(replaces)}, which can no longer sign\n`)
    stderr(`berth: its signatures can still be verified with ${writeVerifier(replaces)}\n`)
  }
  if (privateKey === undefined) {
    orFail(await makeAuditKeyFile(file, randomBytes))
    privateKey = E.getOrElse((): KeyObject | undefined => undefined)(await readAuditKey(config))
  }
  if (privateKey === undefined) throw new CommandFailure(`the audit key cannot be read from ${file}`)
  const signer = { name, privateKey }
  const verifier = verifierOf(signer)
  const former = replaces && writeVerifier(replaces)
  const data = { verifier_key: writeVerifier(verifier), ...(former !== undefined && { replaces: former }) }
  await recordForLog({ type: 'AuditKeyReplaced', data }, { store, now: now(), randomHex })
  await saveKnownKey(store, signer, now(), randomBytes)
  return { verifier, replaces: former ?? null }
}

/** The signer of this log's checkpoints. @throws CommandFailure if there is none */
export const signerOf = async (config: Config): Promise<Signer> => {
  const privateKey = orFail(await readAuditKey(config))
  if (privateKey !== undefined) return { name: config.origin, privateKey }
  const remedy = config.eventStore.kind === 'sqlite' ? '; the service creates it at startup' : ''
  throw new CommandFailure(`there is no audit key: ${config.auditKeyFile} does not exist${remedy}`)
}

/** The key that signs now, of the service at BERTH_URL. */
const askForVerifier = async (config: Config, terminal: Terminal): Promise<Verifier> => {
  const path = '/api/audit/key'
  const keys = await makeCall(config, terminal)({ path, accept: 'text/plain', answer: multiline })
  const read = readVerifier(keys.split('\n')[0] ?? '')
  return orFail(E.mapLeft((why: string) => `the verifier key of the service ${why}`)(read))
}

export const auditKeyCommand: Command = {
  name: 'audit key',
  options: { replace: { type: 'boolean' }, local: { type: 'boolean' }, json: { type: 'boolean' } },
  summary: 'prints the public key that verifies checkpoints',
  example: 'audit key',
  help: `
Prints the public part of the key that signs the checkpoints of this log, as a C2SP signed-note verifier key: name, key
id and key, joined by plus signs. Give it to everybody who verifies. Keep the key file itself secret.

It reads the key file, or where BERTH_URL is set asks the service there. --local reads the file in any case.

--replace is for an audit key that is permanently lost, without which the service does not start. It reports what is
lost, makes another key where none is configured, and records in the log that the new key signs from there on
(AuditKeyReplaced). Stop the service first, and inform those who verify.

With --json it prints {"origin","verifier_key"}, and with --replace also "replaces": the verifier key before it or null.`,
  run: async ({ options }, config, terminal) => {
    const print = (verifier: Verifier, more: object = {}): void => {
      const key = writeVerifier(verifier)
      const output = { origin: verifier.name, verifier_key: key, ...more }
      terminal.stdout(options.json ? `${JSON.stringify(output)}\n` : `${key}\n`)
    }
    if (options.replace === true) {
      const { verifier, replaces } = await replaceAuditKey(config, terminal)
      return print(verifier, { replaces })
    }
    const isRemote = config.client !== undefined && options.local !== true
    print(isRemote ? await askForVerifier(config, terminal) : verifierOf(await signerOf(config)))
  },
}
