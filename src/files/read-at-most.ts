import { createReadStream } from 'node:fs'

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
