import { open } from 'node:fs/promises'
import * as E from 'fp-ts/lib/Either.js'

/** Bytes of the file. */
const FILE_BYTES_MAX = 4_096
const SECRET = /^[^\p{Cc}\p{Cs}]+$/u

/** The client secret of a file with one line. Left completes the sentence "the client secret ..." without the secret. */
export const readClientSecret = async (path: string): Promise<E.Either<string, string>> => {
  try {
    const file = await open(path)
    try {
      const bytes = Buffer.alloc(FILE_BYTES_MAX + 1)
      const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
      const text = bytes.toString('utf8', 0, bytesRead).replace(/\r?\n$/, '')
      const isUsable = bytesRead <= FILE_BYTES_MAX && SECRET.test(text)
      return isUsable ? E.right(text) : E.left(`in ${path} must be one line of at most ${FILE_BYTES_MAX} bytes`)
    } finally {
      await file.close()
    }
  } catch (error) {
    return E.left(`cannot be read from ${path}: ${(error as Error).message.split(',')[0]}`)
  }
}

/** The client secret, read again for each use. While the file cannot be used, the last secret stays in use. */
export const followClientSecret = (path: string, onProblem: (problem: string) => void) => {
  let last: string | undefined
  return async (): Promise<string | undefined> => {
    const read = await readClientSecret(path)
    if (E.isRight(read)) last = read.right
    else onProblem(read.left)
    return last
  }
}
