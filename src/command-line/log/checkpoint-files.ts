import { readFile } from 'node:fs/promises'
import * as E from 'fp-ts/lib/Either.js'
import { openCheckpoint } from '../../audit/checkpoint.ts'
import type { Verifier } from '../../audit/signed-note.ts'
import type { SignedHead } from '../../audit/verify/checkpoints.ts'
import { CommandFailure } from '../terminal/command.ts'

/** Maximum size of a checkpoint file, in bytes. */
const NOTE_MAX = 100_000

/** The note with exactly one final line break, as signed. Editors add or remove line breaks. */
const withOneBreak = (note: string): string => {
  let end = note.length
  while (note[end - 1] === '\n') end--
  return `${note.slice(0, end)}\n`
}

const readAgainst = async (file: string, verifier: Verifier): Promise<SignedHead> => {
  const note = await readFile(file).catch(({ code }: NodeJS.ErrnoException) => code)
  if (!Buffer.isBuffer(note)) throw new CommandFailure(`${file} cannot be read: ${note}`)
  if (note.length > NOTE_MAX) throw new CommandFailure(`${file} is not a checkpoint: it is too long`)
  const opened = openCheckpoint(withOneBreak(note.toString('utf8')), verifier)
  if (E.isLeft(opened)) throw new CommandFailure(`${file}: the checkpoint ${opened.left}`)
  return { name: file, size: opened.right.size, root: opened.right.root }
}

/** Reads checkpoints signed with one key. @throws CommandFailure with the problem of the first invalid one */
export const readCheckpoints = async (
  files: readonly string[],
  findVerifier: () => Promise<Verifier>,
): Promise<readonly SignedHead[]> => {
  if (files.length === 0) return []
  const verifier = await findVerifier()
  const all: SignedHead[] = []
  for (const file of files) all.push(await readAgainst(file, verifier))
  return all
}
