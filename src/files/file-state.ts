import { stat } from 'node:fs/promises'

/**
 * A fingerprint of a file's state without reading its content. Follows links. Files are polled rather than watched,
 * which also works through links, on network file systems and for mounted secrets.
 */
export const readFileState = async (path: string): Promise<string> => {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
    return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}
