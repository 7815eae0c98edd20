/** The key that signs checkpoints, and checkpoints: of the files here, or where BERTH_URL is set of the service there. */

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
import { signCheckpoint } from '../../audit/checkpoint.ts'
import { treeOf } from '../../audit/merkle-tree.ts'
import { readVerifier, type Signer, type Verifier, verifierOf, writeVerifier } from '../../audit/signed-note.ts'
import { recordForLog } from '../../commands/log-events.ts'
import { BEGINNING } from '../../event-store/event-store.ts'
import { type Command, CommandFailure, orFail, randomHexOf, type Terminal } from '../terminal/command.ts'
import { makeLogProgress } from '../terminal/progress.ts'
import { type CallRoute, makeCall, multiline } from '../terminal/service.ts'

const isAsked = (config: Config, { local }: { readonly local?: unknown }): boolean =>
  config.client !== undefined && local !== true

/** The signer of this log's checkpoints. @throws CommandFailure if there is none */
export const signerOf = async (config: Config): Promise<Signer> => {
  const privateKey = orFail(await readAuditKey(config))
  if (privateKey !== undefined) return { name: config.origin, privateKey }
  const remedy = config.eventStore.kind === 'sqlite' ? '; the service creates it at startup' : ''
  throw new CommandFailure(`there is no audit key: ${config.auditKeyFile} does not exist${remedy}`)
}

/**
 * Replaces a lost audit key and records the change in the log. Resolves to the new key, and to the one before it if the
 * log knows that.
 *
 * @throws LockTaken while a service runs on the embedded store; CommandFailure if nothing was changed
 */
const replaceAuditKey = async (config: Config, terminal: Terminal) => {
  const { now, randomBytes, stderr } = terminal
  const randomHex = randomHexOf(terminal)
  await using store = await openStoreForCommand(config, { randomHex, isReadOnly: false })
  const known = await readKnownKey(store)
  if (E.isLeft(known)) stderr(`berth: ${known.left}\n`)
  const replaces = E.isRight(known) ? known.right : undefined
  const privateKey = orFail(await readAuditKey(config))
  if (privateKey && replaces && isSameKey(replaces, verifierOf({ name: config.origin, privateKey })))
    throw new CommandFailure('the audit key is not lost; nothing was changed')
  if (replaces === undefined) stderr('berth: the log has no record of an earlier key\n')
  else {
    stderr(`berth: lost: the key ${formatKeyId(replaces)}, which can no longer sign\n`)
    stderr(`berth: its signatures can still be verified with ${writeVerifier(replaces)}\n`)
  }
  if (privateKey === undefined) orFail(await makeAuditKeyFile(config.auditKeyFile, randomBytes))
  const signer = await signerOf(config)
  const verifier = verifierOf(signer)
  const former = replaces && writeVerifier(replaces)
  const data = { verifier_key: writeVerifier(verifier), ...(former !== undefined && { replaces: former }) }
  await recordForLog({ type: 'AuditKeyReplaced', data }, { store, now: now(), randomHex })
  await saveKnownKey(store, signer, now(), randomBytes)
  return { verifier, replaces: former ?? null }
}

/** The key that signs now, of the service at BERTH_URL. */
const askForVerifier = async (call: CallRoute): Promise<Verifier> => {
  const keys = await call({ path: '/api/audit/key', accept: 'text/plain', answer: multiline })
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
    const isRemote = isAsked(config, options)
    print(isRemote ? await askForVerifier(makeCall(config, terminal)) : verifierOf(await signerOf(config)))
  },
}

/** The checkpoint of the service. Who keeps it checks its signature: `verify --against`. */
export const askForCheckpoint = async (call: CallRoute) => {
  const note = await call({ path: '/api/audit/checkpoint', accept: 'text/plain', answer: multiline })
  const [, origin, size, root = ''] = /^([^\n]+)\n(\d{1,15})\n([A-Za-z0-9+/]{43}=)\n\n/.exec(note) ?? []
  if (origin === undefined) throw new CommandFailure('the service did not answer with a checkpoint')
  return { origin, size: Number(size), root, note }
}

const makeCheckpoint = async (config: Config, terminal: Terminal) => {
  const signer = await signerOf(config)
  await using store = await openStoreForCommand(config)
  const progress = await makeLogProgress(store, config, terminal)
  const tree = await treeOf(store.records(BEGINNING), progress.show).finally(progress.end)
  const [size, root] = [tree.size(), tree.root()]
  const note = signCheckpoint(size, root, signer)
  return { origin: config.origin, size, root: root.toString('base64'), note }
}

export const checkpointCommand: Command = {
  name: 'checkpoint',
  options: { local: { type: 'boolean' }, json: { type: 'boolean' } },
  summary: 'prints a signed checkpoint of the log',
  example: 'checkpoint > berth.checkpoint',
  help: `
Reads the whole log and prints a signed checkpoint (C2SP tlog-checkpoint): the number of events and the root hash over
all of them, signed with the audit key. Keep it where nobody who can write the log can change it. "verify --against"
then proves that every event signed there is still in the log, unaltered.

It reads the log itself, with or without a running service. Where BERTH_URL is set it asks the service there, which
returns the same at /api/audit/checkpoint. --local reads the log in any case.

With --json it prints {"origin","size","root","note"}.`,
  run: async ({ options }, config, terminal) => {
    const isRemote = isAsked(config, options)
    const signed = await (isRemote ? askForCheckpoint(makeCall(config, terminal)) : makeCheckpoint(config, terminal))
    terminal.stdout(options.json ? `${JSON.stringify(signed)}\n` : signed.note)
  },
}
