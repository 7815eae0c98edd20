import { join, resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { Config } from '../../app/config/config.ts'
import { type EventStoreConfig, nameOfStore, readEventStore, readWholeNumber } from '../../app/config/values.ts'
import { openCopyTarget, openStoreForCommand } from '../../app/core/open-store.ts'
import {
  type BackupOptions,
  type BackupSource,
  type KeptBackup,
  makeBackup,
  makeKeptBackup,
  recordBackup,
} from '../../archive/backup.ts'
import { copyLog } from '../../archive/copy-log.ts'
import { readAuditKey } from '../../audit/audit-key.ts'
import type { OptionValue } from '../../client/command.ts'
import {
  type Command,
  CommandFailure,
  Misused,
  orFail,
  randomHexOf,
  type Terminal,
  WrongUsage,
} from '../terminal/command.ts'
import { makeProgress } from '../terminal/progress.ts'

/** The places of the keys, which backups do not contain. */
const keysOf = ({ vaultKeys, vaultKeyFile, auditKey, auditKeyFile }: Config): readonly string[] => [
  vaultKeys === undefined ? vaultKeyFile : 'the variable BERTH_VAULT_KEY',
  auditKey === undefined ? auditKeyFile : 'the variable BERTH_AUDIT_KEY',
]

const IN_CLUSTER =
  'the log and the secrets are in an EventStoreDB: back them up with its tools, and the keys separately'

const KEEP_MAX = 10_000

const keepOf = (keep: OptionValue): number | undefined => {
  if (keep === undefined) return undefined
  const count = readWholeNumber(1, KEEP_MAX)(String(keep))
  if (E.isLeft(count)) throw new WrongUsage(`--keep ${count.left}`)
  return count.right
}

/** Into a directory of its own, or among others of which so many are kept. */
const backUp = async (
  source: BackupSource,
  directory: string,
  keep: number | undefined,
  options: BackupOptions,
): Promise<KeptBackup> => {
  if (keep !== undefined) return orFail(await makeKeptBackup(source, directory, keep, options))
  const checkpoint = orFail(await makeBackup(source, directory, options))
  return { directory: resolve(directory), checkpoint, removed: [] }
}

export const backupCommand: Command = {
  name: 'backup',
  operands: ['DIR'],
  options: { keep: { type: 'string' }, json: { type: 'boolean' } },
  summary: 'copies the log with its secrets into a new directory',
  example: 'backup /backups/berth-$(date +%F)',
  isOfFiles: true,
  help: `
Copies the log and the encrypted secrets of SUTs and users into the new directory DIR, with a checkpoint of the log
signed with the audit key (log.checkpoint), and checks the copy. Works with or without a running service. DIR appears
only when it is complete, readable by its owner only.

The vault keys and the audit key are NOT in it: keep a copy of them in another place. Without the vault keys, nobody can
log in to the restored service.
To restore: stop the service, replace the data directory with DIR, put the keys back in their places, start the service.

With --keep N, 1 or more, DIR holds several backups: the new one is a directory in it, with a name like
berth-20261128T013000Z, and then the oldest of this log are removed, so that N are left.

With --json it prints the checkpoint with "directory", "keys_not_included" and, with --keep, "removed".`,
  run: async ({ operands, options: { keep: kept, json } }, config, terminal) => {
    const keep = keepOf(kept)
    if (config.eventStore.kind !== 'sqlite') throw new CommandFailure(IN_CLUSTER)
    const store = await openStoreForCommand(config)
    const events = (await store.head().finally(store.close)) + 1
    const { eventStore, origin } = config
    const privateKey = orFail(await readAuditKey(config))
    const source = { log: eventStore.path, origin, signer: privateKey && { name: origin, privateKey } }
    const progress = makeProgress(terminal)
    progress.show(0, events)
    const options = { now: terminal.now(), onProgress: progress.show }
    const backup = await backUp(source, operands[0] as string, keep, options).finally(progress.end)
    const { directory, checkpoint, removed } = backup
    await recordBackup(config.data, checkpoint).catch((error: Error) =>
      terminal.stderr(`berth: the metrics do not show this backup: ${error.message}\n`),
    )
    const keys = keysOf(config)
    if (json) {
      const printed = { directory, ...checkpoint, keys_not_included: keys, ...(keep !== undefined && { removed }) }
      return terminal.stdout(`${JSON.stringify(printed)}\n`)
    }
    terminal.stdout(`${directory}: ${checkpoint.events} events, checked; root ${checkpoint.root}\n`)
    for (const old of removed) terminal.stdout(`${old}: removed\n`)
    const missing = `the vault keys (${checkpoint.vault_keys.join(', ')}) and the audit key`
    terminal.stdout(`Not included: ${missing}. Keep a copy of ${keys.join(' and ')} elsewhere.\n`)
    terminal.stdout('A restore needs them: without the vault keys, users have neither names nor passwords.\n')
  },
}

type Of<K extends EventStoreConfig['kind']> = EventStoreConfig & { readonly kind: K }

/** The store that an option names. @throws Misused if it is of another kind */
const readStore = <K extends EventStoreConfig['kind']>(
  option: string,
  store: E.Either<string, EventStoreConfig>,
  [kind, example]: readonly [K, string],
): Of<K> => {
  if (E.isRight(store) && store.right.kind === kind) return store.right as Of<K>
  throw new Misused(`${option} ${E.isLeft(store) ? store.left : `must be like ${example}`}`)
}

const copy = async (
  from: Of<'sqlite'>,
  to: Of<'eventstoredb'>,
  config: Config,
  terminal: Terminal,
  isJson: boolean,
) => {
  // Opened for writing, which keeps services from writing during the copy.
  const begun = terminal.now()
  await using source = await openStoreForCommand({ ...config, eventStore: from }, { isReadOnly: false })
  await using target = await openCopyTarget(to, { randomHex: randomHexOf(terminal), copyOf: source.logId })
  const progress = makeProgress(terminal, { isLogged: true })
  const copied = await copyLog({ source, target, onProgress: progress.show }).finally(progress.end)
  await target.endCopy()
  const { events, found, secrets, root } = copied
  const seconds = (terminal.now() - begun) / 1_000
  const rate = Math.round((events - found) / Math.max(seconds, 0.001))
  if (isJson) return terminal.stdout(`${JSON.stringify({ ...copied, seconds })}\n`)
  terminal.stdout(`${nameOfStore(to)}: ${events} events, ${found} of them already there, ${rate} a second\n`)
  terminal.stdout(`${secrets} encrypted secrets; root ${root} in both\n`)
}

export const copyCommand: Command = {
  name: 'copy',
  options: { from: { type: 'string' }, to: { type: 'string' }, json: { type: 'boolean' } },
  summary: 'copies the embedded log into an EventStoreDB, to move there',
  example: 'copy --from sqlite:./data/events.db --to esdb://127.0.0.1:2113?tls=false',
  isOfFiles: true,
  help: `
Copies every event and every encrypted secret into an EventStoreDB or KurrentDB that contains no log: the same events in
the same order, with the same ids and revisions. Ends with the root hash of both logs, which must be equal. No service
may run on the log meanwhile. An interrupted copy continues where it stopped when the command is run again.

--from is the log in the data directory by default. --to is BERTH_EVENT_STORE by default, which keeps the password off
the command line. The keys are files: copy them to every instance.

With --json it prints {"events","found","secrets","root","seconds"}.`,
  run: async ({ options }, config, terminal) => {
    const read = (option: string, otherwise: EventStoreConfig) =>
      typeof options[option] === 'string' ? readEventStore(options[option], process.cwd()) : E.right(otherwise)
    const own = { kind: 'sqlite', path: join(config.data, 'events.db') } as const
    const from = readStore('--from', read('from', own), ['sqlite', 'sqlite:./data/events.db'])
    const to = ['eventstoredb', 'esdb://name:password@host:2113'] as const
    return copy(from, readStore('--to', read('to', config.eventStore), to), config, terminal, options.json === true)
  },
}
