import { signal } from '@preact/signals'
import type { Order } from '../../parts/show/order.ts'
import { type By, type Filter, NO_FILTER } from './machine-list.ts'

const BY_NAME: Order<By> = { by: 'name', isDescending: false }

/** What one has chosen to see of the machines. It outlives a change of screens. */
export const view = signal({ filter: NO_FILTER, order: BY_NAME })

export const show = (filter: Partial<Filter>): void => {
  const { value } = view
  view.value = { ...value, filter: { ...value.filter, ...filter } }
}
