import { stat } from 'node:fs/promises'

/**
 * What tells two states of a file apart without reading it; links are followed. Files are looked at again and again
 * rather than watched: that works through links, on network file systems and for mounted secrets too.
 */
export const readFileState = async (path: string): Promise<string> => {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
    return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}
