import { useEffect, useRef } from 'preact/hooks'
import { useReservation } from '../../features/holding/use-reservation.ts'
import { bodyOf } from '../../features/reserve/wish.ts'
import { freeUntil, type Taken } from '../../features/schedule/calendar.ts'
import { lengthTo } from '../../features/schedule/draft.ts'
import { formatWhen, HOUR, QUARTER } from '../../format/format.ts'
import { meOf, usePage } from '../../page/context.ts'
import { goTo, linkTo } from '../../page/location.ts'
import { Button } from '../../parts/button.tsx'
import { CommandButton } from '../../parts/commands/command.tsx'
import { isFocusLost } from '../../parts/focus.ts'
import { RefusedNote } from '../../parts/show/note.tsx'
import { currentTime } from '../../service/time.ts'
import type { Said } from './endings.ts'

const USUAL_MS = HOUR

interface Props {
  readonly said: Said
  readonly sutId: string | undefined
  readonly taken: readonly Taken[] | undefined
  readonly onAgain: () => void
}

/** Takes the machine again from now on, until somebody else has it, for an hour at most. */
const Reserve = ({ sutId, until }: { readonly sutId: string; readonly until: number }) => {
  const page = usePage()
  const command = useReservation()
  const reserve = () => {
    const now = currentTime()
    const draft = { sutId, start: 'now', length: lengthTo(until, 'now', now) } as const
    return command.act('create', bodyOf(draft, meOf(page)._id, now, false), ({ _id }) => goTo('screen', _id))
  }
  return (
    <>
      <CommandButton look="primary" command={command} onPress={reserve}>
        Reserve until {formatWhen(until, currentTime())}
      </CommandButton>
      <RefusedNote refused={command.refused} />
    </>
  )
}

export const Over = ({ said: { title, text, way }, sutId, taken, onAgain }: Props) => {
  const now = usePage().clock.value
  const heading = useRef<HTMLHeadingElement>(null)
  // Not a button: keys that were meant for the machine may still come.
  useEffect(() => {
    if (isFocusLost()) heading.current?.focus()
  })
  const free = taken && freeUntil(taken, now)
  const until = free === undefined ? undefined : Math.min(free, Math.ceil((now + USUAL_MS) / QUARTER) * QUARTER)
  const isFree = way === 'reserve' && sutId !== undefined && until !== undefined && until - now >= 60_000
  const freeText =
    isFree && free !== Number.POSITIVE_INFINITY && ` It is free until ${formatWhen(free as number, now)}.`
  return (
    <div class="screen-over">
      <div class="dialog stack" role="alertdialog" aria-label={title}>
        <h2 tabindex={-1} ref={heading}>
          {title}
        </h2>
        {text !== undefined && (
          <p class="second">
            {text}
            {freeText}
          </p>
        )}
        <div class="row wrap">
          {isFree && <Reserve sutId={sutId} until={until} />}
          {way === 'again' && <Button label="Connect again" look="primary" onClick={onAgain} />}
          {way === 'reload' && <Button label="Reload" look="primary" onClick={() => location.reload()} />}
          <Button label="Your reservations" href={linkTo('mine')} />
        </div>
      </div>
    </div>
  )
}
