import { readFile } from 'node:fs/promises'
import { createPrivateFile } from './private-file.ts'

const ID_BYTES = 8

/**
 * The random id of this instance, from a file that is made at the first start. Several instances on one log each have
 * their own, so do not copy this file to another data directory.
 *
 * @throws Error if the file holds something else
 */
export const openInstance = async (path: string, randomBytes: (size: number) => Uint8Array): Promise<string> => {
  await createPrivateFile(path, `${Buffer.from(randomBytes(ID_BYTES)).toString('hex')}\n`, randomBytes)
  const id = (await readFile(path, 'utf8')).trimEnd()
  if (!/^[0-9a-f]{16}$/.test(id)) {
    throw Object.assign(new Error(`${path} does not hold the id of an instance; delete it to get another id`), {
      code: 'EINVAL',
    })
  }
  return id
}
