import { resolve } from 'node:path'
import { readAuditKey } from '../../audit/audit-key.ts'
import { makeBackup } from '../../backup/backup.ts'
import type { Config } from '../../config/config.ts'
import { openStoreForCommand } from '../../service/open-store.ts'
import { type Command, CommandFailure, orFail } from '../terminal/command.ts'
import { makeProgress } from '../terminal/progress.ts'

/** The places of the keys, which backups do not contain. */
const keysOf = ({ vaultKeys, vaultKeyFile, auditKey, auditKeyFile }: Config): readonly string[] => [
  vaultKeys === undefined ? vaultKeyFile : 'the variable BERTH_VAULT_KEY',
  auditKey === undefined ? auditKeyFile : 'the variable BERTH_AUDIT_KEY',
]

const IN_CLUSTER =
  'the log and the secrets are in an EventStoreDB: back them up with its tools, and the keys separately'

export const backupCommand: Command = {
  name: 'backup',
  operands: ['DIR'],
  options: { json: { type: 'boolean' } },
  summary: 'copies the log with its secrets into a new directory',
  example: 'backup /backups/berth-$(date +%F)',
  isOfFiles: true,
  help: `
Copies the log and the encrypted secrets of SUTs and users into the new directory DIR, with a checkpoint of the log
signed with the audit key (log.checkpoint). Then checks the copy: reads every event and compares the root hash with that
of the log. Works with or without a running service: it reads the log itself, never the service at BERTH_URL. DIR
appears only when it is complete, readable by its owner only.

The vault keys and the audit key are NOT in it: with both, anybody could read the secrets and sign. Keep a copy of them
in another place. Without the vault keys, nobody can log in to the restored service.
To restore: stop the service, replace the data directory with DIR, put the keys back in their places, start the service.

With --json it prints the checkpoint with "directory" and "keys_not_included".`,
  run: async ({ operands, options: { json } }, config, terminal) => {
    if (config.eventStore.kind !== 'sqlite') throw new CommandFailure(IN_CLUSTER)
    const store = await openStoreForCommand(config)
    const events = (await store.head().finally(store.close)) + 1
    const directory = resolve(operands[0] as string)
    const { eventStore, origin } = config
    const privateKey = orFail(await readAuditKey(config))
    const source = { log: eventStore.path, origin, signer: privateKey && { name: origin, privateKey } }
    const progress = makeProgress(terminal)
    progress.show(0, events)
    const options = { now: terminal.now(), onProgress: progress.show }
    const made = orFail(await makeBackup(source, directory, options).finally(progress.end))
    const keys = keysOf(config)
    if (json) return terminal.stdout(`${JSON.stringify({ directory, ...made, keys_not_included: keys })}\n`)
    terminal.stdout(`${directory}: ${made.events} events, checked; root ${made.root}\n`)
    const missing = `the vault keys (${made.vault_keys.join(', ')}) and the audit key`
    terminal.stdout(`Not included: ${missing}. Keep a copy of ${keys.join(' and ')} elsewhere.\n`)
    terminal.stdout('A restore needs them: without the vault keys, users have neither names nor passwords.\n')
  },
}
