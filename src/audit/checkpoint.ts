import * as E from 'fp-ts/lib/Either.js'
import { HASH_BYTES } from '../event-store/stored-event.ts'
import { openNote, type Signer, signNote, type Verifier } from './signed-note.ts'

/** The log's tree head at a size, as the specification C2SP tlog-checkpoint writes it. */
export interface Checkpoint {
  /** The name of the log. */
  readonly origin: string
  /** How many events. */
  readonly size: number
  /** 32 bytes. */
  readonly root: Uint8Array
}

export const writeCheckpoint = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`

/** Lines behind the first three are extensions, which others may have written: they are passed over. */
export const readCheckpoint = (text: string): E.Either<string, Checkpoint> => {
  const [origin = '', digits = '', encoded = '', ...rest] = text.split('\n')
  const root = Buffer.from(encoded, 'base64')
  const size = Number(digits)
  if (origin === '') return E.left('does not begin with the name of a log')
  if (!/^(?:0|[1-9]\d{0,15})$/.test(digits) || !Number.isSafeInteger(size)) return E.left('has no number of events')
  if (root.length !== HASH_BYTES || root.toString('base64') !== encoded) return E.left('has no root hash')
  // The last line is ended too, and no extension is empty.
  if (rest.pop() !== '' || rest.includes('')) return E.left('has lines that are none')
  return E.right({ origin, size, root: new Uint8Array(root) })
}

/** The checkpoint signed by the log itself, whose key has the log's name. */
export const signCheckpoint = (size: number, root: Uint8Array, signer: Signer): string =>
  signNote(writeCheckpoint({ origin: signer.name, size, root }), signer)

/** Left finishes the sentence "the checkpoint ...". */
export const openCheckpoint = (note: string, verifier: Verifier): E.Either<string, Checkpoint> => {
  const opened = E.chain(readCheckpoint)(openNote(note, verifier))
  if (E.isLeft(opened) || opened.right.origin === verifier.name) return opened
  return E.left(`is of the log ${opened.right.origin}, and the key of ${verifier.name}`)
}
