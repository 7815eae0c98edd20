import type { SecretField } from '../domain/events/sut.ts'

/** A secret according to the log: the change that set it, and the event's position. */
export interface ExpectedSecret {
  readonly id: string
  readonly position: number
}

/** The current secrets according to the log, by SUT and field. */
export interface ExpectedSecrets {
  readonly suts: ReadonlyMap<string, ReadonlyMap<string, ExpectedSecret>>
  /** Keys given up as lost. */
  readonly forgotten: ReadonlySet<string>
  /** Adds the next stored event. Ignores unreadable events, which other checks report. */
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
      // Inside an event's string it would be escaped.
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
