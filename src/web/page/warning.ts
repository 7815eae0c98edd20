import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { Reservation } from '../data/objects.ts'
import type { Reservations } from '../data/reservations.ts'
import { formatClock, formatDuration, MINUTE } from '../format/format.ts'
import { readStored, store } from '../service/stored.ts'

export interface Warning {
  readonly isOn: boolean
  readonly minutes: number
  readonly isNotified: boolean
}

const KEPT = 'berth warning'
export const MINUTES_MIN = 1
export const MINUTES_MAX = 60
const USUAL: Warning = { isOn: true, minutes: 10, isNotified: false }

const readKept = (): Warning => {
  const { isOn, minutes, isNotified } = { ...USUAL, ...readStored<Warning>(KEPT) }
  const isRight = Number.isInteger(minutes) && minutes >= MINUTES_MIN && minutes <= MINUTES_MAX
  return { isOn: isOn === true, minutes: isRight ? minutes : USUAL.minutes, isNotified: isNotified === true }
}

export const openWarning = (): Signal<Warning> => {
  const warning = signal(readKept())
  effect(() => store(KEPT, warning.value))
  return warning
}

/** Whether the browser has notifications here: they need HTTPS, or loopback. */
export const mayNotify = (): boolean => isSecureContext && 'Notification' in window

export const isNear = (end: number, now: number, { isOn, minutes }: Warning): boolean =>
  isOn && end > now && end - now <= minutes * MINUTE

const nearOf = (own: readonly Reservation[], now: number, warning: Warning): readonly Reservation[] =>
  own
    .filter(({ start_time, end_time }) => Date.parse(start_time) <= now && isNear(Date.parse(end_time), now, warning))
    .toSorted((a, b) => Date.parse(a.end_time) - Date.parse(b.end_time))

export const nearest = (own: readonly Reservation[], now: number, warning: Warning): Reservation | undefined =>
  nearOf(own, now, warning)[0]

export const endText = (near: Pick<Reservation, 'end_time' | 'sut_name'>, isNear: boolean, now: number): string => {
  const end = Date.parse(near.end_time)
  const name = near.sut_name ?? 'a machine'
  if (isNear) return `Your time on ${name} ends at ${formatClock(end)}.`
  // One that was extended or given back is over in another way.
  return end <= now ? `Your time on ${name} is over.` : ''
}

/** `(8 m) win11-02`: what the title of the tab says before a reservation ends. */
export const titleOf = (title: string, near: Reservation | undefined, now: number): string =>
  near === undefined ? title : `(${formatDuration(Date.parse(near.end_time) - now)}) ${near.sut_name ?? title}`

/** Shows a notification, where one wants it and the browser allows it. With a tag, several tabs show it once. */
export const notify = ({ isNotified }: Warning, tag: string, text: string, onClick: () => void): void => {
  if (!isNotified || !mayNotify() || Notification.permission !== 'granted') return
  const notification = new Notification(text, { tag })
  notification.onclick = () => {
    focus()
    notification.close()
    onClick()
  }
}

export const notifyBeforeEnds = (
  clock: ReadonlySignal<number>,
  { own }: Reservations,
  warning: ReadonlySignal<Warning>,
  onClick: () => void,
): void => {
  const told = new Set<string>()
  clock.subscribe((now) => {
    if (!warning.peek().isNotified) return
    for (const { _id, end_time, sut_name } of nearOf(own.peek(), now, warning.peek())) {
      const end = `${_id} ${end_time}`
      if (told.has(end)) continue
      told.add(end)
      const text = `Your time on ${sut_name ?? 'a machine'} ends at ${formatClock(Date.parse(end_time))}`
      notify(warning.peek(), end, text, onClick)
    }
  })
}
