import { effect, type Signal, signal } from '@preact/signals'
import { goTo } from '../../page/location.ts'
import { readStored, store } from '../../service/stored.ts'
import type { Queued } from '../schedule/calendar.ts'
import type { Draft } from '../schedule/draft.ts'
import { dayOf, type Span, spanLater, type Zoom } from '../schedule/span.ts'
import { type Filter, NO_FILTER } from './filter.ts'

/** What is open over the timeline. While `isDrawn`, it is on the timeline only: its form opens when that is done. */
export type Open =
  | { readonly kind: 'draft'; readonly draft: Draft; readonly isDrawn?: boolean }
  | {
      readonly kind: 'reservation'
      readonly id: string
      /** Another end, later or earlier, as it was drawn. */
      readonly end?: number
      readonly isDrawn?: boolean
      /** Whether it is asked at once if it is to be given back. */
      readonly isGivenBack?: boolean
    }
  | {
      readonly kind: 'request'
      readonly queued: Queued
      /** Where the request is drawn, in Unix milliseconds. */
      readonly at: number
      readonly sutId: string
      readonly isDrawn?: false
    }

/** What one has chosen to see. It outlives a change of screens. */
export interface View {
  readonly zoom: Zoom
  /** A time in the span that is shown, in Unix milliseconds; undefined for now. */
  readonly time: number | undefined
  readonly filter: Filter
  /** The tag, or `type`, by which machines are grouped; undefined for no groups. */
  readonly groupBy: string | undefined
  readonly folded: ReadonlySet<string>
  readonly open: Open | undefined
  /** How often one has gone back to now, to which the timeline then scrolls. */
  readonly returns: number
}

const KEPT = 'berth schedule'

const openView = (): Signal<View> => {
  const { groupBy, folded = [] } = readStored<{ groupBy?: string; folded?: readonly string[] }>(KEPT) ?? {}
  const view = signal<View>({
    ...{ zoom: 'day', time: undefined, filter: NO_FILTER, groupBy, open: undefined, returns: 0 },
    folded: new Set(Array.isArray(folded) ? folded : []),
  })
  effect(() => store(KEPT, { groupBy: view.value.groupBy, folded: [...view.value.folded] }))
  return view
}

export const view = openView()

export const show = (change: Partial<View>): void => {
  view.value = { ...view.peek(), ...change }
}

/** Closes what is open over the timeline. */
export const close = (): void => show({ open: undefined })

/** Draws a draft, whose form stays open. */
export const draw = (draft: Draft): void => show({ open: { kind: 'draft', draft } })

export const backToNow = (): void => show({ time: undefined, open: undefined, returns: view.peek().returns + 1 })

/** Shows another span of what is shown: today's where that has today. */
export const zoomTo = (zoom: Zoom, span: Span, now: number): void =>
  show({ zoom, time: span.from <= now && now < span.to ? undefined : dayOf(span), open: undefined })

export const moveBy = (span: Span, count: number): void =>
  show({ time: dayOf(spanLater(span, count)), open: undefined })

export const take = (sutId: string, length: number, start: Draft['start'] = 'now'): void => {
  show({
    ...{ zoom: 'day', time: undefined, filter: NO_FILTER, folded: new Set() },
    open: { kind: 'draft', draft: { sutId, start, length } },
  })
  goTo('schedule')
}
