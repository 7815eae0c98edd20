import * as E from 'fp-ts/lib/Either.js'
import { readAuditKey } from '../../audit/audit-key.ts'
import { type Signer, verifierOf, writeVerifier } from '../../audit/signed-note.ts'
import type { Config } from '../../service/config/config.ts'
import { type Command, DONE, refuse, type Terminal } from '../terminal/command.ts'
import { replaceAuditKey } from './audit-key-replace.ts'

/** The signer of this log's checkpoints. Left: why there is none. */
export const signerOf = async (config: Config): Promise<E.Either<string, Signer>> => {
  const read = await readAuditKey(config)
  if (E.isLeft(read)) return read
  if (read.right !== undefined) return E.right({ name: config.origin, privateKey: read.right })
  const remedy = config.eventStore.kind === 'sqlite' ? '; the service creates it at startup' : ''
  return E.left(`there is no audit key: ${config.auditKeyFile} does not exist${remedy}`)
}

const replace = async (isJson: boolean, config: Config, terminal: Terminal): Promise<number> => {
  const replaced = await replaceAuditKey(config, terminal)
  if (E.isLeft(replaced)) return refuse(terminal, replaced.left)
  const { verifier, replaces } = replaced.right
  const key = writeVerifier(verifier)
  const before = replaces === undefined ? null : writeVerifier(replaces)
  const output = { origin: config.origin, verifier_key: key, replaces: before }
  terminal.stdout(isJson ? `${JSON.stringify(output)}\n` : `${key}\n`)
  return DONE
}

export const auditKeyCommand: Command = {
  name: 'audit key',
  operands: [],
  options: { replace: { type: 'boolean' }, json: { type: 'boolean' } },
  summary: 'prints the public key that verifies checkpoints',
  example: 'audit key',
  help: `
Prints the public part of the key that signs the checkpoints of this log, as a C2SP signed-note verifier key: name, key
id and key, joined by plus signs. Give it to everybody who verifies. Keep the key file itself secret.

--replace is for an audit key that is permanently lost, without which the service does not start. It reports what is
lost, makes another key where none is configured, and records in the log that the new key signs from there on
(AuditKeyReplaced). Stop the service first, and inform those who verify.

With --json it prints {"origin","verifier_key"}, and with --replace also "replaces": the verifier key before it or null.`,
  run: async ({ options }, config, terminal) => {
    if (options.replace === true) return replace(options.json === true, config, terminal)
    const signer = await signerOf(config)
    if (E.isLeft(signer)) return refuse(terminal, signer.left)
    const key = writeVerifier(verifierOf(signer.right))
    terminal.stdout(options.json ? `${JSON.stringify({ origin: config.origin, verifier_key: key })}\n` : `${key}\n`)
    return DONE
  },
}
