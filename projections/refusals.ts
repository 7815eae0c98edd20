import type { DataOf } from '../src/domain/event.ts'
import type { Projection } from './projection.ts'

/** Refusals that one instance counted within a minute, as it recorded them. */
export type CountedRefusals = DataOf<'RefusalsCounted'>

const NONE: CountedRefusals = { from: '', to: '', refusals: [] }

/** Each count is an object of its own, and never changes. */
export const refusalsProjection: Projection<CountedRefusals> = {
  name: 'refusals',
  version: 1,
  key: ({ type, id }) => (type === 'RefusalsCounted' ? id : undefined),
  begins: () => true,
  evolve: (_, event) => ({ document: event.type === 'RefusalsCounted' ? event.data : NONE, internal: {} }),
}
