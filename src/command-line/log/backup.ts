import { resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { readAuditKey } from '../../audit/audit-key.ts'
import { makeBackup } from '../../backup/backup.ts'
import type { Config } from '../../service/config/config.ts'
import { openStoreBeside } from '../../service/open-store.ts'
import { type Command, DONE, makeProgress, refuse } from '../terminal/command.ts'

/** Where the keys are that no backup holds. */
const keysOf = ({ vaultKeys, vaultKeyFile, auditKey, auditKeyFile }: Config): readonly string[] => [
  vaultKeys === undefined ? vaultKeyFile : 'the variable BERTH_VAULT_KEY',
  auditKey === undefined ? auditKeyFile : 'the variable BERTH_AUDIT_KEY',
]

const IN_CLUSTER =
  'the log is in an EventStoreDB, secrets included: back it up with its own tools, and the users file and the keys apart'

export const backupCommand: Command = {
  name: 'backup',
  operands: ['DIR'],
  options: { json: { type: 'boolean' } },
  summary: 'copies log, secrets and users into a new directory',
  example: 'backup /backups/berth-$(date +%F)',
  help: `
Copies the log, the SUTs' secrets as they are sealed and the users into the new directory DIR, with a checkpoint of the
log, signed with the audit key (log.checkpoint), and checks the copy against the log: every event is read, and the hash
over all of them compared. Works beside a running service. DIR is there whole or not at all, for its owner only.

The keys of the vault and the audit key are NOT in it: whoever had both could read the secrets, and sign. Keep a copy of
them in another place.
The way back: stop the service, put DIR in the place of the data directory and the keys in theirs, start the service.

With --json it prints the checkpoint with "directory" and "keys_not_included".`,
  run: async ({ operands, options }, config, terminal) => {
    if (config.eventStore.kind !== 'sqlite') return refuse(terminal, IN_CLUSTER)
    await (await openStoreBeside(config)).close()
    const directory = resolve(operands[0] as string)
    const { eventStore, usersFile, origin } = config
    const progress = makeProgress(terminal)
    const auditKey = await readAuditKey(config)
    if (E.isLeft(auditKey)) return refuse(terminal, auditKey.left)
    const signer = auditKey.right && { name: origin, privateKey: auditKey.right }
    const source = { log: eventStore.path, usersFile, origin, signer }
    const made = await makeBackup(source, directory, { now: terminal.now(), onProgress: progress.show })
    progress.end()
    if (E.isLeft(made)) return refuse(terminal, made.left)
    const keys = keysOf(config)
    const { events, root, vault_keys } = made.right
    if (options.json) {
      terminal.stdout(`${JSON.stringify({ directory, ...made.right, keys_not_included: keys })}\n`)
      return DONE
    }
    terminal.stdout(`${directory}: ${events} events, checked; root ${root}\n`)
    const missing = `the keys of the vault (${vault_keys.join(', ')}) and the audit key`
    terminal.stdout(`Not in it: ${missing}. Keep a copy of ${keys.join(' and ')} elsewhere.\n`)
    return DONE
  },
}
