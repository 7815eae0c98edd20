import * as E from 'fp-ts/lib/Either.js'
import { emptyTree, treeHead, withLeaf } from '../../../projections/merkle-tree.ts'
import { signCheckpoint } from '../../audit/checkpoint.ts'
import { readLeaves } from '../../audit/leaves.ts'
import { sha256 } from '../../audit/sha256.ts'
import type { Config } from '../../config/config.ts'
import { openStoreForCommand } from '../../service/open-store.ts'
import { signerOf } from '../keys/audit-key.ts'
import { multiline } from '../service/answer.ts'
import { callService } from '../service/call.ts'
import { type Command, DONE, printRefusal, type Terminal } from '../terminal/command.ts'
import { makeProgress } from '../terminal/progress.ts'
import { openLogReader } from './log-reader.ts'

/** Prints the checkpoint of the service at BERTH_URL. Who keeps it checks its signature: `verify --against`. */
const showRemote = async (isJson: boolean, config: Config, terminal: Terminal): Promise<number> => {
  const path = '/api/audit/checkpoint'
  const asked = await callService(config, { method: 'GET', path, accept: 'text/plain', answer: multiline })
  if (E.isLeft(asked)) return printRefusal(terminal, asked.left)
  const note = asked.right
  const [, origin, size, root] = /^([^\n]+)\n(\d{1,15})\n([A-Za-z0-9+/]{43}=)\n\n/.exec(note) ?? []
  if (origin === undefined) return printRefusal(terminal, 'the service did not answer with a checkpoint')
  terminal.stdout(isJson ? `${JSON.stringify({ origin, size: Number(size), root, note })}\n` : note)
  return DONE
}

export const checkpointCommand: Command = {
  name: 'checkpoint',
  operands: [],
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
    if (config.client !== undefined && options.local !== true)
      return showRemote(options.json === true, config, terminal)
    const signer = await signerOf(config)
    if (E.isLeft(signer)) return printRefusal(terminal, signer.left)
    const store = await openStoreForCommand(config)
    const progress = makeProgress(terminal)
    try {
      const { records, total } = await openLogReader(store, config, terminal)
      let tree = emptyTree
      for await (const { leaf } of readLeaves({ records }, (done) => progress.show(done, total(done)))) {
        tree = withLeaf(tree, leaf, sha256)
      }
      progress.end()
      const root = treeHead(tree, sha256)
      const note = signCheckpoint(tree.size, root, signer.right)
      const made = { origin: config.origin, size: tree.size, root: Buffer.from(root).toString('base64'), note }
      terminal.stdout(options.json ? `${JSON.stringify(made)}\n` : note)
      return DONE
    } finally {
      await store.close()
    }
  },
}
