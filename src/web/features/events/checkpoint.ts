/** A signed checkpoint of the log, as C2SP's tlog-checkpoint has it. Pure. */

export interface Checkpoint {
  readonly entries: number
  readonly root: string
  /** The name of the key and the beginning of its hash: `berth+ea0b3d24`. */
  readonly key: string
}

/** Undefined if the text is none. */
export const checkpointOf = (text: string): Checkpoint | undefined => {
  const [, size = '', root = ''] = text.split('\n')
  const [, name, signature] = /^— (\S+) (\S+)$/m.exec(text) ?? []
  if (!/^\d+$/.test(size) || name === undefined || signature === undefined) return undefined
  const hash = [...atob(signature).slice(0, 4)].map((char) => char.charCodeAt(0).toString(16).padStart(2, '0'))
  return { entries: Number(size), root, key: `${name}+${hash.join('')}` }
}

/** `1zVBmwEn…USXI=`. */
export const shortRoot = (root: string): string => (root.length > 18 ? `${root.slice(0, 8)}…${root.slice(-8)}` : root)
