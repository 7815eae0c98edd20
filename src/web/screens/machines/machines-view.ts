import { signal } from '@preact/signals'
import type { Order } from '../../parts/show/order.ts'
import { type By, type Filter, NO_FILTER } from './machine-list.ts'

/** What one has chosen to see of the machines. It outlives a change of screens. */
export interface View {
  readonly filter: Filter
  readonly order: Order<By>
}

export const view = signal<View>({ filter: NO_FILTER, order: { by: 'name', isDescending: false } })

export const show = (filter: Partial<Filter>): void => {
  const { value } = view
  view.value = { ...value, filter: { ...value.filter, ...filter } }
}
