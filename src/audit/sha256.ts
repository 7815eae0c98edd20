import { hash } from 'node:crypto'
import type { Sha256 } from '../../projections/merkle-tree.ts'

export const sha256: Sha256 = (...parts) => hash('sha256', Buffer.concat(parts), 'buffer')
