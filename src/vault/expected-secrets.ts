import type { SecretField } from '../domain/event.ts'

/** What the log says of a secret: the change that set it, and where the event is. */
export interface ExpectedSecret {
  readonly id: string
  readonly position: number
}

/** The secrets that stand, by SUT and field, as the log's events say that are taken one after the other. */
export interface ExpectedSecrets {
  readonly suts: ReadonlyMap<string, ReadonlyMap<string, ExpectedSecret>>
  /** The keys that were forgotten because they were lost. */
  readonly forgotten: ReadonlySet<string>
  /** Takes the next event as it is stored. What cannot be read is for others to find. */
  readonly add: (position: number, text: string) => void
}

interface Named {
  readonly key?: string
  readonly _id?: string
  readonly credentials?: { readonly id: string; readonly changed: readonly SecretField[] }
}

const parseData = (text: string): Named | undefined => {
  try {
    return JSON.parse(text).data
  } catch {
    return undefined
  }
}

export const makeExpectedSecrets = (): ExpectedSecrets => {
  const suts = new Map<string, Map<string, ExpectedSecret>>()
  const forgotten = new Set<string>()
  return {
    suts,
    forgotten,
    add: (position, text) => {
      // In a string of an event it would be escaped.
      if (text.endsWith('"type":"VaultKeyForgotten"}')) forgotten.add(String(parseData(text)?.key))
      if (!text.includes('"credentials":{')) return
      const { _id, credentials } = parseData(text) ?? {}
      if (_id === undefined || credentials === undefined) return
      const fields = suts.get(_id) ?? new Map<string, ExpectedSecret>()
      suts.set(_id, fields)
      for (const field of credentials.changed) fields.set(field, { id: credentials.id, position })
    },
  }
}
