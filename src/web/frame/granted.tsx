import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ownRequests } from '../data/lists.ts'
import { formatWhen } from '../format/format.ts'
import { meOf, usePage, useReading } from '../page/context.ts'
import { goTo, linkTo } from '../page/location.ts'
import { notify } from '../page/warning.ts'
import { Button, IconButton } from '../parts/button.tsx'

/** In view. Mine says it for longer. */
const SHOWN_MS = 8_000

/** The granted requests that one has dismissed. */
const seen = signal<ReadonlySet<string>>(new Set())

export const Granted = () => {
  const page = usePage()
  const { value } = useReading(ownRequests(meOf(page)._id))
  const now = page.clock.value
  const running = page.reservations.own.value.filter(({ end_time }) => Date.parse(end_time) > now)
  const byId = new Map(running.map((reservation) => [reservation._id, reservation]))
  const request = value?.granted.find(
    ({ _id, sut_reservation_id: of }) => of !== null && byId.has(of) && !seen.value.has(_id),
  )
  const reservation = byId.get(request?.sut_reservation_id ?? '')
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
