import * as E from 'fp-ts/lib/Either.js'
import { readAuditKey } from '../audit/audit-key.ts'
import { type Signer, verifierOf, writeVerifier } from '../audit/signed-note.ts'
import type { Config } from '../config.ts'
import { type Command, DONE, refuse } from './command.ts'

/** Whoever signs for this log; Left: why nobody can. */
export const signerOf = async (config: Config): Promise<E.Either<string, Signer>> => {
  const read = await readAuditKey(config)
  if (E.isLeft(read)) return read
  if (read.right !== undefined) return E.right({ name: config.origin, privateKey: read.right })
  const remedy = config.eventStore.kind === 'sqlite' ? '; the service makes it when it starts' : ''
  return E.left(`there is no audit key: ${config.auditKeyFile} does not exist${remedy}`)
}

export const auditKeyCommand: Command = {
  name: 'audit key',
  operands: [],
  options: { json: { type: 'boolean' } },
  summary: 'prints the public key that checkpoints are verified with',
  example: 'audit key',
  help: `
Prints the public part of the key that this log's checkpoints are signed with, as a verifier key of C2SP signed-note:
name, key id and key, with plus signs between. Give it to whoever verifies; keep the file of the key itself to yourself.

With --json it prints {"origin","verifier_key"}.`,
  run: async ({ options }, config, terminal) => {
    const signer = await signerOf(config)
    if (E.isLeft(signer)) return refuse(terminal, signer.left)
    const key = writeVerifier(verifierOf(signer.right))
    terminal.stdout(options.json ? `${JSON.stringify({ origin: config.origin, verifier_key: key })}\n` : `${key}\n`)
    return DONE
  },
}
