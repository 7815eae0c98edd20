import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { formatWhen } from '../format/format.ts'
import { usePage } from '../page/context.ts'
import { goTo, linkTo } from '../page/location.ts'
import { notify } from '../page/warning.ts'
import { Button, IconButton } from '../parts/button.tsx'

/** Tells that a machine is there for which one has waited, on any screen, until it is dismissed. */
export const Granted = (): VNode | undefined => {
  const page = usePage()
  const { granted, reservations } = page.own.own.value
  const now = page.clock.value
  const running = reservations.filter(({ end_time }) => Date.parse(end_time) > now)
  const byId = new Map(running.map((reservation) => [reservation._id, reservation]))
  const request = granted.find(({ sut_reservation_id: of }) => of !== null && byId.has(of))
  const reservation = byId.get(request?.sut_reservation_id ?? '')
  const name = reservation?.sut_name ?? 'A machine'
  const until = reservation ? formatWhen(Date.parse(reservation.end_time), now) : ''
  const id = request?._id
  useEffect(() => {
    if (id !== undefined) notify(page.warning.peek(), id, `${name} is yours until ${until}`, () => goTo('mine'))
  }, [id])
  if (id === undefined) return undefined
  const dismiss = (): void => page.own.see(id)
  return (
    <div class="toast" role="alert">
      <span class="clip">
        <bdi>{name}</bdi> is yours until {until}.
      </span>
      <Button label="Show reservation" href={linkTo('mine')} onClick={dismiss} />
      <IconButton icon="x" label="Dismiss" look="small" onClick={dismiss} />
    </div>
  )
}
