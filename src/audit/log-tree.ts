import { makeTreeReader, type NodeAt, type TreeReader } from '../../projections/merkle-proof.ts'
import { sha256 } from './sha256.ts'

/** Heads and proofs of the tree over a log whose nodes are kept. */
export const makeLogTree = (nodeAt: NodeAt): TreeReader => makeTreeReader(nodeAt, sha256)
