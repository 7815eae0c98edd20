import type { VNode } from 'preact'
import { html } from '../parts/html.ts'
import { Icon } from '../parts/icon.ts'
import { MenuButton } from '../parts/menu.ts'
import type { Refused } from '../service/api.ts'
import { type Booked, extensionsOf, freeUntil } from '../timeline/calendar.ts'
import { clockOf, HOUR, MINUTE, shortDayOf, toIso } from '../timeline/times.ts'
import type { Commands } from './commands.ts'

/** What the first button adds. */
export const USUAL_MS = 30 * MINUTE

/** `11:30`, with the day where it is another one. */
export const timeOn = (time: number, now: number): string =>
  shortDayOf(time) === shortDayOf(now) ? clockOf(time) : `${shortDayOf(time)} ${clockOf(time)}`

/** `Free after it until 11:30.`, or nothing. */
export const afterText = (booked: readonly Booked[] | undefined, end: number, now: number): string | undefined => {
  const until = booked && freeUntil(booked, end)
  return until === undefined || until === Number.POSITIVE_INFINITY ? undefined : `until ${timeOn(until, now)}`
}

/** The ends to offer: those that are free, or usual ones where it is not known what follows. */
const endsOf = (booked: readonly Booked[] | undefined, own: Booked): readonly number[] =>
  booked === undefined ? [1, 2, 4].map((hours) => own.to + hours * HOUR) : extensionsOf(booked, own, 6)

interface Props {
  readonly own: Booked
  /** What the machine is taken by; undefined while that is not known. */
  readonly booked: readonly Booked[] | undefined
  readonly commands: Commands
  readonly isDisabled: boolean
}

const extendTo = ({ run }: Commands, end: number): void => void run('extend', { end_time: toIso(end) })

const choicesOf = ({ own, booked }: Props) =>
  endsOf(booked, own).map((end) => ({ key: String(end), text: `To ${timeOn(end, own.to)}` }))

/** Extends to one of the ends that are free. */
export const ExtendMenu = (props: Props): VNode => {
  const choices = choicesOf(props)
  const { commands, isDisabled } = props
  return html`<${MenuButton} label="Extend" text="Extend" className="btn quiet small" choices=${choices}
    isDisabled=${isDisabled || commands.isBusy || choices.length === 0} onChoose=${(key: string) => extendTo(commands, Number(key))} />`
}

/** Extends by half an hour, or to another end. */
export const ExtendPair = (props: Props): VNode => {
  const { own, commands, isDisabled } = props
  const off = isDisabled || commands.isBusy
  const choices = choicesOf(props)
  return html`<span class="btn-pair">
    <button type="button" class="btn" disabled=${off} onClick=${() => extendTo(commands, own.to + USUAL_MS)}>Extend 30 m</button>
    <${MenuButton} label="Extend by another time" isDisabled=${off || choices.length === 0} choices=${choices}
      onChoose=${(key: string) => extendTo(commands, Number(key))} />
  </span>`
}

/** Why a command was refused; with the latest possible end as a button, where the service names one. */
export const CommandNote = ({
  refused,
  commands: { run },
}: {
  readonly refused: Refused
  readonly commands: Commands
}): VNode => {
  const until = refused.problem.extendable_until
  const end = typeof until === 'string' ? Date.parse(until) : undefined
  return html`<div class="note danger" role="alert"><${Icon} name="warning" /><span class="grow">${refused.message}</span>
    ${end !== undefined && html`<button type="button" class="btn small" onClick=${() => run('extend', { end_time: toIso(end) })}>Extend to ${clockOf(end)}</button>`}
  </div>`
}
