import { makeStore } from '../../parts/store.ts'
import { type Filter, NO_FILTER, type Order } from './list.ts'

/** What one has chosen to see of the machines. It outlives a change of screens. */
export interface View {
  readonly filter: Filter
  readonly order: Order
}

export const view = makeStore<View>({ filter: NO_FILTER, order: { by: 'name', isDescending: false } })

export const show = (filter: Partial<Filter>): void =>
  view.update((before) => ({ ...before, filter: { ...before.filter, ...filter } }))
