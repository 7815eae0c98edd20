import * as E from 'fp-ts/lib/Either.js'
import { readRegularText } from '../../files/read-regular-file.ts'

const FILE_BYTES_MAX = 4_096
const SECRET = /^[^\p{Cc}\p{Cs}]+$/u

const notOneLine = (path: string): string => `in ${path} must be one line of at most ${FILE_BYTES_MAX} bytes`

/** The client secret of a file with one line. Left completes the sentence "the client secret ..." without the secret. */
export const readClientSecret = async (path: string): Promise<E.Either<string, string>> => {
  try {
    const text = (await readRegularText(path, FILE_BYTES_MAX)).replace(/\r?\n$/, '')
    return SECRET.test(text) ? E.right(text) : E.left(notOneLine(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EFBIG') return E.left(notOneLine(path))
    return E.left(`cannot be read from ${path}: ${(error as Error).message.split(',')[0]}`)
  }
}
