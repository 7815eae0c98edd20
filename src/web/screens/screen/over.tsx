/** What is over the screen: its end, a warning before that, and the question for a password. */

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { afterText, extendTo, type HoldingProps, USUAL_MS } from '../../features/holding/extend.tsx'
import { useReservation } from '../../features/holding/use-reservation.ts'
import { bodyOf } from '../../features/reserve/wish.ts'
import { ceilQuarter, freeUntil, nextTaken, type Taken } from '../../features/schedule/calendar.ts'
import { lengthTo } from '../../features/schedule/draft.ts'
import { formatClock, formatWhen, HOUR, MINUTE } from '../../format/format.ts'
import { meOf, usePage } from '../../page/context.ts'
import { goTo, linkTo } from '../../page/location.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { CommandButton } from '../../parts/commands/command.tsx'
import { useFields } from '../../parts/commands/fields.tsx'
import { isFocusLost } from '../../parts/focus.ts'
import { RefusedNote } from '../../parts/show/note.tsx'
import { currentTime } from '../../service/time.ts'
import type { Asked } from './console.ts'
import type { Said } from './endings.ts'

interface Props {
  readonly said: Said
  readonly sutId: string | undefined
  readonly taken: readonly Taken[] | undefined
  readonly onAgain: () => void
}

export const Over = ({ said: { title, text, way }, sutId, taken, onAgain }: Props) => {
  const page = usePage()
  const now = page.clock.value
  const command = useReservation()
  const heading = useRef<HTMLHeadingElement>(null)
  // Not a button: keys that were meant for the machine may still come.
  useEffect(() => {
    if (isFocusLost()) heading.current?.focus()
  })
  const free = taken && freeUntil(taken, now)
  const until = free === undefined ? undefined : Math.min(free, ceilQuarter(now + HOUR))
  const isFree = way === 'reserve' && sutId !== undefined && until !== undefined && until - now >= MINUTE
  /** Takes the machine again from now on, until somebody else has it, for an hour at most. */
  const reserve = (id: string, end: number) => {
    const at = currentTime()
    const draft = { sutId: id, start: 'now', length: lengthTo(end, 'now', at) } as const
    return command.act('create', bodyOf(draft, meOf(page)._id, at, false), ({ _id }) => goTo('screen', _id))
  }
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
          {isFree && (
            <CommandButton look="primary" command={command} onPress={() => reserve(sutId, until)}>
              Reserve until {formatWhen(until, now)}
            </CommandButton>
          )}
          <RefusedNote refused={command.refused} />
          {way === 'again' && <Button label="Connect again" look="primary" onClick={onAgain} />}
          {way === 'reload' && <Button label="Reload" look="primary" onClick={() => location.reload()} />}
          <Button label="Your reservations" href={linkTo('mine')} />
        </div>
      </div>
    </div>
  )
}

/** Warns before the end, with what can be had. It stays until it is dismissed. */
export const EndToast = ({ own, taken, command }: HoldingProps) => {
  const [dismissed, setDismissed] = useState<number | undefined>(undefined)
  if (dismissed === own.to) return undefined
  const end = Math.min(own.to + USUAL_MS, (taken && nextTaken(taken, own)) ?? own.to)
  const free = afterText(taken, own, own.to)
  // A press on it leaves the focus on the screen.
  return (
    <div class="row toast" role="alert" onMouseDown={(event: MouseEvent) => event.preventDefault()}>
      Your time ends at {formatClock(own.to)}.{free && ` It is free ${free}.`}
      {end > own.to && (
        <CommandButton command={command} onPress={() => extendTo(command, end)}>
          Extend to {formatWhen(end, own.to)}
        </CommandButton>
      )}
      <IconButton icon="x" label="Dismiss" look="small" onClick={() => setDismissed(own.to)} />
    </div>
  )
}

const NO_ERRORS: ReadonlyMap<string, string> = new Map()

/** Asks for the password of a machine for which Berth has none. It goes to the machine and is kept nowhere. */
export const Credentials = ({ name, rfb, isUserNameNeeded }: Asked & { readonly name: string }) => {
  const [isSent, setSent] = useState(false)
  const { values, text } = useFields('machine', { username: '', password: '' }, NO_ERRORS)
  useLayoutEffect(
    () => document.getElementById(isUserNameNeeded ? 'machine-username' : 'machine-password')?.focus(),
    [],
  )
  if (isSent) return undefined
  const submit = (event: Event): void => {
    event.preventDefault()
    rfb.sendCredentials({ password: values.password, ...(isUserNameNeeded && { username: values.username }) })
    setSent(true)
  }
  return (
    <div class="screen-over">
      <div class="dialog" role="dialog" aria-label="Machine password">
        <form class="stack" onSubmit={submit}>
          <h2>Password for {name}</h2>
          <p class="second">
            The machine asks for a password that Berth does not have. It is sent only to the machine.
          </p>
          {isUserNameNeeded && text('username', 'Name', { required: true })}
          {text('password', 'Password', { type: 'password' })}
          <div class="row">
            <Button label="Connect" look="primary" type="submit" />
          </div>
        </form>
      </div>
    </div>
  )
}
