import * as E from 'fp-ts/lib/Either.js'
import { emptyTree, treeHead, withLeaf } from '../../../projections/merkle-tree.ts'
import { signCheckpoint } from '../../audit/checkpoint.ts'
import { readLeaves } from '../../audit/leaves.ts'
import { sha256 } from '../../audit/sha256.ts'
import { openStoreForCommand } from '../../service/open-store.ts'
import { signerOf } from '../keys/audit-key.ts'
import { type Command, DONE, refuse } from '../terminal/command.ts'
import { makeProgress } from '../terminal/progress.ts'
import { openLogReader } from './log-reader.ts'

export const checkpointCommand: Command = {
  name: 'checkpoint',
  operands: [],
  options: { json: { type: 'boolean' } },
  summary: 'prints a signed checkpoint of the log',
  example: 'checkpoint > berth.checkpoint',
  help: `
Reads the whole log and prints a signed checkpoint (C2SP tlog-checkpoint): the number of events and the root hash over
all of them, signed with the audit key. Keep it where nobody who can write the log can change it. "verify --against"
then proves that every event signed there is still in the log, unaltered. Works with or without a running service, which
returns the same at /api/audit/checkpoint.

With --json it prints {"origin","size","root","note"}.`,
  run: async ({ options }, config, terminal) => {
    const signer = await signerOf(config)
    if (E.isLeft(signer)) return refuse(terminal, signer.left)
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
