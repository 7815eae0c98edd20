/** What is said on every screen. */

import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { ownRequests } from '../data/lists.ts'
import type { SutRequest } from '../data/objects.ts'
import { formatSecond, formatWhen } from '../format/format.ts'
import { asOfText } from '../page/as-of.ts'
import { meOf, usePage, useReading } from '../page/context.ts'
import { goTo, linkTo } from '../page/location.ts'
import { endText, nearest, notify } from '../page/warning.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Status } from '../parts/show/note.tsx'

const RETRY_INTERVAL_MS = 10_000

export const NotConnected = () => {
  const { control } = usePage()
  const [isAnswered, answeredAt] = [control.isAnswered.value, control.answeredAt.value]
  // A proxy, or a service that is not ready, may have answered: then it is still not known who is signed in.
  const isReached = isAnswered && control.session.value.phase !== 'unreachable'
  useEffect(() => {
    if (isReached) return undefined
    const timer = setInterval(() => void control.check(), RETRY_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [isReached])
  if (isAnswered) return undefined
  return (
    <div class="row banner" role="alert">
      <Icon name="plug" />
      <span>
        <b class="medium">Not connected since {formatSecond(answeredAt)}.</b> You see the lab as it was then. Reserving
        is paused until Berth responds.
      </span>
      <span class="grow" />
      <Button label="Try now" look="small" onClick={control.check} />
    </div>
  )
}

export const PastBanner = () => {
  const { asOf } = usePage()
  const moment = asOf.value
  if (moment === undefined) return undefined
  return (
    <div class="row banner info" role="status">
      <Icon name="clock" />
      <span>
        You see the lab as of <b class="medium">{asOfText(moment)}</b>. Nothing can be changed here.
      </span>
      <span class="grow" />
      <Button
        label="Back to now"
        look="small"
        onClick={() => {
          asOf.value = undefined
        }}
      />
    </div>
  )
}

/** Says once that a reservation ends soon, and once that it is over, to those who do not see the title and the ring. */
export const EndSaid = () => {
  const page = usePage()
  const now = page.minute.value
  const near = nearest(page.reservations.own.value, now, page.warning.value)
  const last = useRef(near)
  const about = near ?? last.current
  const text = about === undefined ? '' : endText(about, near !== undefined, now)
  last.current = text === '' ? undefined : about
  return <Status class="vh">{text}</Status>
}

/** In view. Mine says it for longer. */
const SHOWN_MS = 8_000

/** The granted requests that one has dismissed. */
const seen = signal<ReadonlySet<string>>(new Set())

export const Granted = () => {
  const page = usePage()
  const { value } = useReading(ownRequests(meOf(page)._id))
  const now = page.clock.value
  const running = page.reservations.own.value.filter(({ end_time }) => Date.parse(end_time) > now)
  const grantedBy = (request: SutRequest | undefined) => running.find(({ _id }) => _id === request?.sut_reservation_id)
  const request = value?.granted.find((each) => grantedBy(each) !== undefined && !seen.value.has(each._id))
  const reservation = grantedBy(request)
  const name = reservation?.sut_name ?? 'A machine'
  const until = reservation ? formatWhen(Date.parse(reservation.end_time), now) : ''
  const id = request?._id
  useEffect(() => {
    if (id !== undefined) notify(page.warning.peek(), id, `${name} is yours until ${until}`, () => goTo('mine'))
  }, [id])
  const dismiss = (): void => {
    if (id !== undefined) seen.value = new Set([...seen.value, id])
  }
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const showOnce = (): void => {
      clearTimeout(timer)
      if (document.visibilityState === 'visible') timer = setTimeout(dismiss, SHOWN_MS)
    }
    showOnce()
    document.addEventListener('visibilitychange', showOnce)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', showOnce)
    }
  }, [id])
  if (id === undefined) return undefined
  return (
    <div class="row toast" role="alert">
      <span class="clip">
        <bdi>{name}</bdi> is yours until {until}.
      </span>
      <Button label="Show reservation" href={linkTo('mine')} onClick={dismiss} />
      <IconButton icon="x" label="Dismiss" look="small" onClick={dismiss} />
    </div>
  )
}
