import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { type Sut, takenOf } from '../../../data/objects.ts'
import type { Booked } from '../../../features/schedule/calendar.ts'
import { beginOf, type Draft, draftBetween, dragEdge, dragEnd } from '../../../features/schedule/draft.ts'
import { snap, timeAt } from '../../../features/schedule/span.ts'
import { type Open, show } from '../../../features/view/view.ts'
import { HOUR } from '../../../format/format.ts'
import { type GridProps, NONE, underPointer } from './grid-props.ts'

const CLICK = 4
/** A finger that rests this long draws; before, it scrolls. */
const LONG_PRESS_MS = 300

type Held =
  | { readonly kind: 'free'; readonly time: number }
  | { readonly kind: 'edge'; readonly edge: 'start' | 'end'; readonly draft: Draft }
  | { readonly kind: 'own'; readonly own: Booked; readonly end: number }

interface Drag {
  readonly held: Held
  readonly sut: Sut
  readonly lane: Element
  readonly clientX: number
  /** Pixels between the pointer and the edge that it holds, so that the edge does not jump under it. */
  readonly away: number
  readonly before: Open | undefined
  /** What is drawn; undefined until the pointer has moved. */
  open: Open | undefined
  /** Whether it draws. A finger that has not rested scrolls. */
  isDrawing: boolean
}

/** Where the edge that is held is; undefined for free time, which is held where it was pressed. */
const placeOfEdge = (held: Held, now: number): number | undefined => {
  if (held.kind === 'own') return held.end
  if (held.kind === 'free') return undefined
  const begin = beginOf(held.draft, now)
  return held.edge === 'start' ? begin : begin + held.draft.length
}

const heldBy = (target: HTMLElement, sut: Sut, time: number, props: GridProps): Held | undefined => {
  const { edge } = target.dataset
  const booked = props.bySut.get(sut._id) ?? NONE
  if (edge === 'own') {
    const id = target.closest<HTMLElement>('[data-key]')?.dataset.key
    const open = props.open?.kind === 'reservation' ? props.open : undefined
    const own = booked.find(({ _id }) => _id === (id ?? open?.id))
    return own && { kind: 'own', own, end: (id === undefined ? open?.end : undefined) ?? own.to }
  }
  if ((edge === 'start' || edge === 'end') && props.open?.kind === 'draft')
    return { kind: 'edge', edge, draft: props.open.draft }
  return target.classList.contains('gap') ? { kind: 'free', time } : undefined
}

const drawn = ({ held, sut, before }: Drag, time: number, { bySut, now }: GridProps): Open => {
  const taken = takenOf(sut, bySut.get(sut._id))
  if (held.kind === 'own')
    return { kind: 'reservation', id: held.own._id, end: dragEnd(held.own, time, taken, now), isDrawn: true }
  if (held.kind === 'free')
    return { kind: 'draft', draft: draftBetween(sut._id, held.time, time, taken, now), isDrawn: true }
  // A form that is open stays open, with what was typed in it.
  return { ...before, kind: 'draft', draft: dragEdge(held.draft, held.edge, time, taken, now) }
}

/** What a drag leaves behind: its form. An end that is where it was is none. */
const dropped = ({ held, open }: Drag): Open | undefined =>
  open?.kind === 'reservation' && held.kind === 'own' && open.end === held.own.to
    ? undefined
    : open && { ...open, isDrawn: false }

/** What is pressed; undefined where nothing can be drawn. */
const press = (event: PointerEvent, props: GridProps, hourWidth: number): Drag | undefined => {
  const { span, now, mayReserve, rows, open: before } = props
  const under = underPointer(event, rows)
  if (event.button !== 0 || under === undefined || !mayReserve || span.zoom === 'month') return undefined
  const { sut, lane, x } = under
  const held = heldBy(event.target as HTMLElement, sut, timeAt(span, hourWidth, x), props)
  if (held === undefined) return undefined
  const edge = placeOfEdge(held, now)
  const away = edge === undefined ? 0 : x - ((edge - span.from) / HOUR) * hourWidth
  const isDrawing = event.pointerType !== 'touch' || held.kind !== 'free'
  return { held, sut, lane, away, before, clientX: event.clientX, open: undefined, isDrawing }
}

const isOpen = ({ held, sut, before }: Drag): boolean =>
  before?.kind === 'draft'
    ? before.draft.sutId === sut._id
    : before?.kind === 'reservation' && held.kind === 'own' && before.id === held.own._id

/** Escape gives a drag up, whatever has the focus. */
const useEscape = (drag: RefObject<Drag | undefined>, onEscape: () => void): void => {
  const latest = useRef(onEscape)
  latest.current = onEscape
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || drag.current === undefined) return
      event.stopPropagation()
      latest.current()
    }
    addEventListener('keydown', onKeyDown, true)
    return () => removeEventListener('keydown', onKeyDown, true)
  }, [])
}

/**
 * A drag in free time chooses a window; the edges of a draft and the end of an own reservation are dragged too. A press
 * that moves less than a few pixels is a click. A finger draws once it has rested: a swipe scrolls.
 */
export const useDrag = (props: GridProps, hourWidth: number) => {
  const drag = useRef<Drag | undefined>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const isClickOver = useRef(false)
  const stop = (): void => {
    clearTimeout(timer.current)
    drag.current = undefined
  }
  const giveUp = (): void => {
    const { current } = drag
    stop()
    if (current?.open !== undefined) show({ open: current.before })
  }
  const draw = (clientX: number, current: Drag): void => {
    const x = clientX - current.lane.getBoundingClientRect().left - current.away
    current.open = drawn(current, snap(props.span, props.span.from + (x / hourWidth) * HOUR), props)
    show({ open: current.open })
  }
  useEffect(() => stop, [])
  useEscape(drag, () => {
    isClickOver.current = true
    giveUp()
  })
  /** A finger that draws neither scrolls nor opens a menu. */
  const onTouch = (event: Event): void => {
    if (drag.current?.isDrawing === true) event.preventDefault()
  }
  const handlers = {
    onTouchMove: onTouch,
    onContextMenu: onTouch,
    onPointerDown: (event: PointerEvent): void => {
      isClickOver.current = false
      const pressed = press(event, props, hourWidth)
      drag.current = pressed
      if (pressed === undefined || pressed.isDrawing) return
      timer.current = setTimeout(() => {
        pressed.isDrawing = true
        draw(pressed.clientX, pressed)
      }, LONG_PRESS_MS)
    },
    // A form that is open keeps the focus.
    onMouseDown: (event: MouseEvent): void => {
      if (drag.current === undefined || !isOpen(drag.current)) return
      event.preventDefault()
      const form = document.querySelector('.pop')
      if (form?.contains(document.activeElement) === false) form.querySelector<HTMLElement>('[data-first]')?.focus()
    },
    onPointerMove: (event: PointerEvent): void => {
      const { current } = drag
      if (current === undefined) return
      if (current.open === undefined && Math.abs(event.clientX - current.clientX) < CLICK) return
      if (!current.isDrawing) {
        stop()
        return
      }
      if (current.open === undefined) (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId)
      draw(event.clientX, current)
    },
    onPointerUp: (): void => {
      const { current } = drag
      stop()
      if (current?.open === undefined) return
      isClickOver.current = true
      show({ open: dropped(current) })
    },
    onPointerCancel: giveUp,
  }
  /** Whether the click is the end of a drag, and opens nothing. */
  const wasDragged = (): boolean => isClickOver.current
  return { handlers, wasDragged, isDragging: () => drag.current !== undefined }
}
