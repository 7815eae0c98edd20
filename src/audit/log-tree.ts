import { makeTreeReader, type NodeAt, type TreeReader } from '../../projections/merkle-tree.ts'
import { sha256 } from './sha256.ts'

/** Reads tree heads and proofs of a log with stored nodes. */
export const makeLogTree = (nodeAt: NodeAt): TreeReader => makeTreeReader(nodeAt, sha256)
