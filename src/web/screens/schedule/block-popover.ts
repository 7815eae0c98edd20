import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Reservation, Sut } from '../../live/objects.ts'
import { meOf, usePage } from '../../page/context.ts'
import { CopyButton } from '../../parts/copy.ts'
import { html } from '../../parts/html.ts'
import { Icon } from '../../parts/icon.ts'
import { useStore } from '../../parts/store.ts'
import { newKey, Refused } from '../../service/api.ts'
import { type Booked, extensionsOf, freeUntil } from '../../timeline/calendar.ts'
import { clockOf, dayTitleOf, durationOf, MINUTE, shortDayOf, toIso } from '../../timeline/times.ts'
import { Popover } from './popover.ts'
import { command } from './reserve.ts'
import { show } from './view.ts'

interface Props {
  readonly sut: Sut
  readonly reservation: Reservation
  readonly booked: readonly Booked[]
  readonly nameOf: (userId: string) => string
  readonly anchor: () => Element | null
}

interface Connection {
  readonly host: string | null
  readonly port: number
  readonly open: boolean
  readonly bound_here: boolean
}

const close = (): void => show({ open: undefined })

const at = (time: number, now: number): string =>
  shortDayOf(time) === shortDayOf(now) ? clockOf(time) : `${shortDayOf(time)} ${clockOf(time)}`

const HostPort = ({ connection }: { readonly connection: Connection }): VNode | undefined => {
  const { host, port } = connection
  if (host === null) return html`<p class="muted small">Another Berth instance forwards this machine.</p>`
  const text = `${host.includes(':') ? `[${host}]` : host}:${port}`
  return html`<div class="row"><span class="hostport mono grow"><span class="grow clip">${text}</span><${CopyButton} text=${text} /></span></div>`
}

/** Where to connect, read again when the reservation changes. */
const useConnection = (id: string, isRunning: boolean): readonly [Connection | undefined, () => void] => {
  const { api } = usePage()
  const [connection, setConnection] = useState<Connection | undefined>(undefined)
  const read = (): void => {
    api.get<Connection>(`/api/sut_reservation/${id}/connection`).then(
      ({ value }) => setConnection(value),
      () => setConnection(undefined),
    )
  }
  useEffect(() => {
    if (isRunning) read()
  }, [id, isRunning])
  return [connection, read]
}

const Confirm = ({
  question,
  action,
  onConfirm,
  onBack,
}: {
  readonly question: string
  readonly action: string
  readonly onConfirm: () => void
  readonly onBack: () => void
}): VNode => html`<div class="pop-body">
  <p role="alert">${question}</p>
  <div class="row"><button type="button" class="btn danger" data-first ref=${(button: HTMLElement | null) => button?.focus()} onClick=${onConfirm}>${action}</button><button type="button" class="btn" onClick=${onBack}>Keep it</button></div>
</div>`

const Note = ({
  refused,
  onExtend,
}: {
  readonly refused: Refused
  readonly onExtend: (end: number) => void
}): VNode => {
  const until = refused.problem.extendable_until
  const end = typeof until === 'string' ? Date.parse(until) : undefined
  return html`<div class="note danger" role="alert"><${Icon} name="warning" /><span class="grow">${refused.message}</span>
    ${end !== undefined && html`<button type="button" class="btn small" onClick=${() => onExtend(end)}>Extend to ${clockOf(end)}</button>`}
  </div>`
}

const NotBound = ({
  isBusy,
  onBind,
}: {
  readonly isBusy: boolean
  readonly onBind: () => void
}): VNode => html`<div class="note warn">
  <${Icon} name="lock" /><span class="grow">This computer may not connect yet.</span>
  <button type="button" class="btn small" disabled=${isBusy} onClick=${onBind}>Allow this computer</button>
</div>`

/** The ends to which a reservation may be extended. */
const Ends = ({
  booked,
  own,
  isDisabled,
  onExtend,
}: {
  readonly booked: readonly Booked[]
  readonly own: Booked | undefined
  readonly isDisabled: boolean
  readonly onExtend: (end: number) => void
}): VNode | undefined => {
  const ends = own === undefined ? [] : extensionsOf(booked, own)
  if (own === undefined || ends.length === 0) return undefined
  return html`<div class="field"><span class="label">Extend to</span><div class="chips">
    ${ends.map((end) => html`<button type="button" class="chip" disabled=${isDisabled} onClick=${() => onExtend(end)}>${at(end, own.to)}</button>`)}
  </div></div>`
}

/** Sends commands about a reservation, one after the other. */
const useCommands = (reservation: Reservation) => {
  const page = usePage()
  const [refused, setRefused] = useState<Refused | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  const run = async (verb: string, body?: object): Promise<boolean> => {
    setBusy(true)
    setRefused(undefined)
    const result = await command(page, `/api/sut_reservation/${reservation._id}/${verb}`, body, newKey())
    setBusy(false)
    if (result instanceof Refused) setRefused(result)
    return !(result instanceof Refused)
  }
  return { refused, isBusy, run }
}

/** What one may do with a reservation of one's own, or, as an administrator, with another's. */
const Controls = ({ sut, reservation, booked }: Props): VNode => {
  const page = usePage()
  const now = useStore(page.clock)
  const isAnswered = useStore(page.control.reach, (reach) => reach.isAnswered)
  const { refused, isBusy, run } = useCommands(reservation)
  const [isAsking, setAsking] = useState(false)
  const [from, to] = [Date.parse(reservation.start_time), Date.parse(reservation.end_time)]
  const isRunning = from <= now && now < to
  const [connection, readConnection] = useConnection(reservation._id, isRunning)
  const extend = (end: number): void => void run('extend', { end_time: toIso(end) })
  const giveBack = async (): Promise<void> => {
    if (!(await run('cancel'))) return setAsking(false)
    if (!isRunning) page.lab.remove(reservation._id)
    close()
  }
  const bind = async (): Promise<void> => {
    if (await run('update')) readConnection()
  }
  const [verb, question] = isRunning
    ? ['Release', `Release ${sut.name} now? It is free again at once.`]
    : ['Cancel', `Cancel this reservation of ${sut.name}?`]
  if (isAsking)
    return html`<${Confirm} question=${question} action=${verb} onConfirm=${giveBack} onBack=${() => setAsking(false)} />`
  const free = freeUntil(booked, to)
  const after = free === undefined || free === Number.POSITIVE_INFINITY ? '' : `free until ${at(free, now)} after it`
  const own = booked.find(({ _id }) => _id === reservation._id)
  const isDisabled = isBusy || !isAnswered
  return html`<div>
    <div class="pop-body">
      <div class="result"><b>${isRunning ? `${durationOf(to - now)} left` : `${durationOf(to - from)}`}</b><span class="second">${after}</span></div>
      <${Ends} booked=${booked} own=${own} isDisabled=${isDisabled} onExtend=${extend} />
      ${connection !== undefined && html`<${HostPort} connection=${connection} />`}
      ${connection?.bound_here === false && html`<${NotBound} isBusy=${isBusy} onBind=${bind} />`}
      ${refused !== undefined && html`<${Note} refused=${refused} onExtend=${extend} />`}
    </div>
    <div class="pop-foot">
      <span class="grow"></span>
      <button type="button" class="btn danger" disabled=${isDisabled} onClick=${() => setAsking(true)}>${verb}</button>
    </div>
  </div>`
}

/** A reservation: whose, from when to when, and what may be done with it. */
export const BlockPopover = (props: Props): VNode => {
  const { sut, reservation, nameOf, anchor } = props
  const page = usePage()
  const me = meOf(page)
  const now = useStore(page.clock, (time) => Math.floor(time / MINUTE) * MINUTE)
  const [from, to] = [Date.parse(reservation.start_time), Date.parse(reservation.end_time)]
  const isOwn = reservation.user_id === me._id
  const who = isOwn ? 'Yours' : nameOf(reservation.user_id)
  const mayControl = to > now && me.role !== 'auditor' && (isOwn || me.role === 'administrator')
  const title = isOwn ? `Your reservation of ${sut.name}` : sut.name
  return html`<${Popover} title=${title} className="pop-own" subtitle=${`${who}, ${at(from, now)} to ${at(to, now)}`} anchor=${anchor} onClose=${close}>
    ${
      mayControl
        ? html`<${Controls} ...${props} />`
        : html`<div class="pop-body"><p>${dayTitleOf(from, now)}, ${durationOf(to - from)}</p></div>`
    }
  <//>`
}
