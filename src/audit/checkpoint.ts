import * as E from 'fp-ts/lib/Either.js'
import { HASH_BYTES } from '../event-store/stored-event.ts'
import { openNote, type Signer, signNote, type Verifier } from './signed-note.ts'

/** A signed checkpoint's content: the log's tree head at a size, in the C2SP tlog-checkpoint format. */
export interface Checkpoint {
  /** Name of the log. */
  readonly origin: string
  /** Number of events. */
  readonly size: number
  /** 32 bytes. */
  readonly root: Uint8Array
}

export const writeCheckpoint = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`

/** Ignores extension lines after the first three, which other software may add. */
export const readCheckpoint = (text: string): E.Either<string, Checkpoint> => {
  const [origin = '', digits = '', encoded = '', ...rest] = text.split('\n')
  const root = Buffer.from(encoded, 'base64')
  const size = Number(digits)
  if (origin === '') return E.left('must begin with the name of a log')
  if (!/^(?:0|[1-9]\d{0,15})$/.test(digits) || !Number.isSafeInteger(size))
    return E.left('must have a number of events')
  if (root.length !== HASH_BYTES || root.toString('base64') !== encoded) return E.left('must have a root hash')
  // The last line must end with a line break, and no extension may be empty.
  if (rest.pop() !== '' || rest.includes('')) return E.left('has empty or unterminated lines')
  return E.right({ origin, size, root: new Uint8Array(root) })
}

/** Signs a checkpoint with the log's own key, which has the log's name. */
export const signCheckpoint = (size: number, root: Uint8Array, signer: Signer): string =>
  signNote(writeCheckpoint({ origin: signer.name, size, root }), signer)

/** Left completes the sentence "the checkpoint ...". */
export const openCheckpoint = (note: string, verifier: Verifier): E.Either<string, Checkpoint> => {
  const opened = E.chain(readCheckpoint)(openNote(note, verifier))
  if (E.isLeft(opened) || opened.right.origin === verifier.name) return opened
  return E.left(`is of the log ${opened.right.origin}, but the key is of ${verifier.name}`)
}
