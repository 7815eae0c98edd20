import { openStoreForCommand } from '../../app/core/open-store.ts'
import { makeKeptTree, makeTreeReader, readLeaves } from '../../audit/merkle-tree.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { type Command, CommandFailure, Misused } from '../terminal/command.ts'
import { openLogReader } from './log-reader.ts'

const base64 = (hash: Uint8Array): string => Buffer.from(hash).toString('base64')

export const proofCommand: Command = {
  name: 'proof',
  operands: ['EVENT'],
  options: { size: { type: 'string' }, json: { type: 'boolean' } },
  summary: 'proves that an event is in the log',
  example: 'proof 01bb4b2f-1ec8-7235-bc1b-209714e3cd93 --size 1000',
  isOfFiles: true,
  help: `
Reads the log and prints an inclusion proof (RFC 6962) for the event with this id, in the log as it is now or, with
--size N, in its first N events. Together with a signed checkpoint of that size it convinces somebody who does not have
the log. The proof is JSON, on one line with --json:
{"origin","tree_size","leaf_index","leaf_hash","leaf","hashes","root"}. Hashes are in base64. "leaf" is the stored
text whose hash is proven. It reads the log itself, never the service at BERTH_URL.`,
  run: async ({ operands: [id = ''], options }, config, terminal) => {
    const asked = options.size === undefined ? undefined : Number(options.size)
    if (asked !== undefined && !(/^\d{1,15}$/.test(String(options.size)) && asked > 0)) {
      throw new Misused('--size must be a number of events')
    }
    await using store = await openStoreForCommand(config)
    const { records, onProgress, endProgress } = await openLogReader(store, config, terminal)
    const kept = makeKeptTree()
    let found: { readonly position: PublicPosition; readonly text: string; readonly leaf: Uint8Array } | undefined
    for await (const { position, record, leaf } of readLeaves({ records }, onProgress)) {
      kept.add(leaf)
      if (found === undefined && record.text.includes(id) && JSON.parse(record.text).id === id) {
        found = { position, text: record.text, leaf }
      }
      if (kept.size() === asked) break
    }
    endProgress()
    const size = kept.size()
    if (asked !== undefined && size < asked) throw new CommandFailure(`the log has ${size} events`)
    if (found === undefined) throw new CommandFailure(`no event among the first ${size} has this id`)
    const tree = makeTreeReader(kept.node)
    const proof = {
      origin: config.origin,
      tree_size: size,
      leaf_index: found.position,
      leaf_hash: base64(found.leaf),
      leaf: found.text,
      hashes: tree.inclusion(found.position, size).map(base64),
      root: base64(tree.head(size)),
    }
    terminal.stdout(`${JSON.stringify(proof, undefined, options.json ? undefined : 2)}\n`)
  },
}
