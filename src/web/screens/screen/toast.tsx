import { useState } from 'preact/hooks'
import { extendTo, USUAL_MS } from '../../features/holding/extend.tsx'
import type { ReservationCommand } from '../../features/holding/use-reservation.ts'
import { type Booked, nextTaken, type Taken } from '../../features/schedule/calendar.ts'
import { formatClock, formatWhen } from '../../format/format.ts'
import { IconButton } from '../../parts/button.tsx'
import { CommandButton } from '../../parts/commands/command.tsx'

/** Warns before the end, with what can be had. It stays until it is dismissed. */
export const EndToast = ({
  own,
  taken,
  command,
}: {
  readonly own: Booked
  readonly taken: readonly Taken[] | undefined
  readonly command: ReservationCommand
}) => {
  const [dismissed, setDismissed] = useState<number | undefined>(undefined)
  if (dismissed === own.to) return undefined
  const until = taken && nextTaken(taken, own)
  const end = Math.min(own.to + USUAL_MS, until ?? own.to)
  const free =
    until === undefined || until <= own.to || until === Number.POSITIVE_INFINITY
      ? ''
      : ` It is free until ${formatWhen(until, own.to)}.`
  // A press on it leaves the focus on the screen.
  return (
    <div class="row toast" role="alert" onMouseDown={(event: MouseEvent) => event.preventDefault()}>
      Your time ends at {formatClock(own.to)}.{free}
      {end > own.to && (
        <CommandButton command={command} onPress={() => extendTo(command, end)}>
          Extend to {formatWhen(end, own.to)}
        </CommandButton>
      )}
      <IconButton icon="x" label="Dismiss" look="small" onClick={() => setDismissed(own.to)} />
    </div>
  )
}
