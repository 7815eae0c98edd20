import * as E from 'fp-ts/lib/Either.js'
import { emptyTree, treeHead, withLeaf } from '../../../projections/merkle-tree.ts'
import { signCheckpoint } from '../../audit/checkpoint.ts'
import { readLeaves } from '../../audit/leaves.ts'
import { sha256 } from '../../audit/sha256.ts'
import { openStoreBeside } from '../../service/open-store.ts'
import { signerOf } from '../keys/audit-key.ts'
import { type Command, DONE, makeProgress, refuse } from '../terminal/command.ts'

export const checkpointCommand: Command = {
  name: 'checkpoint',
  operands: [],
  options: { json: { type: 'boolean' } },
  summary: 'prints what the log is now, signed',
  example: 'checkpoint > berth.checkpoint',
  help: `
Reads the whole log and prints a checkpoint (C2SP tlog-checkpoint): how many events it has and the hash that stands for
all of them, signed with the audit key. Keep it where nobody who can write the log can: "verify --against" then proves
that what was in the log is still in it, unaltered. Works beside a running service, which gives the same at
/api/audit/checkpoint.

With --json it prints {"origin","size","root","note"}.`,
  run: async ({ options }, config, terminal) => {
    const signer = await signerOf(config)
    if (E.isLeft(signer)) return refuse(terminal, signer.left)
    const store = await openStoreBeside(config)
    const progress = makeProgress(terminal)
    try {
      let tree = emptyTree
      for await (const { leaf } of readLeaves(store, (events) => progress.show(events, events))) {
        tree = withLeaf(tree, leaf, sha256)
      }
      progress.end()
      const root = treeHead(tree, sha256)
      const note = signCheckpoint(tree.size, root, signer.right)
      const told = { origin: config.origin, size: tree.size, root: Buffer.from(root).toString('base64'), note }
      terminal.stdout(options.json ? `${JSON.stringify(told)}\n` : note)
      return DONE
    } finally {
      await store.close()
    }
  },
}
