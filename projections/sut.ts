import type { Recorded, SutType } from '../src/domain/event.ts'
import { mergeTags } from '../src/domain/sut/state.ts'
import { epochMillisecondsOf, withNumericOffset, withoutFraction } from '../src/domain/values/instant.ts'
import { failMissing, type Projection } from './projection.ts'

/** A SUT as returned by the API, in its field order, without write-only fields. */
export interface Sut {
  readonly _id: string
  readonly created_at: string
  readonly updated_at: string
  readonly name: string
  readonly description: string
  readonly address: string
  readonly port: number
  readonly sut_type: SutType
  readonly is_active: boolean
  readonly manufacturer: string
  readonly model: string
  readonly os: string
  readonly version: string
  readonly monitoring: { readonly status: string; readonly last_updated: string; readonly status_description: string }
  readonly tags: Readonly<Record<string, string>>
}

/** The name case-folded, tags as JSON text, the event's time in Unix milliseconds. */
export type SutColumns = readonly [sut_type: SutType, is_active: boolean, name: string, tags: string, time: number]

/**
 * Folds case so that substrings stay substrings. Upper case alone keeps the Kelvin sign distinct from K; lower case
 * alone depends on a sigma's neighbours.
 */
export const foldCase = (text: string): string => text.toLowerCase().toUpperCase()

/** Monitoring data of an unmonitored SUT, from its creation. */
const makeUnmonitored = (since: string): Sut['monitoring'] => ({
  status: 'SUT Monitoring Disabled',
  last_updated: withoutFraction(since),
  status_description: 'SUT Monitoring is disabled',
})

const evolve = (document: Sut | undefined, event: Recorded): Sut => {
  const updated_at = withNumericOffset(event.metadata.time)
  switch (event.type) {
    case 'SutCreated': {
      const { _id, name, description, address, port, sut_type, is_active, manufacturer, model, os, version } =
        event.data
      const monitoring = makeUnmonitored(event.metadata.time)
      const fields = { name, description, address, port, sut_type, is_active, manufacturer, model, os, version }
      return { _id, created_at: updated_at, updated_at, ...fields, monitoring, tags: {} }
    }
    case 'SutUpdated': {
      const { rdp_height: _height, rdp_width: _width, credentials: _credentials, tags, ...changed } = event.data
      const standing = document ?? failMissing('SUT', event)
      return { ...standing, ...changed, updated_at, tags: mergeTags(standing.tags, tags ?? {}) }
    }
    default:
      return { ...(document ?? failMissing('SUT', event)), updated_at }
  }
}

export const sutProjection: Projection<Sut, SutColumns> = {
  name: 'sut',
  version: 1,
  key: (event) => {
    switch (event.type) {
      case 'SutCreated':
      case 'SutUpdated':
      case 'SutRetired':
        return event.data._id
      default:
        return undefined
    }
  },
  begins: (event) => event.type === 'SutCreated',
  evolve,
  ended: (event) => (event.type === 'SutRetired' ? 'retired' : null),
  columns: ({ sut_type, is_active, name, tags, updated_at }) => [
    sut_type,
    is_active,
    foldCase(name),
    JSON.stringify(tags),
    epochMillisecondsOf(updated_at),
  ],
}
