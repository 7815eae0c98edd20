import type { Config } from '../../app/config/config.ts'
import { openStoreForCommand } from '../../app/core/open-store.ts'
import { signCheckpoint } from '../../audit/checkpoint.ts'
import { treeOf } from '../../audit/merkle-tree.ts'
import { BEGINNING } from '../../event-store/event-store.ts'
import { signerOf } from '../keys/audit-key.ts'
import { type CallRoute, makeCall, multiline } from '../service/call.ts'
import { type Command, CommandFailure, type Terminal } from '../terminal/command.ts'
import { makeLogProgress } from '../terminal/progress.ts'

interface Signed {
  readonly origin: string
  readonly size: number
  readonly root: string
  readonly note: string
}

/** The checkpoint of the service. Who keeps it checks its signature: `verify --against`. */
export const askForCheckpoint = async (call: CallRoute): Promise<Signed> => {
  const note = await call({ path: '/api/audit/checkpoint', accept: 'text/plain', answer: multiline })
  const [, origin, size, root = ''] = /^([^\n]+)\n(\d{1,15})\n([A-Za-z0-9+/]{43}=)\n\n/.exec(note) ?? []
  if (origin === undefined) throw new CommandFailure('the service did not answer with a checkpoint')
  return { origin, size: Number(size), root, note }
}

const makeCheckpoint = async (config: Config, terminal: Terminal): Promise<Signed> => {
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
    const isRemote = config.client !== undefined && options.local !== true
    const signed = isRemote
      ? await askForCheckpoint(makeCall(config, terminal))
      : await makeCheckpoint(config, terminal)
    terminal.stdout(options.json ? `${JSON.stringify(signed)}\n` : signed.note)
  },
}
