import * as E from 'fp-ts/lib/Either.js'
import { readAuditKey } from '../../audit/audit-key.ts'
import { readVerifier, type Signer, type Verifier, verifierOf, writeVerifier } from '../../audit/signed-note.ts'
import type { Config } from '../../config/config.ts'
import { multiline } from '../service/answer.ts'
import { callService } from '../service/call.ts'
import { type Command, DONE, printRefusal, type Terminal } from '../terminal/command.ts'
import { replaceAuditKey } from './audit-key-replace.ts'

/** The signer of this log's checkpoints. Left: why there is none. */
export const signerOf = async (config: Config): Promise<E.Either<string, Signer>> => {
  const read = await readAuditKey(config)
  if (E.isLeft(read)) return read
  if (read.right !== undefined) return E.right({ name: config.origin, privateKey: read.right })
  const remedy = config.eventStore.kind === 'sqlite' ? '; the service creates it at startup' : ''
  return E.left(`there is no audit key: ${config.auditKeyFile} does not exist${remedy}`)
}

/** The key that signs now, of the service at BERTH_URL. */
const askForVerifier = async (config: Config): Promise<E.Either<string, Verifier>> => {
  const keys = await callService(config, {
    method: 'GET',
    path: '/api/audit/key',
    accept: 'text/plain',
    answer: multiline,
  })
  if (E.isLeft(keys)) return keys
  const read = readVerifier(keys.right.split('\n')[0] ?? '')
  return E.mapLeft((why: string) => `the verifier key of the service ${why}`)(read)
}

const replace = async (isJson: boolean, config: Config, terminal: Terminal): Promise<number> => {
  const replaced = await replaceAuditKey(config, terminal)
  if (E.isLeft(replaced)) return printRefusal(terminal, replaced.left)
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
    if (options.replace === true) return replace(options.json === true, config, terminal)
    const isRemote = config.client !== undefined && options.local !== true
    const verifier = isRemote ? await askForVerifier(config) : E.map(verifierOf)(await signerOf(config))
    if (E.isLeft(verifier)) return printRefusal(terminal, verifier.left)
    const key = writeVerifier(verifier.right)
    const output = { origin: verifier.right.name, verifier_key: key }
    terminal.stdout(options.json ? `${JSON.stringify(output)}\n` : `${key}\n`)
    return DONE
  },
}
