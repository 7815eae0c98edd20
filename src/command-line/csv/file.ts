import { readFile, stat } from 'node:fs/promises'
import * as E from 'fp-ts/lib/Either.js'
import { CSV_BYTES_MAX } from './csv.ts'

/** The bytes of a CSV file. Left: why they cannot be read. */
export const readCsvFile = async (file: string): Promise<E.Either<string, Uint8Array>> => {
  try {
    const { size } = await stat(file)
    return size > CSV_BYTES_MAX ? E.left(`${file} is larger than 4 MiB`) : E.right(await readFile(file))
  } catch (error) {
    return E.left(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}
