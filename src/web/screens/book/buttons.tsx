import { useState } from 'preact/hooks'
import { useUsed } from '../../features/people/hours.tsx'
import { asPriority, PRIORITY_MAX, PRIORITY_MIN, priorityText } from '../../features/queue/wants.ts'
import { formatDuration, formatWhen } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { SelectField } from '../../parts/choose/select.tsx'
import { type ButtonOptions, CommandButton } from '../../parts/commands/command.tsx'
import { TextField } from '../../parts/field.tsx'
import { isTooHigh, type Taking } from './use-taking.ts'

const WAITS: readonly (readonly [string, string])[] = [
  ['3600', '1 h'],
  ['14400', '4 h'],
  ['28800', '8 h'],
  ['86400', '24 h'],
  ['604800', '7 days'],
]
const USUAL_WAIT = '86400'

interface ReserveProps extends Pick<ButtonOptions, 'command' | 'disabled' | 'onPress'> {
  readonly name: string
  /** For how long, or how often. */
  readonly when: string
}

export const ReserveButton = ({ name, when, ...rest }: ReserveProps) => (
  <CommandButton look="primary" class="wide" doing="Reserving…" {...rest}>
    <span class="clip">
      Reserve <bdi>{name}</bdi>
    </span>{' '}
    <span class="nowrap">{when}</span>
  </CommandButton>
)

/** A place in the queue: how long to wait, and with which priority. */
export const WaitFields = ({ taking, length }: { readonly taking: Taking; readonly length: number }) => {
  const { priority, changePriority, booking, waiting, wait } = taking
  const now = usePage().clock.value
  const { value } = useUsed()
  const [seconds, setSeconds] = useState(USUAL_WAIT)
  const until = now + Number(seconds) * 1_000
  // Only testers have a quota. Until it is known, nothing is said of it.
  const most = value?.used?.quota?.priority_max ?? PRIORITY_MAX
  const chosen = asPriority(priority)
  const isWrong = chosen === undefined || chosen > most
  const refusal = isTooHigh(waiting) ? waiting.refused?.message : undefined
  const error = isWrong ? `Enter a whole number from ${PRIORITY_MIN} to ${most}.`.replace('-', '−') : refusal
  return (
    <>
      <SelectField id="wait" label="Wait up to" value={seconds} options={WAITS} onChange={setSeconds} />
      <TextField
        id="priority"
        label="Priority"
        type="number"
        min={PRIORITY_MIN}
        max={most}
        value={priority}
        onInput={changePriority}
        hint={priorityText(chosen ?? 0)}
        error={error}
      />
      <CommandButton
        label={`Join the queue until ${formatWhen(until, now)}`}
        look="primary"
        command={waiting}
        doing="Joining…"
        disabled={booking.isBusy || isWrong}
        onPress={() => wait(Number(seconds))}
      />
      <p class="small muted">
        You get the first matching machine that is free for {formatDuration(length)}. You will see it here, and get a
        notification if you allow them.
      </p>
    </>
  )
}
