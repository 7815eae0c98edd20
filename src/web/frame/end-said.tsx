import { useRef } from 'preact/hooks'
import { usePage } from '../page/context.ts'
import { endText, nearest } from '../page/warning.ts'
import { Status } from '../parts/show/note.tsx'

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
