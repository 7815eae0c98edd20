import { constants, createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'

/** Bytes of a file that a person writes: keys, certificates, credentials. */
const BYTES_MAX = 1024 * 1024

/** An error like those of the system: its code, and why. */
const refused = (code: string, why: string): Error => Object.assign(new Error(`${code}: ${why}`), { code })

/**
 * Reads a regular file of at most `bytesMax` bytes. Anything else is refused: a pipe would be waited for in a thread
 * that nothing can stop, and a device may have no end.
 *
 * @throws an error with a code, as Node's own
 */
export const readRegularFile = async (path: string, bytesMax = BYTES_MAX): Promise<Buffer> => {
  // Without waiting for a pipe's writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = await file.stat()
    // Reading a directory fails by itself.
    if (!stats.isFile() && !stats.isDirectory()) throw refused('EINVAL', `${path} is not a regular file`)
    if (stats.size > bytesMax) throw refused('EFBIG', `${path} has more than ${bytesMax} bytes`)
    return await file.readFile()
  } finally {
    await file.close()
  }
}

/** Reads text in UTF-8 in the same way. */
export const readRegularText = async (path: string, bytesMax?: number): Promise<string> =>
  (await readRegularFile(path, bytesMax)).toString('utf8')

/**
 * Reads a file, but of a longer one no more than a byte more than `bytesMax`: a pipe or a device has no size that would
 * say so before, and may have no end.
 *
 * @throws an error with a code, as Node's own
 */
export const readAtMost = async (path: string, bytesMax: number): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  // `end` is inclusive.
  for await (const chunk of createReadStream(path, { end: bytesMax })) chunks.push(chunk)
  return Buffer.concat(chunks)
}
